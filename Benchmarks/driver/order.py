"""The functions that feedsync executes, in the order in which Scripts/release links them: those that run often are neighbours.

A sync runs through little of the program. Where its functions are scattered, each brings its neighbours into memory and into the processor's caches.
"""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import many_feeds
from contenders import Feedsync, Job
from items import ANCHORS, REPOSITORIES
from pages import PageSet
from places import ROOT, WORK, BenchmarkError, say
from upstream import Upstream

RECORD = ROOT / "Packaging" / "functions.order"
FOLDER = WORK / "stores" / "order"
HEAD = (
    "# The functions of a sync, those with the most instructions first: Scripts/release links them in this order, and\n"
    "# ignores names that are gone. Scripts/bench order writes this file.\n"
)


def write(feedsync: Path, upstream: Upstream) -> int:
    """Writes the functions of the runs that the benchmark measures, and returns how many there are."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    program = FOLDER / "feedsync"
    # valgrind gives up on some of the debug information that Swift writes; the names of functions stay.
    subprocess.run(["strip", "--strip-debug", "-o", str(program), str(feedsync)], check=True)
    functions = _functions(program)
    if not functions:
        raise BenchmarkError(f"{feedsync} has no names of functions: build it with Scripts/release --symbols")
    costs: Counter[str] = Counter()
    for number, command in enumerate(_commands(program, upstream)):
        say(f"functions of run {number + 1}, {command[1]}")
        costs += _costs(FOLDER / f"{number}.out", command)
    # Counts differ by a little from run to run. Powers of two, and names within them, keep the order.
    order = sorted((name for name in costs if name in functions), key=lambda name: (-costs[name].bit_length(), name))
    RECORD.write_text(HEAD + "".join(f"{name}\n" for name in order))
    return len(order)


def _functions(program: Path) -> set[str]:
    listed = subprocess.run(["nm", "--defined-only", str(program)], capture_output=True, text=True).stdout
    return {line.split()[2] for line in listed.splitlines() if line.split()[1] in "tTwW"}


def _commands(program: Path, upstream: Upstream):
    """Each command, after the one before it has ended."""
    for kind, count in ((ANCHORS, 50), (REPOSITORIES, 20)):
        pages = PageSet(kind, count)
        upstream.serve(pages)
        for port in (upstream.tagged, upstream.plain):
            job = Job(pages, port, FOLDER / f"{kind.name}-{port}")
            job.folder.mkdir()
            feedsync = Feedsync("feedsync", program)
            feedsync.prepare(job)
            yield feedsync.first(job)
            yield feedsync.again(job)
    many_feeds.serve(upstream)
    feeds = FOLDER / "feeds"
    many_feeds.define(upstream.hosts, 100, feeds)
    for _ in range(2):
        yield many_feeds.command(program, feeds)
    yield [str(program), "status", "--config", str(feeds / "feedsync.yaml"), "--store", str(feeds / "store.db")]


def _costs(profile: Path, command: list[str]) -> Counter[str]:
    """The instructions of each function of the program itself. Source: https://valgrind.org/docs/manual/cl-format.html"""
    valgrind = ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={profile}"]
    ended = subprocess.run([*valgrind, *command], capture_output=True, text=True)
    if ended.returncode:
        raise BenchmarkError(f"valgrind {' '.join(command)} fails:\n{ended.stderr[-2000:]}")
    costs: Counter[str] = Counter()
    names: dict[tuple[str, str], str] = {}
    current = {"fn": "", "ob": ""}
    is_of_call = False
    for line in profile.read_text(errors="replace").splitlines():
        if found := re.fullmatch(r"(c?)(fn|ob)=\((\d+)\)(?: (.*))?", line):
            is_called, kind, number, name = found.groups()
            # A name is given once, and a number stands for it afterwards.
            if name:
                names[kind, number] = name
            if not is_called:
                current[kind] = names[kind, number]
        elif line.startswith("calls="):
            is_of_call = True
        elif line[:1].isdigit() or line[:1] in ("+", "-", "*"):
            if not is_of_call and current["ob"].endswith("/feedsync"):
                # A recursive function has a number behind its name.
                costs[current["fn"].partition("'")[0]] += int(line.split()[1])
            is_of_call = False
    return costs
