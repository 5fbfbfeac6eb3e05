"""Whether the store is whole and what the upstream has."""

import json
import sqlite3
import subprocess
from collections import Counter, defaultdict

FIGURES = ("inserted", "updated", "unchanged", "removed")


def check_log(database, trees, find, count):
    """The log of each feed follows the grammar, no page is stored twice, and a run's figures are those of its pages."""
    rows = database.sql(
        f"SELECT feed, id, run, status, page, error IS NULL, {', '.join(FIGURES)} FROM event ORDER BY feed, id")
    sums, logs, twice = defaultdict(Counter), defaultdict(list), []
    feed = before = None
    for name, id_, run, status, page, is_good, *figures in rows:
        count["events"] += 1
        if name != feed:
            close(feed, before, find)
            feed, before, last, stored = name, None, None, set()
        if id_ == last:
            find(f"{feed}: the number {id_} is given twice")
        if not follows(status, before and before[0]):
            find(f"{feed}: {status} ({id_}) behind {before}")
        if status == "beginHeader":
            stored = set()
        # What ends with another number than it began with is a page that was asked for again.
        if before and is_good == "t" and page == before[1]:
            # A page that is asked for again, because the total fell behind it, and is as it was, writes nothing.
            wrote = any(int(figure) for name, figure in zip(FIGURES, figures) if name != "unchanged")
            count["pages asked for again"] += page in stored and not wrote
            if page in stored and wrote:
                twice.append((feed, run, page))
            stored.add(page)
            sums[run]["pages"] += 1
        sums[run].update(dict(zip(FIGURES, map(int, figures))))
        logs[run].append(f"{status} {page} {'+'.join(figures)}")
        before, last = (status, page) if status.startswith("begin") else None, id_
    close(feed, before, find)
    for feed, run, page in twice:
        find(f"{feed}: run {run} stored page {page} once more: {logs[run]}")
    check_runs(database, trees, sums, logs, find, count)


def close(feed, before, find):
    if before:
        find(f"{feed}: {before[0]} is not closed")


def follows(status, before):
    if status.startswith("begin"):
        return before is None
    if before is None:
        return status == "noMoreData"
    return status != "endHeader" or before == "beginHeader"


def check_runs(database, trees, sums, logs, find, count):
    rows = database.sql(
        f"SELECT feed, id, outcome, pages, {', '.join(FIGURES)}, extract(epoch FROM started_at),"
        " extract(epoch FROM finished_at) FROM run ORDER BY feed, started_at, id")
    last, until = None, 0.0
    for feed, id_, outcome, pages, *figures, begin, end in rows:
        count["runs"] += 1
        count["pages"] += int(pages)
        count[f"runs {outcome}"] += 1
        if not outcome or not end:
            find(f"{feed}: run {id_} has no end")
            continue
        if feed == last and float(begin) < until:
            find(f"{feed}: run {id_} began before the one before had ended")
        last, until = feed, float(end)
        if feed in trees:
            # Its events are those of its lists, which have runs of their own.
            continue
        # A head that was asked for once more, to prove that nothing moved, is not among a run's pages.
        if int(pages) > sums[id_]["pages"]:
            find(f"{feed}: run {id_} ({outcome}) has {pages} pages: {logs[id_]}")
        for name, figure in zip(FIGURES, figures):
            # What goes with a list that is gone is in no page.
            if sums[id_][name] != int(figure) and not (name == "removed" and "/" in feed):
                find(f"{feed}: run {id_} ({outcome}) has {figure} {name}, and its events {sums[id_][name]}: {logs[id_]}")


def check_blocks(database, find):
    """No two groups have numbers of one block, or their rows replace each other."""
    for block, hosts in database.sql(
            "SELECT id >> 24, string_agg(DISTINCT left(feed, 3), ', ') FROM event"
            " GROUP BY 1 HAVING count(DISTINCT left(feed, 3)) > 1"):
        find(f"{hosts} have numbers of the same block, {block}")


def check_claims(database, find):
    for group, worker in database.sql('SELECT "group", worker FROM _claim WHERE worker IS NOT NULL OR until IS NOT NULL'):
        find(f"{worker} still has {group}")


def check_feeds(database, urls, find):
    """The store has the feeds of the configuration, and no feed twice, under an old name and a new one."""
    there = {row[0] for row in database.sql("SELECT name FROM feed")}
    for name in there - urls.keys():
        find(f"{name} is no feed of the configuration")
    for name in urls.keys() - there:
        find(f"the store does not have {name}")


def own(row):
    """What the upstream said of an item."""
    return {key: value for key, value in row.items() if not key.startswith("_") and value is not None}


def check_rows(database, lists, find, count):
    """All columns of all rows in PostgreSQL."""
    there = {row[0] for row in database.sql("SELECT relname FROM pg_class WHERE relkind = 'r'")}
    for name in lists.keys() - there:
        find(f"{name} has no table")
    script = "".join(
        f"SELECT '{name}', _removed_at IS NULL, to_jsonb(t) FROM {name} t ORDER BY _generation DESC, _position;\n"
        for name in lists if name in there)
    rows = defaultdict(list)
    for name, is_there, row in database.sql(script):
        row = json.loads(row)
        # A key whose column has no type may be text.
        rows[name].append((is_there == "t", row | {"id": int(row["id"])}))
    for name, list_ in lists.items():
        compare(f"{name} in PostgreSQL", rows[name], list_, find, count)
    for name, inserted, items in database.sql(
            "SELECT name, (SELECT sum(inserted) FROM run WHERE run.feed = feed.name), item_count FROM feed"):
        if name not in lists:
            continue
        if int(inserted or 0) != len(rows[name]):
            find(f"{name}: {inserted} rows were inserted, and there are {len(rows[name])}")
        if int(items) != len(lists[name].items):
            find(f"{name}: `item_count` is {items}, and there are {len(lists[name].items)}")


def check_trees(database, trees, find, count):
    """All rows of the feeds that have a list for each item of another one, and that all lists are whole."""
    for name, tree in trees.items():
        parent = name.replace("t", "x")
        rows = {}
        for key, row in database.sql(f"SELECT {parent}_id, to_jsonb(t) FROM {name} t WHERE _removed_at IS NULL"):
            row = own(json.loads(row) | {f"{parent}_id": None})
            rows[int(key), int(row["id"])] = row | {"id": int(row["id"])}
        count["rows of trees"] += len(rows)
        there = tree.items()
        if wrong := sorted(key for key in rows.keys() | there.keys() if rows.get(key) != there.get(key)):
            find(f"{name}: {[(key, rows.get(key), there.get(key)) for key in wrong[:3]]} of {len(wrong)} are not alike")
        for part, error in database.sql(
                f"SELECT name, error FROM feed_part WHERE feed = '{name}' AND NOT complete"
                f" AND parent_key IN (SELECT to_json(id)::text FROM {parent} WHERE _removed_at IS NULL)"):
            find(f"{part} is not whole: {error}")


def run(binary, words, folder):
    """A command of feedsync."""
    environment = {"HOME": str(folder), "TMPDIR": str(folder), "PATH": "/usr/bin:/bin", "NO_COLOR": "1"}
    return subprocess.run([binary, *words], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=180)


def check_copy(binary, uri, folder, every, lists, find, count):
    """`store copy` makes a file of it, `doctor` has nothing to say, and all rows are there."""
    file = folder / "copy.db"
    # Feeds that are due after a day, or `doctor` would say that they have not been synced since the workers ended.
    (folder / "calm.yaml").write_text((folder / "feedsync.yaml").read_text().replace(f"every: {every}s", "every: 1d"))
    for words in (["store", "copy", uri, str(file)], ["doctor", "--config", str(folder / "calm.yaml"), "--store", str(file)]):
        ended = run(binary, words, folder)
        if ended.returncode:
            return find(f"`{' '.join(words)}` ends with {ended.returncode}: {ended.stderr.strip()} {ended.stdout.strip()}")
    connection = sqlite3.connect(file)
    connection.row_factory = sqlite3.Row
    for name, list_ in lists.items():
        try:
            rows = [dict(row) for row in connection.execute(f"SELECT * FROM {name} ORDER BY _generation DESC, _position")]
        except sqlite3.OperationalError as error:
            find(f"the copy: {error}")
            continue
        compare(f"{name} in the copy", [(row["_removed_at"] is None, row) for row in rows], list_, find, count)
    if [tuple(row) for row in connection.execute("PRAGMA integrity_check")] != [("ok",)]:
        find("the copy is broken")
    connection.close()


def compare(name, rows, list_, find, count):
    """Rows in the feed's order with a list, and those that are gone with what is gone from it."""
    count["rows"] += len(rows)
    there = [own(row) for is_there, row in rows if is_there]
    if there != list_.items:
        mirrored, listed = ({item["id"]: item for item in items} for items in (there, list_.items))
        if mirrored == listed and len(there) == len(listed):
            find(f"{name}: the rows are in another order")
        else:
            wrong = sorted(key for key in mirrored.keys() | listed.keys() if mirrored.get(key) != listed.get(key))
            find(f"{name}: {[(mirrored.get(key), listed.get(key)) for key in wrong[:3]]} of {len(wrong)} are not alike")
    if strange := {row["id"] for is_there, row in rows if not is_there} - list_.gone:
        find(f"{name}: {sorted(strange)[:3]} are marked as removed, and are not")
