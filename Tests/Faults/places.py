"""Folders in which feedsync is run by Scripts/faults: what it is asked to do, what it left, what that must be."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import time

import upstream

SINCE = "{mode: since, param: since, from: updated_at, overlap: 1d}"


class Scenario:
    """A command to be disturbed, with what was done before it; the list moves in between.

    What follows a disturbed run is the same command, or `following`. A server is asked for pages until it has synced, and
    is then stopped."""

    def __init__(self, name, command, mode="all", earlier=(), following=None):
        self.name, self.command, self.mode, self.earlier = name, command, mode, earlier
        self.following = following or command
        self.is_server = command.startswith("serve")


SCENARIOS = [
    Scenario("first reload", "reload things"),
    Scenario("first sync", "sync things"),
    Scenario("reload", "reload things", earlier=["more things --all"]),
    Scenario("more", "more things --all", earlier=["reload things"]),
    Scenario("sync new", "sync things", "new", ["sync things"]),
    Scenario("sync since", "sync things", "since", ["sync things"]),
    Scenario("sync all", "sync things", "all", ["sync things"]),
    Scenario("backup", "backup copy.db", earlier=["sync things"]),
    Scenario("serve", "serve --sync --listen unix:socket", earlier=["reload things"], following="sync things"),
]


class Run:
    """How a run of feedsync ended; `code` is None if it had to be killed."""

    def __init__(self, code, output, errors):
        self.code, self.output, self.errors = code, output, errors


class Bench:
    """A folder for one worker: its upstream, its copies of each scenario's start, and where runs take place."""

    def __init__(self, binary, shim, folder, patience):
        self.binary, self.shim, self.patience = binary, shim, patience
        self.folder = pathlib.Path(folder)
        self.upstream = upstream.Upstream()
        self.place = self.folder / "place"
        self.log = self.folder / "log"
        self.starts, self.ends = {}, {}

    def run(self, words, faults=None):
        environment = {"HOME": str(self.place), "PATH": "/usr/bin:/bin", "NO_COLOR": "1"}
        if faults is not None:
            self.log.unlink(missing_ok=True)
            environment |= faults | {"LD_PRELOAD": self.shim, "FAULTS_LOG": str(self.log)}
        process = subprocess.Popen(
            [self.binary, *words.split()], cwd=self.place, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if words.startswith("serve"):
            self.visit(process)
            process.terminate()
        try:
            output, errors = process.communicate(timeout=self.patience)
            code = process.returncode
        except subprocess.TimeoutExpired:
            process.kill()
            output, errors = process.communicate()
            code = None
        return Run(code, output.decode(errors="replace"), errors.decode(errors="replace"))

    def visit(self, process):
        """Asks a server for pages, whatever becomes of the answers, until it has synced or ended, for a few seconds."""
        end = time.monotonic() + 3
        while time.monotonic() < end and process.poll() is None:
            for path in ("/", "/list/things", "/feeds/things/items", "/metrics"):
                self.ask(path)
            if self.has_synced():
                break
            time.sleep(0.05)

    def ask(self, path):
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(0.5)
            try:
                # From its folder: the path of a socket is at most 107 bytes long.
                with contextlib.chdir(self.place):
                    client.connect("socket")
                client.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
                while client.recv(65536):
                    pass
            except OSError:
                pass

    def has_synced(self):
        """Whether a sync has ended. Looks at a copy: SQLite's locks are the process's, and a copy tells as much."""
        try:
            database = sqlite3.connect(self.aside())
            try:
                return database.execute("SELECT 1 FROM run WHERE command = 'sync' AND finished_at IS NOT NULL").fetchone() is not None
            finally:
                database.close()
        except (sqlite3.Error, OSError):
            return False

    def called(self):
        """What the last run with faults noted: the calls that it made, or the one that was hit."""
        return self.log.read_text().split() if self.log.exists() else []

    def prepare(self, scenario):
        """Makes the scenario's start, and what an undisturbed run makes of it."""
        start = self.folder / scenario.name.replace(" ", "-")
        self.starts[scenario.name] = start
        self.place.mkdir()
        sync = SINCE if scenario.mode == "since" else f"{{mode: {scenario.mode}}}"
        (self.place / "feedsync.yaml").write_text(
            "defaults: {timeout: 5s, retries: 0}\n"
            "feeds:\n  things:\n"
            f"    url: {self.upstream.url}\n    items: items\n    key: id\n"
            "    columns: {id: id, name: name, value: value, updated_at: updated_at}\n"
            "    pagination: {style: page, param: page, total: total}\n"
            f"    sync: {sync}\n")
        self.upstream.items = upstream.before()
        for words in scenario.earlier:
            self.expect_success(scenario, words)
        shutil.copytree(self.place, start)
        self.begin(scenario)
        self.expect_success(scenario, scenario.following)
        self.ends[scenario.name] = contents(self.place / "feedsync.db")
        shutil.rmtree(self.place)

    def expect_success(self, scenario, words):
        run = self.run(words)
        if run.code != 0:
            raise SystemExit(f"faults: {scenario.name}: undisturbed, `feedsync {words}` ends with {run.code}: {run.errors}")

    def begin(self, scenario):
        """The folder as it is before the command, and the list as it is later than what is stored."""
        shutil.rmtree(self.place, ignore_errors=True)
        shutil.copytree(self.starts[scenario.name], self.place)
        self.upstream.items = upstream.after()

    def aside(self):
        """A copy of the store to look at: looking repairs what the next command has to repair."""
        folder = self.folder / "aside"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for suffix in ("", "-wal", "-journal"):
            path = self.place / f"feedsync.db{suffix}"
            if path.exists():
                shutil.copy(path, folder / path.name)
        return folder / "feedsync.db"


def contents(path):
    """What a store holds, without times and without the numbers of generations."""
    database = sqlite3.connect(path)
    try:
        return {
            "rows": database.execute(
                "SELECT id, name, value, updated_at, _section, _removed_at IS NULL FROM things"
                " ORDER BY _generation DESC, _position").fetchall(),
            "feed": database.execute(
                "SELECT no_more_data, next_page, item_count, complete, error FROM feed").fetchall(),
            "sections": database.execute("SELECT name, position, item_count FROM section").fetchall(),
        }
    finally:
        database.close()


FOLLOWS = {
    "": {"beginHeader", "beginFooter"},
    "beginHeader": {"endHeader"},
    "beginFooter": {"endFooter", "noMoreData"},
    "endHeader": {"beginHeader", "beginFooter", "noMoreData"},
    "endFooter": {"beginHeader", "beginFooter"},
    "noMoreData": {"beginHeader", "beginFooter"},
}


def faults_of(path, known, may_be_open):
    """What is wrong with a store as such: its file, its keys, its rows, its log."""
    if not path.exists():
        return []
    found = []
    database = sqlite3.connect(path)
    try:
        if (answer := database.execute("PRAGMA integrity_check").fetchall()) != [("ok",)]:
            found.append(f"integrity: {answer[:3]}")
        if answer := database.execute("PRAGMA foreign_key_check").fetchall():
            found.append(f"foreign keys: {answer[:3]}")
        tables = {row[0] for row in database.execute("SELECT name FROM sqlite_schema")}
        if "event" in tables:
            last = ""
            for (status,) in database.execute("SELECT status FROM event WHERE feed = 'things' ORDER BY id"):
                if status not in FOLLOWS[last]:
                    found.append(f"the log has {status} after {last or 'nothing'}")
                last = status
            if last.startswith("begin") and not may_be_open:
                found.append(f"the log ends with {last}")
        if "things" in tables:
            rows = database.execute("SELECT id, name, value, updated_at FROM things").fetchall()
            if strange := [row for row in rows if row not in known]:
                found.append(f"a row that the upstream never had: {strange[:3]}")
            places = "SELECT _generation, _position FROM things GROUP BY 1, 2 HAVING count(*) > 1"
            if twice := database.execute(places).fetchall():
                found.append(f"two rows at one place: {twice[:3]}")
    except sqlite3.Error as error:
        found.append(f"the store cannot be read: {error}")
    finally:
        database.close()
    return found
