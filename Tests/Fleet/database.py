"""A PostgreSQL on a machine: made, started, disturbed, killed, and asked by psql."""

import os
import signal
import subprocess
import time
from pathlib import Path

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))[-1]
# It refuses to run as root.
AS_POSTGRES = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
PORT = 5432
SETTINGS = {
    "max_connections": 400, "shared_buffers": "64MB", "max_wal_size": "64MB", "min_wal_size": "2MB", "wal_keep_size": "64MB",
    "log_min_messages": "warning", "logging_collector": "off", "autovacuum_naptime": "5s",
}


class Database:
    """Its data and its log of writes are each in a folder of their own, so that each can be full."""

    def __init__(self, folder, address, machine=None):
        """On the hub, if no machine is named."""
        self.folder, self.address, self.machine = Path(folder), address, machine
        self.folder.mkdir()
        self.data, self.log = self.folder / "data", self.folder / "log"
        self.cluster = self.data / "cluster"

    def mount(self, megabytes):
        """Both folders on file systems with little room."""
        for path in (self.data, self.log):
            path.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", path], check=True)

    def make(self):
        self.own(self.folder, self.data, self.log)
        self.run("initdb", "--username=feedsync", "--encoding=UTF8", "--locale=C.UTF-8", "--auth=trust", "--no-sync",
                 "--wal-segsize=1", f"--waldir={self.log}/wal", f"--pgdata={self.cluster}")
        with open(self.cluster / "pg_hba.conf", "a") as file:
            file.write("host all,replication all 10.213.0.0/16 trust\n")

    def make_standby(self, primary):
        """What follows the primary from now on."""
        self.own(self.folder, self.data)
        self.run("pg_basebackup", "--write-recovery-conf", "--checkpoint=fast", f"--pgdata={self.cluster}",
                 f"--dbname=host={primary.address} port={PORT} user=feedsync application_name=standby")

    def own(self, *folders):
        for path in folders:
            path.mkdir(exist_ok=True)
            subprocess.run(["chown", "postgres:", path], check=True)

    def run(self, program, *words, timeout=60):
        command = [*AS_POSTGRES, str(PROGRAMS / program), *map(str, words)]
        with open(self.folder / "commands.log", "a") as log:
            subprocess.run(self.machine.command(*command) if self.machine else command, stdin=subprocess.DEVNULL, stdout=log,
                           stderr=log, check=True, timeout=timeout, cwd=self.folder)

    def start(self, **settings):
        words = " ".join(f"-c {name}={value}" for name, value in (SETTINGS | settings).items())
        self.options = ["-l", self.folder / "server.log", "-t", 60, "-o", f"-k {self.folder} -h {self.address} {words}"]
        self.control("start", *self.options)

    def restart(self, mode):
        self.control("restart", "-m", mode, *self.options)

    def control(self, action, *words):
        self.run("pg_ctl", "-w", "-D", self.cluster, action, *words)

    def promote(self):
        self.control("promote")

    def processes(self):
        """The postmaster, and all that it started."""
        try:
            postmaster = int((self.cluster / "postmaster.pid").read_text().split("\n")[0])
        except (OSError, ValueError):
            return []
        words = ["ps", "--no-headers", "-o", "pid", "--ppid", str(postmaster)]
        children = subprocess.run(words, capture_output=True, text=True).stdout.split()
        return [postmaster] * Path(f"/proc/{postmaster}").exists() + [int(word) for word in children]

    def signal(self, number, processes):
        for process in processes:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def kill(self):
        """All at once: who is stopped starts nobody and answers nobody."""
        self.signal(signal.SIGSTOP, self.processes()[:1])
        self.signal(signal.SIGKILL, self.processes())

    def revive(self):
        """Starts it if it has ended, and waits until it answers.

        Returns whether it had ended.
        """
        deadline, has_ended = time.monotonic() + 60, False
        while True:
            if not self.processes():
                has_ended = True
                (self.cluster / "postmaster.pid").unlink(missing_ok=True)
                try:
                    self.control("start", *self.options)
                except subprocess.SubprocessError:
                    pass
            try:
                self.sql("SELECT 1", "postgres", timeout=5)
                return has_ended
            except (subprocess.SubprocessError, OSError):
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)

    def sql(self, text, database="feeds", timeout=120):
        """The rows of some statements."""
        words = ["psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-F", "\t", "-h", str(self.folder), "-p", str(PORT),
                 "-U", "feedsync", "-d", database, "-f", "-"]
        run = subprocess.run(words, input=text, capture_output=True, text=True, timeout=timeout)
        if run.returncode:
            raise subprocess.SubprocessError(run.stderr.strip())
        return [line.split("\t") for line in run.stdout.splitlines()]

    def value(self, text, database="feeds"):
        rows = self.sql(text, database)
        return rows[0][0] if rows else ""
