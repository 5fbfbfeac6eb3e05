"""One `sync` of many feeds that have not changed: what a feed costs, and that no host has two requests at a time."""

import json
import shutil
import sqlite3
import threading
import urllib.error
import urllib.request
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import programs
from bounds import Bound
from draws import Draws
from figures import Figures, medians, ratios, run
from items import ANCHORS
from places import WORK, BenchmarkError, say
from report import ratio, table
from upstream import HOSTS, Upstream, host

ITEMS = 10


@dataclass(frozen=True)
class ManyFeeds:
    runs: dict[int, list[Figures]]
    bare: dict[int, list[Figures]]
    requests: int
    rejected: int

    @property
    def table(self) -> str:
        head = [f"one sync, {HOSTS} hosts, all answer 304", "wall s", "CPU s", "peak MB", "wall ms a feed", "CPU ms a feed", "× wall", "× CPU"]
        rows = []
        for feeds, runs in self.runs.items():
            middle = medians(runs)
            each = [f"{middle.wall / feeds * 1000:.2f}", f"{middle.cpu / feeds * 1000:.2f}"]
            times = [ratio(each) for each in ratios(runs, self.bare[feeds])]
            rows.append([f"{feeds:,} feeds", f"{middle.wall:.3f}", f"{middle.cpu:.3f}", f"{middle.peak:.0f}", *each, *times])
            rows.append(self._bare(feeds))
        kept = "none" if self.rejected == 0 else f"**{self.rejected}**"
        return (
            table(head, rows) + f"\n\nOf {self.requests:,} requests to hosts that answer 5 ms late, those that met another "
            f"at the same host: {kept}."
        )

    def _bare(self, feeds: int) -> list[str]:
        """What the loop took that stores nothing."""
        middle = medians(self.bare[feeds])
        each = [f"{middle.wall / feeds * 1000:.2f}", f"{middle.cpu / feeds * 1000:.2f}"]
        return [f"{feeds:,} requests, nothing stored", f"{middle.wall:.3f}", f"{middle.cpu:.3f}", f"{middle.peak:.0f}", *each, "1.00", "1.00"]

    @property
    def bounds(self) -> list[Bound]:
        feeds = max(self.runs)
        wall, _ = ratios(self.runs[feeds], self.bare[feeds])
        return [
            Bound(f"one sync of {feeds:,} feeds, to a curl_multi loop that stores nothing: wall", "×", 8, wall),
            Bound(f"peak memory, one sync of {feeds:,} feeds", "MB", 32, medians(self.runs[feeds]).peak),
        ]


def measure(feedsync: Path, upstream: Upstream, rounds: int, counts: tuple[int, ...]) -> ManyFeeds:
    """Syncs so many feeds twice; the second sync is measured, beside a loop that stores nothing. Then once more where a second request at a time is refused."""
    say(f"{' and '.join(f'{count:,}' for count in counts)} feeds")
    serve(upstream)
    base = WORK / "stores" / "feeds"
    shutil.rmtree(base, ignore_errors=True)
    runs, bare = {}, {}
    for count in counts:
        loaded = _load(feedsync, upstream.hosts, count, base / f"loaded-{count}")
        for _ in range(rounds):
            shutil.rmtree(base / "run", ignore_errors=True)
            shutil.copytree(loaded, base / "run")
            runs.setdefault(count, []).append(_sync(feedsync, base / "run"))
            _check(base / "run", count)
            bare.setdefault(count, []).append(_ask(base / "run", upstream.hosts, count))
    _try_the_watch(upstream)
    log = upstream.folder / "watched.log"
    log.write_text("")
    _sync(feedsync, _load(feedsync, upstream.watched, counts[-1], base / "watched"))
    lines = log.read_text().splitlines()
    shutil.rmtree(base)
    return ManyFeeds(runs, bare, len(lines), sum(line.endswith(" 429") for line in lines))


def serve(upstream: Upstream) -> None:
    """Puts the page of all feeds in its place."""
    draws = Draws("small")
    body = json.dumps([ANCHORS.make(number, draws, 1) for number in range(ITEMS)])
    (upstream.served / "small.json").write_text(body)


def _load(feedsync: Path, port: int, count: int, folder: Path) -> Path:
    define(port, count, folder)
    _sync(feedsync, folder)
    return folder


def define(port: int, count: int, folder: Path) -> None:
    """Writes the configuration of so many feeds into a new folder."""
    folder.mkdir(parents=True)
    feeds = {
        f"feed-{number}": {
            "url": f"http://{host(number % HOSTS)}:{port}/small/{number}", "items": "$", "key": "roomId",
            "pagination": {"style": "none"},
            "columns": {name: {"path": path, "type": type} for name, path, type in ANCHORS.columns},
        }
        for number in range(count)
    }
    (folder / "feedsync.yaml").write_text(json.dumps({"feeds": feeds}))


def command(feedsync: Path, folder: Path) -> list[str]:
    """The sync of the feeds that a folder defines."""
    places = ["--config", str(folder / "feedsync.yaml"), "--store", str(folder / "store.db")]
    return [str(feedsync), "sync", "--quiet", *places]


def _sync(feedsync: Path, folder: Path) -> Figures:
    return run(command(feedsync, folder), folder=folder)


def _ask(folder: Path, port: int, count: int) -> Figures:
    """Makes the same requests in a loop that stores nothing."""
    with closing(sqlite3.connect(folder / "store.db")) as database:
        (etag,) = database.execute("SELECT DISTINCT etag FROM _page").fetchone()
    requests = folder / "requests"
    requests.write_text("".join(f"http://{host(number % HOSTS)}:{port}/small/{number}\t{etag}\n" for number in range(count)))
    return run([str(programs.bare()), str(requests)])


def _check(folder: Path, count: int) -> None:
    """The last run of each feed made one request, and nothing was new."""
    with closing(sqlite3.connect(folder / "store.db")) as database:
        last = "SELECT count(*), sum(requests), sum(outcome = 'unchanged') FROM run WHERE id IN (SELECT max(id) FROM run GROUP BY feed)"
        if (found := database.execute(last).fetchone()) != (count, count, count):
            raise BenchmarkError(f"of {count} feeds that have not changed, feeds, requests and unchanged runs were {found}")


def _try_the_watch(upstream: Upstream) -> None:
    """A watch that sees nothing proves nothing: of several requests at once, some must be refused."""
    statuses = []

    def ask() -> None:
        try:
            statuses.append(urllib.request.urlopen(f"http://{host(0)}:{upstream.watched}/small/0").status)
        except urllib.error.HTTPError as refusal:
            statuses.append(refusal.code)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if 429 not in statuses or 200 not in statuses:
        raise BenchmarkError(f"the watched hosts do not notice requests at a time: {statuses}")
