"""Curves for a terminal and for a file, without a plotting library."""

import math
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["Curve", "progress", "terminal_chart", "write_svg"]

HEIGHT, WIDTH = 9, 60


class Curve:
    """A named series with the limits of its axis; with `log`, the axis is one of powers of ten."""

    def __init__(self, name: str, values: Sequence[float], low: float, high: float, *, log: bool = False) -> None:
        self.name, self.values, self.log = name, values, log
        self.low, self.high = (math.log10(low), math.log10(high)) if log else (low, high)

    def heights(self, points: int) -> list[float]:
        """The series at no more than `points` places, each as a part of the axis, 0 to 1."""
        shown = [self.values[at * len(self.values) // points] for at in range(points)]
        if len(self.values) < points:
            shown = list(self.values)
        scaled = (math.log10(max(value, 10**self.low)) if self.log else value for value in shown)
        return [min(max((value - self.low) / (self.high - self.low), 0.0), 1.0) for value in scaled]

    def label(self, part: float) -> str:
        """What stands at a part of the axis."""
        value = self.low + part * (self.high - self.low)
        return f"1e{value:+03.0f}" if self.log else f"{value:.2f}"


def progress(step: int, steps: int, words: str) -> None:
    """A bar that moves in a terminal; elsewhere, a line now and then."""
    done = 20 * step // steps
    line = f"[{'#' * done}{'.' * (20 - done)}] {step:3d}/{steps}  {words}"
    if sys.stdout.isatty():
        print(f"\r{line}", end="\n" if step == steps else "", flush=True)
    elif step == steps or step % max(steps // 8, 1) == 0:
        print(line, flush=True)


def terminal_chart(curve: Curve) -> str:
    """The curve in lines of text, oldest on the left."""
    heights = curve.heights(WIDTH)
    rows = [round(one * (HEIGHT - 1)) for one in heights]
    lines = [f"{curve.name}"]
    for row in range(HEIGHT - 1, -1, -1):
        dots = "".join("o" if one == row else " " for one in rows)
        lines.append(f"  {curve.label(row / (HEIGHT - 1)):>6} |{dots}".rstrip())
    return "\n".join([*lines, f"         +{'-' * len(rows)} {len(curve.values)} steps"])


def write_svg(path: Path, title: str, curves: Sequence[Curve]) -> None:
    """The curves in panels side by side, as a small SVG file."""
    panels = []
    for number, curve in enumerate(curves):
        left, heights = 40 + 330 * number, curve.heights(min(len(curve.values), 250))
        across = max(len(heights) - 1, 1)
        points = " ".join(f"{left + 260 * at / across:.1f},{180 - 130 * one:.1f}" for at, one in enumerate(heights))
        panels.append(
            f'<text x="{left}" y="40">{curve.name}</text>'
            f'<path d="M{left} 50V180H{left + 260}" fill="none" stroke="#808080"/>'
            f'<text x="{left - 4}" y="56" text-anchor="end">{curve.label(1)}</text>'
            f'<text x="{left - 4}" y="184" text-anchor="end">{curve.label(0)}</text>'
            f'<text x="{left + 260}" y="196" text-anchor="end">{len(curve.values)} steps</text>'
            f'<polyline points="{points}" fill="none" stroke="#3f51b5" stroke-width="2"/>'
        )
    view = f'viewBox="0 0 {40 + 330 * len(curves)} 205" font-family="sans-serif" font-size="11" fill="#808080"'
    heading = f'<text x="8" y="18" font-size="14">{title}</text>'
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" {view}>{heading}', *panels, "</svg>", ""]
    path.write_text("\n".join(lines), encoding="utf-8")
