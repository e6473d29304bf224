"""What all handles have in common: they belong to one process, and somebody has to close them."""

from __future__ import annotations

import warnings
from typing import Any, NoReturn, SupportsIndex


class Handle:
    """Something of libmam's that is released once. A copy would release it a second time, and another process has no
    use for it: `copy`, `pickle` and multiprocessing's arguments are refused."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        name = f"mam.{type(self).__name__}"
        raise TypeError(f"{name} cannot be copied or pickled: it belongs to this process, and another opens its own")


def warn_unclosed(handle: Any, told: str) -> None:
    """Tell that the collector had to close it, as Python does for files; `told` is what it was before."""
    warnings.warn(f"unclosed {told}", ResourceWarning, stacklevel=2, source=handle)
