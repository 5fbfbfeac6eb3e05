"""A feed with a list for each row of another: what lists cost that have not changed, and what it costs to find out that none is due."""

import json
import shutil
import sqlite3
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
# How many requests the loop hands to libcurl at a time: thousands of them slow it down, up to thirtyfold on one host.
WINDOW = 200


@dataclass(frozen=True)
class Place:
    """Where lists are: on how many hosts, and at which port and in which folder of theirs."""

    name: str
    hosts: int
    port: int
    folder: str = "small"


@dataclass(frozen=True)
class Parts:
    count: int
    runs: dict[Place, list[Figures]]
    bare: dict[Place, list[Figures]]
    planned: int
    planning: list[Figures]
    idle: list[Figures]

    @property
    def table(self) -> str:
        head = ["lists that answer 304", "wall s", "CPU s", "peak MB", "CPU ms a list", "× wall", "× CPU"]
        rows = []
        for place, runs in self.runs.items():
            contenders = (
                (f"**{self.count:,} lists, {place.name}**", runs),
                (f"{self.count:,} requests, nothing stored", self.bare[place]),
            )
            for name, figures in contenders:
                middle = medians(figures)
                times = [ratio(each) for each in ratios(figures, self.bare[place])]
                cost = f"{middle.cpu / self.count * 1000:.3f}"
                rows.append([name, f"{middle.wall:.3f}", f"{middle.cpu:.3f}", f"{middle.peak:.0f}", cost, *times])
        return table(head, rows) + (
            f"\n\nWith {self.planned:,} rows, a run that finds that none of their lists is due takes "
            f"{self._planning.wall * 1000:.0f} ms ({self._planning.cpu * 1000:.0f} ms of CPU) more than with one row."
        )

    @property
    def _planning(self) -> Figures:
        large, small = medians(self.planning), medians(self.idle)
        return Figures(large.wall - small.wall, large.cpu - small.cpu, large.peak, large.switches - small.switches)

    @property
    def bounds(self) -> list[Bound]:
        found = []
        for place, runs in self.runs.items():
            wall, cpu = ratios(runs, self.bare[place])
            what = f"{self.count:,} lists that answer 304, {place.name}"
            found.append(Bound(f"{what}, to a curl_multi loop that stores nothing: wall", "×", 1.3, wall))
            found.append(Bound(f"the same, {place.name}: CPU", "×", 1.3, cpu))
        found.append(Bound(f"peak memory, {self.count:,} lists that answer 304", "MB", 40, max(medians(runs).peak for runs in self.runs.values())))
        found.append(Bound(f"planning with {self.planned:,} rows", "ms", 50, self._planning.wall * 1000))
        return found


def measure(feedsync: Path, upstream: Upstream, rounds: int, count: int, planned: int) -> Parts:
    """Syncs so many lists twice; the second sync is measured, beside a loop that stores nothing."""
    say(f"{count:,} lists")
    draws = Draws("small")
    body = json.dumps([ANCHORS.make(number, draws, 1) for number in range(ITEMS)])
    (upstream.served / "small.json").write_text(body)
    base = WORK / "stores" / "parts"
    shutil.rmtree(base, ignore_errors=True)
    runs, bare = {}, {}
    places = (
        Place("1 host with a quota", 1, upstream.hosts, "counted"),
        Place(f"{HOSTS} hosts", HOSTS, upstream.hosts),
        Place(f"{HOSTS} hosts 20 ms away", HOSTS, upstream.watched, "far"),
    )
    for number, place in enumerate(places):
        loaded = _load(feedsync, upstream, count, place, base / f"loaded-{number}")
        for _ in range(rounds):
            shutil.rmtree(base / "run", ignore_errors=True)
            shutil.copytree(loaded, base / "run")
            runs.setdefault(place, []).append(_sync(feedsync, base / "run"))
            _check(base / "run", count)
            bare.setdefault(place, []).append(_ask(base / "run", count, place))
    say(f"planning of {planned:,} lists")
    large = _fill(feedsync, upstream, planned, places[0], base / "large")
    small = _fill(feedsync, upstream, 1, places[0], base / "small")
    planning, idle = ([_plan(feedsync, folder) for _ in range(rounds)] for folder in (large, small))
    shutil.rmtree(base)
    return Parts(count, runs, bare, planned, planning, idle)


def _address(number: int, place: Place) -> str:
    return f"http://{host(number % place.hosts)}:{place.port}/{place.folder}/{number}"


def _configure(upstream: Upstream, count: int, place: Place, folder: Path) -> None:
    folder.mkdir(parents=True)
    rows = [{"id": number, "url": _address(number, place)} for number in range(count)]
    (upstream.served / "parents.json").write_text(json.dumps(rows))
    common = {"items": "$", "pagination": {"style": "none"}}
    feeds = {
        "parents": {
            **common, "url": f"http://{host(0)}:{upstream.hosts}/parents", "key": "id",
            "columns": {"id": {"path": "id", "type": "integer"}, "url": {"path": "url", "type": "text"}},
        },
        "lists": {
            **common, "for_each": "parents", "url": "{parents.url}", "key": "roomId",
            "allow_origins": [f"http://{host(number)}:{place.port}" for number in range(place.hosts)],
            "columns": {name: {"path": path, "type": type} for name, path, type in ANCHORS.columns},
        },
    }
    (folder / "feedsync.yaml").write_text(json.dumps({"feeds": feeds}))


def _load(feedsync: Path, upstream: Upstream, count: int, place: Place, folder: Path) -> Path:
    _configure(upstream, count, place, folder)
    _sync(feedsync, folder, "parents")
    _sync(feedsync, folder)
    return folder


def _sync(feedsync: Path, folder: Path, *what: str) -> Figures:
    places = ["--config", str(folder / "feedsync.yaml"), "--store", str(folder / "store.db")]
    return run([str(feedsync), "sync", *(what or ("lists",)), "--quiet", *places], folder=folder)


def _ask(folder: Path, count: int, place: Place) -> Figures:
    """Makes the same requests in a loop that stores nothing."""
    with closing(sqlite3.connect(folder / "store.db")) as database:
        (etag,) = database.execute("SELECT DISTINCT etag FROM _page WHERE feed GLOB 'lists/*'").fetchone()
    requests = folder / "requests"
    requests.write_text("".join(f"{_address(number, place)}\t{etag}\n" for number in range(count)))
    return run([str(programs.bare()), str(requests), str(WINDOW)])


def _check(folder: Path, count: int) -> None:
    """The last run of each list made one request, and nothing was new."""
    with closing(sqlite3.connect(folder / "store.db")) as database:
        last = """
            SELECT count(*), sum(requests), sum(outcome = 'unchanged') FROM run
            WHERE id IN (SELECT max(id) FROM run WHERE feed GLOB 'lists/*' GROUP BY feed)
            """
        if (found := database.execute(last).fetchone()) != (count, count, count):
            raise BenchmarkError(f"of {count} lists that have not changed, lists, requests and unchanged runs were {found}")


def _fill(feedsync: Path, upstream: Upstream, count: int, place: Place, folder: Path) -> Path:
    """A store with so many rows, whose lists are whole and not due: one by feedsync, and others like it."""
    _configure(upstream, 1, place, folder)
    _sync(feedsync, folder, "parents")
    _sync(feedsync, folder)
    rows = [{"id": number, "url": _address(number, place)} for number in range(count)]
    (upstream.served / "parents.json").write_text(json.dumps(rows))
    _sync(feedsync, folder, "parents")
    with closing(sqlite3.connect(folder / "store.db")) as database:
        def columns(name: str, *others: str) -> str:
            return ", ".join(row[1] for row in database.execute(f"PRAGMA table_info({name})") if row[1] not in others)

        of_list, of_state = columns("feed_part", "name", "parent_key"), columns("_feed_part", "id", "feed", "seen")
        database.execute(
            f"INSERT INTO feed_part (name, parent_key, {of_list}) SELECT 'lists/' || p.id, p.id, {', '.join('l.' + name for name in of_list.split(', '))} "
            "FROM parents p, (SELECT * FROM feed_part) l WHERE p.id > 0")
        database.execute(
            f"INSERT INTO _feed_part (feed, seen, {of_state}) SELECT 'lists/' || p.id, p._changed_at, {', '.join('s.' + name for name in of_state.split(', '))} "
            "FROM parents p, (SELECT * FROM _feed_part) s WHERE p.id > 0")
        database.execute("UPDATE feed_part SET next_due_at = '2999-01-01T00:00:00.000Z'")
        database.execute("UPDATE _feed_part SET seen = (SELECT _changed_at FROM parents WHERE id = CAST(substr(feed, 7) AS integer))")
        database.commit()
    # The run behind a change of the rows looks at all of them.
    _plan(feedsync, folder)
    return folder


def _plan(feedsync: Path, folder: Path) -> Figures:
    with closing(sqlite3.connect(folder / "store.db")) as database:
        database.execute("UPDATE feed SET next_due_at = NULL WHERE name = 'lists'")
        database.commit()
    return _sync(feedsync, folder, "lists", "--due")
