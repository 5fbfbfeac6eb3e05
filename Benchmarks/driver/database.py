"""A PostgreSQL of the benchmark's own, with a database for each run."""

import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

from places import ROOT, WORK, BenchmarkError

USER = "feedsync"
_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f", "v": "\v"}


class PostgreSQL:
    """A running server. Use it in a `with` statement. It waits for the disk at each commit, as servers do."""

    def __init__(self):
        # Its socket's path has at most 107 bytes.
        self.folder = Path(f"/tmp/feedsync-bench-postgresql-{os.getpid()}")
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            self.port = listener.getsockname()[1]

    def __enter__(self) -> "PostgreSQL":
        shutil.rmtree(self.folder, ignore_errors=True)
        words = ["-c", "fsync=on", "-c", "listen_addresses=127.0.0.1", "-c", f"port={self.port}", "-c", "shared_buffers=128MB", "-c", "max_connections=200"]
        self._process = subprocess.Popen(
            [str(ROOT / "Tests/PostgreSQLServer/server"), str(self.folder), *words],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, "PGPORT": str(self.port)})
        if self._process.stdout.readline().strip() != "ready":
            raise BenchmarkError("PostgreSQL does not start; Scripts/setup --postgres installs it")
        return self

    def __exit__(self, *_) -> None:
        self._process.stdin.close()
        self._process.wait()

    def uri(self, database: str) -> str:
        # dlt wants a password; the server asks nobody for one.
        return f"postgresql://{USER}:none@127.0.0.1:{self.port}/{database}"

    def create(self, database: str, template: str = "template0") -> None:
        """An empty database, or a copy of another one, in the place of whichever was there."""
        self.run("postgres", f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')
        # A connection of a process that has just ended may still be there.
        for _ in range(100):
            try:
                return self.run("postgres", f'CREATE DATABASE "{database}" TEMPLATE "{template}"')
            except BenchmarkError:
                time.sleep(0.05)
        self.run("postgres", f'CREATE DATABASE "{database}" TEMPLATE "{template}"')

    def run(self, database: str, sql: str) -> str:
        ended = subprocess.run(
            ["psql", "--quiet", "--no-psqlrc", "--no-align", "--tuples-only", "--set", "ON_ERROR_STOP=1", self.uri(database), "--command", sql],
            capture_output=True, text=True)
        if ended.returncode:
            raise BenchmarkError(f"PostgreSQL: {ended.stderr.strip()}")
        return ended.stdout

    def rows(self, database: str, query: str):
        """The rows of a query, as text or None."""
        for line in self.run(database, f"COPY ({query}) TO STDOUT").splitlines():
            yield [None if field == "\\N" else _unescaped(field) for field in line.split("\t")]


def name(folder: Path) -> str:
    """A database's name for a run in a folder."""
    return re.sub(r"[^a-z0-9]+", "_", folder.name.lower())


def _unescaped(field: str) -> str:
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match.group(1), match.group(1)), field) if "\\" in field else field
