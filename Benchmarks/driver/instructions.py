"""How many instructions feedsync executes for an item and for a start, counted by valgrind: the same on a busy machine."""

import re
import shutil
import subprocess
from pathlib import Path

from contenders import Feedsync, Job
from items import ANCHORS, REPOSITORIES, ItemKind
from pages import PageSet
from places import BENCHMARKS, WORK, BenchmarkError, say
from report import table
from upstream import Upstream

RECORD = BENCHMARKS / "instructions.txt"
# A rise by more than this is told. Counts of one binary differ by less than a thousandth from run to run.
TOLERANCE = 0.05
FOLDER = WORK / "stores" / "instructions"
# What valgrind wrote, for callgrind_annotate.
PROFILES = WORK / "callgrind"


def count(feedsync: Path, upstream: Upstream) -> dict[str, int]:
    """Instructions by what they are for. All threads count."""
    program = FOLDER / "feedsync"
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    PROFILES.mkdir(exist_ok=True)
    # valgrind gives up on some of the debug information that Swift writes; the names of functions stay.
    subprocess.run(["strip", "--strip-debug", "-o", str(program), str(feedsync)], check=True)
    found = {}
    for kind, pages, noun in ((REPOSITORIES, 20, "a repository"), (ANCHORS, 50, "an anchor")):
        say(f"instructions of {noun}")
        found[noun] = _an_item(program, upstream, kind, pages)
    say("instructions of an anchor that moved")
    found["an anchor that moved"] = _a_moved_item(program, upstream, ANCHORS, 50, 200)
    say("instructions of a start")
    found["--version"] = _instructions("version", [str(program), "--version"])
    places = ["--config", str(FOLDER / "mirror" / "feedsync.yaml"), "--store", str(FOLDER / "mirror" / "store.db")]
    found["status, one feed"] = _instructions("status", [str(program), "status", *places])
    return found


def _an_item(program: Path, upstream: Upstream, kind: ItemKind, pages: int) -> int:
    """What an item more costs: many pages less one page, so that starting and ending cancel out."""
    few, many = PageSet(kind, 1), PageSet(kind, pages)
    return round((_mirror(program, upstream, many) - _mirror(program, upstream, few)) / (many.items - few.items))


def _a_moved_item(program: Path, upstream: Upstream, kind: ItemKind, few: int, many: int) -> int:
    """What an item more costs in a sync of a list whose first item is gone. It rises with what a page costs by the length of its list."""
    counts = [_mirror_moved(program, upstream, PageSet(kind, pages)) for pages in (few, many)]
    return round((counts[1] - counts[0]) / (PageSet(kind, many).items - PageSet(kind, few).items))


def _mirror_moved(program: Path, upstream: Upstream, pages: PageSet) -> int:
    contender, job = _begin(program, upstream, pages)
    if subprocess.run(contender.first(job)).returncode:
        raise BenchmarkError(f"the first sync of {pages.name} fails")
    moved = PageSet(pages.kind, pages.pages, version=3)
    upstream.serve(moved)
    return _counted(contender, job, moved, contender.again(job))


def _mirror(program: Path, upstream: Upstream, pages: PageSet) -> int:
    contender, job = _begin(program, upstream, pages)
    return _counted(contender, job, pages, contender.pages(job))


def _begin(program: Path, upstream: Upstream, pages: PageSet) -> tuple[Feedsync, Job]:
    upstream.serve(pages)
    job = Job(pages, upstream.tagged, FOLDER / "mirror")
    shutil.rmtree(job.folder, ignore_errors=True)
    job.folder.mkdir()
    contender = Feedsync("feedsync", program)
    contender.prepare(job)
    return contender, job


def _counted(contender: Feedsync, job: Job, pages: PageSet, command: list[str]) -> int:
    instructions = _instructions(pages.name, command)
    if contender.digest(job) != pages.digest:
        raise BenchmarkError(f"the mirror of {pages.name} is not true: its instructions mean nothing")
    return instructions


def _instructions(name: str, command: list[str]) -> int:
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={PROFILES / name}.out"]
    ended = subprocess.run([*valgrind, *command], capture_output=True, text=True)
    counted = re.search(r"Collected : (\d+)", ended.stderr)
    if ended.returncode or not counted:
        raise BenchmarkError(f"valgrind {' '.join(command)} fails:\n{ended.stderr[-2000:]}")
    return int(counted[1])


def recorded() -> dict[str, int]:
    """The counts that were written down; empty where none were."""
    if not RECORD.exists():
        return {}
    lines = [line for line in RECORD.read_text().splitlines() if line and not line.startswith("#")]
    return {name: int(instructions) for name, instructions in (line.rsplit(maxsplit=1) for line in lines)}


def record(counts: dict[str, int]) -> None:
    head = "# What Scripts/bench instructions compares with; `--record` writes it anew. Commit it with the change that explains it.\n"
    RECORD.write_text(head + "".join(f"{name:<20} {instructions}\n" for name, instructions in counts.items()))


def compare(counts: dict[str, int], before: dict[str, int]) -> tuple[str, list[str]]:
    """The table, and a warning for each count that rose by more than the tolerance."""
    rows, warnings = [], []
    for name, instructions in counts.items():
        if name not in before:
            rows.append([name, "–", f"{instructions:,}", "–"])
            continue
        rise = instructions / before[name] - 1
        rows.append([name, f"{before[name]:,}", f"{instructions:,}", f"{rise:+.1%}"])
        if rise > TOLERANCE:
            warnings.append(
                f"warning: {name} takes {instructions:,} instructions, {rise:.1%} more than {RECORD.relative_to(BENCHMARKS.parent)} "
                "has; if that is what the change is worth, record it: Scripts/bench instructions --record"
            )
    return table(["instructions", "recorded", "now", "change"], rows), warnings
