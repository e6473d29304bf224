"""The files that are open on a session: closing it must not lose what Python's buffers hold."""

from __future__ import annotations

import contextlib
import weakref
from typing import Any


class SessionFiles:
    """The files of one session until they are closed, each with the layers above it, outermost first. References are weak: a file
    that the program drops is closed by Python, as any other."""

    __slots__ = ("_layers",)

    def __init__(self) -> None:
        self._layers: dict[int, list[weakref.ref[Any]]] = {}

    def add(self, raw: Any, *above: Any) -> None:
        """Remember a file, with the buffered and the text layer above it."""
        self._layers[id(raw)] = [weakref.ref(layer) for layer in (*above[::-1], raw)]

    def discard(self, raw: Any) -> None:
        """Forget a file, which is closed."""
        self._layers.pop(id(raw), None)

    def flush(self) -> Exception | None:
        """Flush all; the last failure, with the others as its context."""
        return self._each("flush")

    def close(self) -> Exception | None:
        """Close all, in the same way."""
        return self._each("close")

    def _each(self, method: str) -> Exception | None:
        try:
            with contextlib.ExitStack() as stack:
                # A copy: other threads open and close files.
                for layers in list(self._layers.values()):
                    outermost = next(filter(_is_open, (layer() for layer in layers)), None)
                    if outermost is not None:
                        stack.callback(getattr(outermost, method))
        except Exception as error:
            return error
        return None


def _is_open(layer: Any) -> bool:
    try:
        return layer is not None and not layer.closed
    except ValueError:  # it was detached from what is below it
        return False
