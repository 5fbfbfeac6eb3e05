"""Twenty processes at one store, with readers that keep their snapshots, a writer that locks, and clocks that jump."""

import argparse
import hashlib
import http.server
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path

SIZE = 10
FEEDS = {"news": "new", "notes": "all", "tasks": "all", "users": "new"}
# By how many seconds a process's clock is off.
CLOCKS = [0, 0, 0, 7_200, -7_200, 40 * 86_400, -86_400]
# Done, but for `doctor`, which tells what it does not like.
CODES = {"doctor": {0, 1}}
# What a user must never see: SQLite's own words for a store that is busy, and what is broken.
FORBIDDEN = re.compile(r"database is locked|SQLITE_|malformed|disk image|Fatal error|bug")


class Lists:
    """Four lists that change with each request, until they rest."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lock = threading.Lock()
        self.moves = True
        self.last = 0
        self.requests = 0
        self.lists = {name: [self.item() for _ in range(35)][::-1] for name in FEEDS}
        lists = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_GET(self):
                lists.answer(self)

            def log_message(self, *words):
                pass

        class Server(http.server.ThreadingHTTPServer):
            request_queue_size = 100
            daemon_threads = True

            def handle_error(self, *words):
                pass  # Who asked was ended.

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def item(self):
        self.last += 1
        return {"id": self.last, "value": 0}

    def move(self, name):
        """What is at the head of a list is all that a reader of its head finds; other lists change anywhere."""
        items = self.lists[name]
        choice = self.random.randrange(4)
        if choice == 0:
            items.insert(0, self.item())
        elif choice == 1 and len(items) > 20 and FEEDS[name] == "all":
            items.pop(self.random.randrange(len(items)))
        elif choice == 2:
            item = items.pop(self.random.randrange(len(items)))
            place = 0 if FEEDS[name] == "new" else self.random.randrange(len(items))
            items.insert(place, {"id": item["id"], "value": item["value"] + 1})

    def answer(self, request):
        url = urllib.parse.urlsplit(request.path)
        page = int(urllib.parse.parse_qs(url.query).get("page", ["1"])[0])
        with self.lock:
            self.requests += 1
            name = url.path[1:]
            if self.moves and self.random.randrange(3) == 0:
                self.move(name)
            items = self.lists[name]
            body = json.dumps({"total": len(items), "items": items[(page - 1) * SIZE:page * SIZE]}).encode()
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        is_known = request.headers.get("If-None-Match") == tag
        request.send_response(304 if is_known else 200)
        request.send_header("ETag", tag)
        if not is_known:
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        if not is_known:
            request.wfile.write(body)


class Bench:
    def __init__(self, binary, clock, folder, seed):
        self.binary, self.clock, self.folder, self.seed = binary, clock, Path(folder), seed
        self.lists = Lists(seed)
        self.store = self.folder / "feedsync.db"
        self.finds = []
        self.counts = {}
        self.lock = threading.Lock()
        feeds = "".join(
            f"  {name}:\n    url: {self.lists.url}/{name}\n    items: items\n    key: id\n"
            "    columns: {id: id, value: value}\n    pagination: {style: page, total: total}\n"
            f"    sync: {{mode: {mode}}}\n    every: 1s\n" for name, mode in FEEDS.items())
        (self.folder / "copies").mkdir()
        (self.folder / "feedsync.yaml").write_text(f"feeds:\n{feeds}")

    def find(self, text):
        with self.lock:
            self.finds.append(text)
            print(f"    {text}", flush=True)

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def run(self, words, clock=0):
        """A command, with a clock that is so many seconds off."""
        command = [self.binary, *words.split()]
        environment = {"HOME": str(self.folder), "PATH": "/usr/bin:/bin", "NO_COLOR": "1"}
        if clock:
            environment |= {"LD_PRELOAD": self.clock, "CLOCK_OFFSET": str(clock)}
        try:
            run = subprocess.run(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                                 timeout=180)
        except subprocess.TimeoutExpired:
            return self.find(f"`{words}` takes more than 180 s")
        errors = run.stderr.decode(errors="replace")
        self.count(words.split()[0])
        if run.returncode not in CODES.get(words.split()[0], {0}):
            said = (errors or run.stdout.decode(errors="replace")).strip()
            self.find(f"`{words}` with a clock {clock:+} s off ends with {run.returncode}: {said}")
        elif FORBIDDEN.search(errors):
            self.find(f"`{words}` says: {errors.strip()}")
        return run

    def work(self, number, end):
        """One of the processes: a command after the other."""
        chance = random.Random(self.seed * 1000 + number)
        while time.monotonic() < end:
            feed = chance.choice(list(FEEDS))
            words = chance.choice([
                f"sync {feed} --wait 120", f"sync {feed} --wait 120", "sync --wait 120", "sync --due --wait 120",
                f"reload {feed} --wait 120", f"more {feed} --wait 120", f"more {feed} --all --wait 120", "status", "plan",
                f"show {feed} --limit 5", "changes", "events", "sql SELECT(1)", "doctor",
                f"backup copies/{number}-{time.monotonic_ns()}.db"])
            self.run(words, chance.choice(CLOCKS))

    def read(self, end):
        """A reader that keeps its snapshot for seconds: the log of the store cannot be folded back meanwhile."""
        while time.monotonic() < end:
            connection = sqlite3.connect(f"file:{self.store}?mode=ro", uri=True, isolation_level=None)
            try:
                connection.execute("BEGIN")
                first = connection.execute("SELECT count(*), max(id) FROM event").fetchone()
                time.sleep(3)
                if connection.execute("SELECT count(*), max(id) FROM event").fetchone() != first:
                    self.find("a snapshot changed")
            except sqlite3.Error as error:
                self.find(f"a reader: {error}")
            finally:
                connection.close()
            self.count("snapshots")

    def hold(self, end):
        """Another program that locks the store for a second at a time."""
        while time.monotonic() < end:
            connection = sqlite3.connect(self.store, timeout=60, isolation_level=None)
            try:
                connection.execute("BEGIN IMMEDIATE")
                time.sleep(1)
                connection.execute("ROLLBACK")
            except sqlite3.Error as error:
                self.find(f"the writer: {error}")
            finally:
                connection.close()
            self.count("locks")
            time.sleep(2)

    def query(self, sql):
        connection = sqlite3.connect(self.store)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def examine(self):
        """The store is whole, its log follows the grammar, its figures add up, and it is what the lists are."""
        if self.query("PRAGMA integrity_check") != [("ok",)] or self.query("PRAGMA foreign_key_check"):
            self.find("the store is broken")
        for feed in FEEDS:
            open_ = None
            for (status,) in self.query(f"SELECT status FROM event WHERE feed = '{feed}' ORDER BY id"):
                if status.startswith("begin"):
                    if open_:
                        self.find(f"{feed}: {status} behind {open_}")
                    open_ = status
                elif status == "noMoreData" and open_ is None:
                    pass
                else:
                    if open_ is None or status == "endHeader" and open_ != "beginHeader":
                        self.find(f"{feed}: {status} behind {open_}")
                    open_ = None
            if open_:
                self.find(f"{feed}: {open_} is not closed")
            for figure in ("inserted", "updated", "removed"):
                runs, events = (self.query(f"SELECT coalesce(sum({figure}), 0) FROM {table} WHERE feed = '{feed}'")[0][0]
                                for table in ("run", "event"))
                if runs != events:
                    self.find(f"{feed}: runs have {runs} {figure}, events {events}")
            rows, alive = self.query(f"SELECT count(*), count(*) FILTER (WHERE _removed_at IS NULL) FROM {feed}")[0]
            inserted = self.query(f"SELECT sum(inserted) FROM run WHERE feed = '{feed}'")[0][0]
            if rows != inserted:
                self.find(f"{feed}: {inserted} rows were inserted, and there are {rows}")
            if self.query(f"SELECT item_count FROM feed WHERE name = '{feed}'") != [(alive,)]:
                self.find(f"{feed}: `item_count` is not {alive}")
            if self.query(f"SELECT count(*) FROM run WHERE feed = '{feed}' AND outcome IS NULL") != [(0,)]:
                self.find(f"{feed}: a run has no end")
            mirror = set(self.query(f"SELECT id, value FROM {feed} WHERE _removed_at IS NULL"))
            listed = {(item["id"], item["value"]) for item in self.lists.lists[feed]}
            if not listed <= mirror or FEEDS[feed] == "all" and mirror != listed:
                self.find(f"{feed}: missing {sorted(listed - mirror)}, too many {sorted(mirror - listed)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("minutes", nargs="?", type=float, default=2)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--clock", required=True, help="the library of clock.c")
    parser.add_argument("--folder", required=True)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    options = parser.parse_args()
    print(f"load: seed {options.seed}", flush=True)
    bench = Bench(options.binary, options.clock, options.folder, options.seed)
    bench.run("sync")
    end = time.monotonic() + options.minutes * 60
    threads = [threading.Thread(target=bench.work, args=(number, end)) for number in range(20)]
    threads += [threading.Thread(target=bench.read, args=(end,)) for _ in range(2)]
    threads += [threading.Thread(target=bench.hold, args=(end,))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bench.lists.moves = False
    # What a crawl met that began while the lists moved may have changed since.
    for _ in range(2):
        bench.run("sync")
    bench.query("UPDATE feed SET full_at = '2020-01-01T00:00:00.000Z'")
    for _ in range(2):
        bench.run("sync")
    bench.examine()
    done = ", ".join(f"{count} {what}" for what, count in sorted(bench.counts.items()))
    print(f"load: {done}, {bench.lists.requests} requests; {len(bench.finds)} finds")
    sys.exit(len(bench.finds) > 0)


main()
