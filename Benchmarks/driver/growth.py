"""What a page costs as its table grows: by kind of key, and by the order in which keys come."""

import shutil
import sqlite3
import subprocess
import time
from bisect import bisect_left
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from chart import Series
from contenders import Feedsync, Job
from draws import Draws
from items import ANCHORS, ItemKind
from pages import PAGE_SIZE, PageSet
from places import WORK, BenchmarkError, say
from upstream import Upstream

# Pages whose costs are put together: a page's event has a time in milliseconds, and many a page takes less than one.
BLOCK = 100
SAMPLES_EVERY = 0.01


def kinds() -> list[tuple[str, ItemKind]]:
    """Anchors with each kind of key."""
    return [
        ("integer keys, in order", _kind("orderedintegers", "integer", lambda number: number)),
        ("text keys, in order", _kind("orderedtexts", "text", lambda number: f"room-{number:010}")),
        ("integer keys, at random", _kind("scatteredintegers", "integer", _scattered)),
        ("text keys, at random", _kind("scatteredtexts", "text", lambda number: f"room-{_scattered(number):010}")),
    ]


def _scattered(number: int) -> int:
    """All numbers below 2^32 go to one of their own: the multiplier is odd."""
    return number * 2654435761 % 2**32


def _kind(name: str, type: str, key) -> ItemKind:
    def make(number: int, draws: Draws, version: int) -> dict:
        return {**ANCHORS.make(number, draws, version), "roomId": key(number)}

    return replace(ANCHORS, name=name, make=make, columns=(("roomId", "roomId", type), *ANCHORS.columns[1:]))


@dataclass(frozen=True)
class Growth:
    """Milliseconds a page took, block by block."""

    name: str
    wall: Series
    cpu: Series


def measure(feedsync: Path, upstream: Upstream, pages: int) -> list[Growth]:
    """Mirrors so many pages of each kind of key, from nothing."""
    return [_measure(feedsync, upstream, name, PageSet(kind, pages)) for name, kind in kinds()]


def _measure(feedsync: Path, upstream: Upstream, name: str, pages: PageSet) -> Growth:
    upstream.serve(pages)
    say(f"growth to {pages.items:,} rows: {name}")
    job = Job(pages, upstream.tagged, WORK / "stores" / "growth")
    shutil.rmtree(job.folder, ignore_errors=True)
    job.folder.mkdir(parents=True)
    contender = Feedsync("feedsync", feedsync)
    contender.prepare(job)
    samples = _sampled(contender.pages(job), job.folder)
    ends, rows = _page_ends(job.store)
    if (len(ends), rows) != (pages.pages, pages.items):
        raise BenchmarkError(f"{pages.pages} pages of {PAGE_SIZE} items were to be stored; the event log has {len(ends)} and {rows} items")
    shutil.rmtree(job.folder)
    shutil.rmtree(pages.folder)
    borders = ends[BLOCK - 1 :: BLOCK]
    cpu = [_cpu_at(samples, moment) for moment in borders]
    return Growth(name, _costs(name, borders), _costs(name, cpu))


def _costs(name: str, readings: list[float]) -> Series:
    """Of readings at the end of each block, what a page cost in each block but the first, by the rows at its end."""
    costs = [(after - before) / BLOCK * 1000 for before, after in zip(readings, readings[1:])]
    return Series(name, [((index + 2) * BLOCK * PAGE_SIZE, cost) for index, cost in enumerate(costs)])


def _sampled(command: list[str], folder: Path) -> list[tuple[float, float]]:
    """Runs a command; by time of day, how much CPU time it had taken."""
    with open(folder / "output", "w+") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        clock = (~process.pid << 3) | 2  # the kernel's number of another process's CPU clock: clock_getcpuclockid(3)
        samples = []
        while process.poll() is None:
            try:
                samples.append((time.time(), time.clock_gettime(clock)))
            except OSError:
                break  # it has just ended
            time.sleep(SAMPLES_EVERY)
        if process.wait():
            output.seek(0)
            raise BenchmarkError(f"feedsync ends with {process.returncode}: {output.read().strip()}")
    return samples


def _cpu_at(samples: list[tuple[float, float]], moment: float) -> float:
    after = min(max(bisect_left(samples, (moment, 0)), 1), len(samples) - 1)
    (start, low), (end, high) = samples[after - 1], samples[after]
    return low + (high - low) * (moment - start) / (end - start)


def _page_ends(store: Path) -> tuple[list[float], int]:
    """When each page was stored, and how many items in all, by the event log."""
    with closing(sqlite3.connect(store)) as database:
        events = database.execute("SELECT at, inserted FROM event WHERE inserted > 0 ORDER BY id").fetchall()
    ends = [datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp() for at, _ in events]
    return ends, sum(inserted for _, inserted in events)
