"""A store in PostgreSQL: first load and second run beside a C++ loop and dlt, and how many pages workers load together."""

import json
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import database
import pages
import peers
import scenarios
from bounds import Bound
from contenders import Contender, Feedsync, Job, Reference, WithDlt
from contest import hold
from database import PostgreSQL
from figures import ratios
from items import ANCHORS, REPOSITORIES
from pages import PageSet
from places import WORK, BenchmarkError, say
from report import outcome_table, table
from scenarios import Scenario
from upstream import HOSTS, Upstream, host

REFERENCE = "C++, COPY and merge"
WORKERS = (1, 2, 4, 8)
FEEDS, PAGES = 48, 25


class InPostgreSQL:
    """What is different about a contender whose store is in a database."""

    server: PostgreSQL

    def uri(self, job: Job) -> str:
        return self.server.uri(database.name(job.folder))

    def prepare(self, job: Job) -> None:
        self.server.create(database.name(job.folder))
        super().prepare(job)

    def again(self, job: Job) -> list[str]:
        self.server.create(database.name(job.folder), database.name(job.folder.parent / "loaded" / self.name))
        return super().again(job)

    def digest(self, job: Job) -> str:
        names = ", ".join(f'"{self.column(name)}"' for name, _, _ in job.kind.columns)
        types = [int if type == "integer" else str for _, _, type in job.kind.columns]
        rows = self.server.rows(database.name(job.folder), f"SELECT {names} FROM {self.table} ORDER BY 1")
        return pages.digest(tuple(None if value is None else type(value) for type, value in zip(types, row)) for row in rows)


@dataclass(frozen=True)
class SharedFeedsync(InPostgreSQL, Feedsync):
    server: PostgreSQL = None

    def _command(self, job: Job, *words: str) -> list[str]:
        return [str(self.program), *words, "--quiet", "--config", str(job.folder / "feedsync.yaml"), "--store", self.uri(job)]


@dataclass(frozen=True)
class SharedReference(InPostgreSQL, Reference):
    server: PostgreSQL = None

    def column(self, name: str) -> str:
        return name.lower()

    def first(self, job: Job) -> list[str]:
        program = str(WORK / "bin" / "reference")
        return [program, job.kind.name, job.url, str(job.pages.pages), self.uri(job), "--postgresql", *self.options]


@dataclass(frozen=True)
class SharedDlt(InPostgreSQL, WithDlt):
    server: PostgreSQL = None
    table = "feed.item"

    def first(self, job: Job) -> list[str]:
        return [*super().first(job), self.uri(job)]


@dataclass(frozen=True)
class Findings:
    tables: list[str]
    bounds: list[Bound]


def measure(feedsync: Path, upstream: Upstream, rounds: int, quick: bool) -> Findings:
    found = Findings([], [])
    with_dlt = peers.python("with_dlt")
    many = 100 if quick else 1000
    with PostgreSQL() as server:
        own = SharedFeedsync(scenarios.FEEDSYNC, feedsync, server=server)
        reference = SharedReference(REFERENCE, ("--ahead",), server=server)
        slow = (SharedDlt(scenarios.DLT, with_dlt, server=server),) if with_dlt else ()
        for kind in (REPOSITORIES, ANCHORS):
            set = PageSet(kind, many)
            contest = hold(
                Scenario(
                    f"shared-{kind.name}", scenarios.title("first load into PostgreSQL", set), set, "tagged",
                    (own, reference, *slow), REFERENCE), upstream, rounds)
            found.tables.append(outcome_table(contest))
            for to, most in ((REFERENCE, 1.5), (scenarios.DLT, 1 / 8)):
                runs = contest.runs.get(own.name), contest.runs.get(to)
                wall = ratios(*runs)[0] if all(runs) else None
                found.bounds.append(Bound(f"first load into PostgreSQL, {kind.name}, to {to}: wall", "×", most, wall))
        set = PageSet(ANCHORS, many)
        found.tables.append(outcome_table(hold(
            Scenario(
                "shared-again", scenarios.title("second run, nothing changed", set), set, "tagged", (own, reference),
                REFERENCE, again=True), upstream, rounds)))
        found.tables.append(_together(feedsync, upstream, server))
    return found


def _together(feedsync: Path, upstream: Upstream, server: PostgreSQL) -> str:
    """How long workers take for the first load of feeds on as many hosts, 50 ms away, a host at a time each."""
    set = PageSet(ANCHORS, PAGES)
    upstream.serve(set)
    rows = []
    for count in WORKERS:
        say(f"{count} workers")
        folder = WORK / "stores" / "workers"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        server.create("workers")
        feeds = {
            f"f{index}": {
                "url": f"http://{host(index)}:{upstream.far}/{set.name}", "items": "items", "key": ANCHORS.key, "every": "1d",
                "pagination": {"style": "page", "param": "page", "total": "total_count"},
                "columns": {name: {"path": path, "type": type} for name, path, type in ANCHORS.columns},
            } for index in range(min(FEEDS, HOSTS))
        }
        # JSON is YAML.
        (folder / "feedsync.yaml").write_text(json.dumps({"store": server.uri("workers"), "feeds": feeds}))
        began = time.monotonic()
        command = [str(feedsync), "work", "--quiet", "--jobs", "2", "--config", str(folder / "feedsync.yaml")]
        workers = [subprocess.Popen(command, cwd=folder) for _ in range(count)]
        try:
            while time.monotonic() - began < 600:
                try:
                    if server.run("workers", "SELECT count(*) FROM feed WHERE complete").strip() == str(len(feeds)):
                        break
                except BenchmarkError:
                    pass  # the tables are not there yet
                time.sleep(0.1)
            else:
                raise BenchmarkError(f"{count} workers do not end")
        finally:
            wall = time.monotonic() - began
            for worker in workers:
                worker.terminate()
            for worker in workers:
                worker.wait()
        total = len(feeds) * PAGES
        rows.append([str(count), f"{wall:.1f}", f"{total / wall:,.0f}", f"{total * pages.PAGE_SIZE / wall:,.0f}"])
    return table([f"workers with 2 jobs each, {len(feeds)} hosts 50 ms away", "wall s", "pages/s", "items/s"], rows)
