"""Writes the measurements into Docs/performance.md and Docs/growth.svg."""

import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path
from statistics import median

from chart import Panel, chart
from growth import Growth
from places import ROOT, BenchmarkError, say
from report import table

PAGE = ROOT / "Docs" / "performance.md"
CHART = ROOT / "Docs" / "growth.svg"
# Before we add to it.
LOAD = os.getloadavg()[0]


def _parts(name: str, path: Path) -> list[str]:
    """A page up to the marker of that name, from there to its end, and what follows."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    page = path.read_text()
    if begin not in page or end not in page:
        raise BenchmarkError(f"{path.name} has no lines {begin} and {end}")
    before, rest = page.split(begin, 1)
    text, after = rest.split(end, 1)
    return [before + begin, text, end + after]


def read(name: str, path: Path = PAGE) -> str:
    """What is between the markers of that name."""
    return _parts(name, path)[1]


def write(name: str, text: str, path: Path = PAGE) -> None:
    """Puts text between the markers of that name in a page."""
    before, _, after = _parts(name, path)
    path.write_text(f"{before}\n{text}\n{after}")
    say(f"wrote {path.relative_to(ROOT)}")


def origin() -> str:
    """The command, the version and the machine, as a line."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    command = shlex.join(["Scripts/bench", *sys.argv[1:]])
    return (
        f"`{command}` at {commit or 'no commit'}, on {_processor()}, {os.cpu_count()} cores, load {LOAD:.1f} before, "
        f"Linux {platform.release()}."
    )


def _processor() -> str:
    with open("/proc/cpuinfo") as lines:
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def growth_table(found: list[Growth]) -> str:
    """The first and the last tenth of each line, as medians."""
    rows = []
    for growth in found:
        cells = []
        for series in (growth.wall, growth.cpu):
            costs = [cost for _, cost in series.points]
            tenth = max(len(costs) // 10, 1)
            cells += [f"{median(costs[:tenth]):.2f}", f"{median(costs[-tenth:]):.2f}"]
        rows.append([growth.name, *cells])
    return table(["ms a page, median", "wall, first tenth", "last tenth", "CPU, first tenth", "last tenth"], rows)


def growth_chart(found: list[Growth]) -> None:
    below = "rows in the table"
    CHART.write_text(chart([
        Panel("wall, ms a page of 100 items", below, [growth.wall for growth in found]),
        Panel("CPU, ms a page of 100 items", below, [growth.cpu for growth in found]),
    ]))
    say(f"wrote {CHART.relative_to(ROOT)}")
