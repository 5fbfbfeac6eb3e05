"""What one run of a program took, and the medians of several."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from places import WORK


@dataclass(frozen=True)
class Figures:
    """Of a whole process and those it waited for: seconds, the MiB of the largest one, and context switches of any kind."""

    wall: float
    cpu: float
    peak: float
    switches: float


class RunFailed(Exception):
    """A program that ended with an error; its text is the last line of what it said."""


def run(command: list[str], environment: dict[str, str] | None = None, folder: Path | None = None) -> Figures:
    """Runs a command and measures it. Raises `RunFailed` if it ends with anything but 0."""
    file = WORK / "figures"
    file.unlink(missing_ok=True)
    ended = subprocess.run(
        [str(WORK / "bin" / "measure"), str(file), *command],
        env={**os.environ, **(environment or {})}, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
    )
    if ended.returncode:
        said = (ended.stderr or ended.stdout).decode(errors="replace").strip().splitlines()
        raise RunFailed(f"exit {ended.returncode}: {said[-1] if said else command[0]}")
    wall, user, system, kilobytes, switches = file.read_text().split()
    return Figures(float(wall), float(user) + float(system), int(kilobytes) / 1024, int(switches))


def medians(runs: list[Figures]) -> Figures:
    return Figures(*(median(getattr(run, name) for run in runs) for name in ("wall", "cpu", "peak", "switches")))


def ratios(runs: list[Figures], to: list[Figures]) -> tuple[float, float]:
    """The medians of the ratios of wall and CPU time, round by round: what the machine does meanwhile cancels out."""
    pairs = list(zip(runs, to))
    return median(a.wall / b.wall for a, b in pairs), median(a.cpu / b.cpu for a, b in pairs)
