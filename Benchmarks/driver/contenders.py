"""The programs that run: how each is told to mirror a feed, and where its rows are."""

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pages
from items import ItemKind
from pages import PageSet
from places import BENCHMARKS, WORK


@dataclass(frozen=True)
class Job:
    """One mirror to be made: of which pages, from where, in which folder."""

    pages: PageSet
    port: int
    folder: Path

    @property
    def kind(self) -> ItemKind:
        return self.pages.kind

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self.pages.name}"

    @property
    def store(self) -> Path:
        return self.folder / "store.db"


@dataclass(frozen=True)
class Contender:
    """`first` and `again` are the commands for a first and a second run; `once` marks one too slow for every round."""

    name: str
    once: bool = field(default=False, kw_only=True)
    table = "item"

    def prepare(self, job: Job) -> None:
        """What its user does before the first run."""

    def first(self, job: Job) -> list[str]:
        raise NotImplementedError

    def again(self, job: Job) -> list[str]:
        return self.first(job)

    def column(self, name: str) -> str:
        """What it calls a column."""
        return name

    def store(self, job: Job) -> Path:
        return job.store

    def digest(self, job: Job) -> str:
        """What its rows come to; see `PageSet.digest`."""
        names = ", ".join(f'"{self.column(name)}"' for name, _, _ in job.kind.columns)
        with closing(sqlite3.connect(self.store(job))) as database:
            return pages.digest(database.execute(f"SELECT {names} FROM {self.table} ORDER BY 1"))


@dataclass(frozen=True)
class Feedsync(Contender):
    """`feedsync sync` in mode `all`, twice: the second time each page is asked for again."""

    program: Path
    prefetch: int | None = None
    table = "items WHERE _removed_at IS NULL"

    def prepare(self, job: Job) -> None:
        pagination = {"style": "page", "param": "page", "total": "total_count"}
        if self.prefetch:
            pagination["prefetch"] = self.prefetch
        feed = {
            "url": job.url, "items": "items", "key": job.kind.key, "pagination": pagination, "sync": {"mode": "all"},
            "columns": {name: {"path": path, "type": type} for name, path, type in job.kind.columns},
        }
        # JSON is YAML.
        (job.folder / "feedsync.yaml").write_text(json.dumps({"feeds": {"items": feed}}, indent=2))

    def first(self, job: Job) -> list[str]:
        return self._command(job, "sync", "items")

    def pages(self, job: Job) -> list[str]:
        """What loads the pages and proves nothing: for the cost of a page alone."""
        return self._command(job, "more", "items", "--all")

    def _command(self, job: Job, *words: str) -> list[str]:
        return [str(self.program), *words, "--quiet", "--config", str(job.folder / "feedsync.yaml"), "--store", str(job.store)]


@dataclass(frozen=True)
class Reference(Contender):
    """The C++ loop, with its options for each run."""

    options: tuple[str, ...] = ()

    def first(self, job: Job) -> list[str]:
        program = str(WORK / "bin" / "reference")
        return [program, job.kind.name, job.url, str(job.pages.pages), str(job.store), *self.options]


@dataclass(frozen=True)
class ByHand(Contender):
    """The hand-written script."""

    python: Path
    options: tuple[str, ...] = ()

    def first(self, job: Job) -> list[str]:
        script = str(BENCHMARKS / "peers" / "by_hand.py")
        return [str(self.python), "-B", script, job.kind.name, job.url, str(job.store), *self.options]


@dataclass(frozen=True)
class Shell(Contender):
    def first(self, job: Job) -> list[str]:
        return [str(BENCHMARKS / "peers" / "shell.sh"), job.kind.name, job.url, str(job.pages.pages), str(job.store)]


@dataclass(frozen=True)
class WithDlt(Contender):
    python: Path

    def first(self, job: Job) -> list[str]:
        return [str(self.python), "-B", str(BENCHMARKS / "peers" / "with_dlt.py"), job.kind.name, job.url, str(job.folder)]

    def column(self, name: str) -> str:
        return {"roomId": "room_id"}.get(name, name)

    def store(self, job: Job) -> Path:
        # dlt keeps a dataset in a database beside the one it is told.
        return job.folder / "store__feed.db"
