"""How many requests a sync makes, and the bytes of their bodies: exact, so that CI can compare them with what was recorded."""

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import document
from lists import SIZE, STYLES, Lists, Request, Style, first_list, new_item
from places import WORK, BenchmarkError, say
from report import table

FOLDER = WORK / "stores" / "requests"
MARK = "requests"
HEAD = ["style", "ETag", "first sync", "idle", "one new", "one deleted", "5 % changed"]
Table = dict[str, list[list[str]]]


def changed(items: list[dict]) -> list[dict]:
    """Each twentieth item is another one under its key: there is one on every second page."""
    return [{**item, "state": "done"} if index % 20 == 7 else item for index, item in enumerate(items)]


# What befalls the list between the first sync and the second one.
CASES: list[Callable[[list[dict]], list[dict]]] = [
    lambda items: items,
    lambda items: [new_item(len(items) + 1), *items],
    lambda items: [item for index, item in enumerate(items) if index != len(items) // 2 + SIZE // 2],
    changed,
]


def count(program: Path, quick: bool, only: list[str] | None) -> Table:
    """The rows of each section. With `only`, each request is told on stderr."""
    found: Table = {}
    with Lists() as lists:
        for pages in (10, 100) if quick else (10, 100, 1000):
            for mode in ("new", "all"):
                section = f"{pages:,} pages, mode `{mode}`"
                say(f"requests: {section}")
                for style in STYLES:
                    for tagged in (True, False):
                        names = [style.name, "yes" if tagged else "no"]
                        if not only or any(word in f"{section}, {style.name}, ETag {names[1]}" for word in only):
                            runs = _row(program, lists, style, tagged, pages, mode)
                            found.setdefault(section, []).append(names + [_cell(requests) for requests in runs])
                            if only:
                                _tell(section, names, runs)
    return found


def _row(program: Path, lists: Lists, style: Style, tagged: bool, pages: int, mode: str) -> list[list[Request]]:
    """The requests of the first sync, and of a second one for each case; each begins with what the first one left."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    first, second = FOLDER / "first", FOLDER / "second"
    first.mkdir(parents=True)
    feed = {
        "url": lists.url, "retries": 0, "items": "items", "key": "id",
        "columns": {"id": "id", "title": "title", "state": "state", "text": "text"},
        "pagination": style.pagination, "sync": {"mode": mode},
    }
    (first / "feedsync.yaml").write_text(json.dumps({"feeds": {"things": feed}}))
    lists.style, lists.tagged, lists.items = style, tagged, first_list(pages)
    runs = [_sync(program, lists, first, mode)]
    for case in CASES:
        shutil.rmtree(second, ignore_errors=True)
        shutil.copytree(first, second)
        lists.items = case(first_list(pages))
        runs.append(_sync(program, lists, second, mode))
    return runs


def _sync(program: Path, lists: Lists, folder: Path, mode: str) -> list[Request]:
    lists.take()
    command = [str(program), "sync", "--config", str(folder / "feedsync.yaml"), "--store", str(folder / "feedsync.db")]
    ended = subprocess.run(command, capture_output=True, text=True)
    requests = lists.take()
    if ended.returncode:
        raise BenchmarkError(f"{' '.join(command)} exits {ended.returncode}:\n{ended.stdout}{ended.stderr}")
    with closing(sqlite3.connect(folder / "feedsync.db")) as store:
        rows = dict(store.execute("SELECT id, state FROM things WHERE _removed_at IS NULL"))
    # Mode `new` does not look for what is gone or changed below the head.
    listed = {item["id"]: item["state"] for item in lists.items}
    if listed.keys() - rows.keys() or mode == "all" and listed != rows:
        raise BenchmarkError(f"the mirror in {folder} is not true: its requests mean nothing\n{_log(requests)}")
    return requests


def _cell(requests: list[Request]) -> str:
    same = sum(request.status == 304 for request in requests)
    of_these = f" ({same:,})" if same else ""
    return f"{len(requests):,}{of_these} · {sum(request.bytes for request in requests):,}"


def _log(requests: list[Request]) -> str:
    return "\n".join(f"  {request.status} {request.target}" for request in requests)


def _tell(section: str, names: list[str], runs: list[list[Request]]) -> None:
    for case, requests in zip(HEAD[2:], runs):
        say(f"{section}, {names[0]}, ETag {names[1]}, {case}: {len(requests)}\n{_log(requests)}")


def shown(found: Table) -> str:
    return "\n\n".join(f"**{section}**\n\n{table(HEAD, rows)}" for section, rows in found.items())


def recorded() -> Table:
    """What the page has."""
    found: Table = {}
    for line in document.read(MARK).splitlines():
        if line.startswith("**"):
            rows = found.setdefault(line.strip("*"), [])
        elif line.startswith("| ") and not line.startswith(("| style", "| --")):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


def differences(found: Table, before: Table) -> list[str]:
    """The rows that are not as recorded, each with the one that was."""
    lines = []
    for section, rows in found.items():
        old = {tuple(row[:2]): row for row in before.get(section, [])}
        for row in rows:
            was = old.get(tuple(row[:2]))
            if row != was:
                lines += [f"{section}:", f"  recorded  {' | '.join(was) if was else 'nothing'}", f"  now       {' | '.join(row)}"]
    return lines


def record(found: Table) -> None:
    document.write(MARK, shown(found))
