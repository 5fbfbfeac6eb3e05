"""Lines in an SVG that can be read on a light and on a dark page."""

from dataclasses import dataclass
from html import escape
from math import floor, log10

WIDTH, HEIGHT = 420, 300
LEFT, TOP, RIGHT, BOTTOM = 48, 40, 40, 44
STYLE = """
text { font: 12px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.grid { stroke: #1f232822; stroke-width: 1 }
.line { fill: none; stroke-width: 1.8; stroke-linejoin: round }
.a { stroke: #0969da } .b { stroke: #1a7f37 } .c { stroke: #bc4c00 } .d { stroke: #8250df }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 } .grid { stroke: #e6edf322 }
  .a { stroke: #4493f8 } .b { stroke: #3fb950 } .c { stroke: #f0883e } .d { stroke: #ab7df8 }
}
"""


@dataclass(frozen=True)
class Series:
    """A line: its name, and its points from left to right."""

    name: str
    points: list[tuple[float, float]]


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    title: str
    below: str
    series: list[Series]


def chart(panels: list[Panel]) -> str:
    """The panels side by side, with one legend for all: they have the same lines."""
    legend_top = HEIGHT + 8
    width, height = WIDTH * len(panels), legend_top + 22
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
        f"<title>{escape('; '.join(panel.title for panel in panels))}</title>",
        f"<style>{STYLE}</style>",
    ]
    for index, panel in enumerate(panels):
        parts.append(f'<g transform="translate({index * WIDTH} 0)">{_panel(panel)}</g>')
    step = width / len(panels[0].series)
    for index, series in enumerate(panels[0].series):
        x = index * step + 16
        parts.append(f'<path class="line {"abcd"[index]}" d="M{x:.0f} {legend_top + 8}h24"/>')
        parts.append(f'<text x="{x + 30:.0f}" y="{legend_top + 12}">{escape(series.name)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel) -> str:
    right = max(x for series in panel.series for x, _ in series.points)
    highest = max(y for series in panel.series for _, y in series.points)
    step = _step(highest)
    top = step * (floor(highest / step) + 1)
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def across(x: float) -> float:
        return LEFT + x / right * wide

    def down(y: float) -> float:
        return TOP + high - y / top * high

    parts = [f'<text class="title" x="{LEFT}" y="20">{escape(panel.title)}</text>']
    for count in range(round(top / step) + 1):
        y = down(count * step)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}h{wide}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{count * step:g}</text>')
    for quarter in range(5):
        x = right * quarter / 4
        parts.append(f'<text x="{across(x):.1f}" y="{TOP + high + 18}" text-anchor="middle">{x:,.0f}</text>')
    parts.append(f'<text x="{LEFT + wide / 2}" y="{TOP + high + 36}" text-anchor="middle">{escape(panel.below)}</text>')
    for index, series in enumerate(panel.series):
        points = " ".join(f"{across(x):.1f},{down(y):.1f}" for x, y in series.points)
        parts.append(f'<polyline class="line {"abcd"[index]}" points="{points}"/>')
    return "".join(parts)


def _step(highest: float) -> float:
    """A round distance between lines of the grid, so that there are about five."""
    power = 10 ** floor(log10(highest / 5))
    return next(power * factor for factor in (1, 2, 5, 10) if highest / (power * factor) <= 6)
