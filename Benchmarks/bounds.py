"""Measurements, their bounds, and the table of the results."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

# row -> per round: ours, and the peer's if there is one
Samples = dict[str, list[tuple[float, float | None]]]


@dataclass
class Row:
    """One bound. `result` is ok, MISSED or skipped."""

    name: str
    unit: str
    peer_name: str
    bound: float
    kind: str = "ratio"  # "ratio": ours/peer at most bound; "faster": peer/ours at least; "value": ours at most
    ours: float | None = None
    peer: float | None = None
    ratio: float | None = None
    ratios: list[float] = field(default_factory=list)
    result: str = "skipped"
    why: str = ""

    def judge(self, samples: list[tuple[float, float | None]], why: str) -> None:
        """Take the measured rounds, or the reason for their absence."""
        self.ours = statistics.median(ours for ours, _ in samples) if samples else None
        pairs = [(ours, peer) for ours, peer in samples if peer is not None]
        if self.kind == "value" and self.ours is not None:
            self.result = "ok" if self.ours <= self.bound else "MISSED"
        elif pairs:
            self.peer = statistics.median(peer for _, peer in pairs)
            self.ratios = [peer / ours if self.kind == "faster" else ours / peer for ours, peer in pairs]
            self.ratio = statistics.median(self.ratios)
            good = self.ratio >= self.bound if self.kind == "faster" else self.ratio <= self.bound
            self.result = "ok" if good else "MISSED"
        else:
            self.why = why


def shown(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "ns":
        for limit, factor, name in ((1e3, 1, "ns"), (1e6, 1e3, "us"), (float("inf"), 1e6, "ms")):
            if value < limit:
                return f"{value / factor:.3g} {name}"
    return f"{value:.3g} {unit}".strip()


def table(rows: Sequence[Row], notes: Sequence[str]) -> Iterator[str]:
    cells = [("", "libmam", "", "", "ratio", "bound", "")]
    for row in rows:
        sign = ">=" if row.kind == "faster" else "<="
        bound = f"{sign} {row.bound:g}" + (f" {row.unit}" if row.kind == "value" and row.unit else "")
        ratio = "" if row.ratio is None else f"{row.ratio:.3g}" if row.ratio >= 10 else f"{row.ratio:.3f}"
        peer = shown(row.peer, row.unit) if row.kind != "value" else ""
        cells.append((row.name, shown(row.ours, row.unit), row.peer_name, peer, ratio, bound, row.result))
    widths = [max(len(line[i]) for line in cells) for i in range(len(cells[0]))]
    for line in cells:
        padded = enumerate(zip(line, widths, strict=True))
        aligned = (text.ljust(width) if i in (0, 2, 6) else text.rjust(width) for i, (text, width) in padded)
        yield "  ".join(aligned).rstrip()
    yield from notes
    count = {result: sum(row.result == result for row in rows) for result in ("ok", "MISSED", "skipped")}
    yield f"{count['ok']} ok, {count['MISSED']} missed, {count['skipped']} skipped"
