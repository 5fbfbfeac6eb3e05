"""Runs the binary against each kind of `upstream.py`, and looks at what it says, takes, and leaves."""

import argparse
import os
import re
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from upstream import Upstream

LONGEST = 30  # seconds
LARGEST = 96  # MB
CODES = {"undecodable": 65, "unfollowable": 65, "unreachable": 69, "rejected": 69, "limited": 75, "refused": 77}
ROWS = "SELECT id, name, _generation, _position, _removed_at FROM things ORDER BY id"


class Run:
    """One command, with its end and what it took."""

    def __init__(self, binary, folder, words):
        environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "SSL_CERT_FILE": str(folder.parent / "authority.pem")}
        start = time.monotonic()
        with open(folder / "out", "w+b") as out, open(folder / "err", "w+b") as err:
            process = subprocess.Popen([binary, *words.split()], cwd=folder, env=environment, stdout=out, stderr=err,
                                       stdin=subprocess.DEVNULL)
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                if pid:
                    break
                if time.monotonic() - start > LONGEST:
                    process.kill()
                    pid, status, usage = os.wait4(process.pid, 0)
                    break
                time.sleep(0.005)
            process.returncode = status
        self.seconds = time.monotonic() - start
        self.megabytes = usage.ru_maxrss / 1024
        self.code = os.waitstatus_to_exitcode(status)
        self.out = (folder / "out").read_text(errors="replace")
        self.err = (folder / "err").read_text(errors="replace")


def query(folder, sql):
    connection = sqlite3.connect(folder / "feedsync.db")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def trial(binary, folder, kind):
    """What is wrong with how a kind is met, as sentences; and the run."""
    folder.mkdir()
    (folder / "feedsync.yaml").write_text(
        f"feeds:\n  things:\n    url: https://127.0.0.1:{kind.port}/things\n    items: items\n    key: id\n"
        "    columns: {id: id, name: name}\n    pagination: {style: page, total: total}\n    sync: {mode: all}\n"
        "    timeout: 2s\n    retries: 1\n" + ("    method: POST\n    body: {q: x}\n" if "for-a-body" in kind.name else ""))
    kind.calm = True
    first = Run(binary, folder, "sync things")
    if first.code:
        return [f"the sound list: exit {first.code}, {first.err}"], first
    before = query(folder, ROWS)
    kind.calm = False
    run = Run(binary, folder, "sync things")
    wrong = []

    def expect(condition, text):
        if not condition:
            wrong.append(text)

    expect(run.code == kind.code, f"exit {run.code}, not {kind.code}")
    expect(re.search(kind.message, run.err), f"the message does not have `{kind.message}`")
    expect(run.seconds < LONGEST, f"{run.seconds:.0f} s")
    expect(run.megabytes < LARGEST, f"{run.megabytes:.0f} MB")
    expect(len(run.err) < 3000, f"a message of {len(run.err)} characters")
    expect(not re.search(r"[\x00-\x09\x0b-\x1f]", run.err), "control characters in the message")
    expect(len(before) == 15 and query(folder, ROWS) == before, "the rows are others")
    error = "SELECT coalesce(json_extract(error, '$.kind'), '') FROM"
    told = query(folder, f"{error} run ORDER BY id DESC LIMIT 1")
    expect(told == query(folder, f"{error} event ORDER BY id DESC LIMIT 1"), "run and event tell of different errors")
    expect(CODES.get(told[0][0], 0) == run.code, f"the store says `{told[0][0]}`")
    expect(run.code == 0 or run.err.startswith("feedsync: things: "), "the message does not begin with the feed")
    expect(query(folder, "PRAGMA integrity_check") == [("ok",)], "the store is broken")
    kind.calm = True
    last = Run(binary, folder, "sync things")
    expect(last.code == 0, f"when the upstream is sound again: exit {last.code}, {last.err}")
    return wrong, run


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--serve", action="store_true", help="serves all kinds until it is interrupted")
    parser.add_argument("--only", default="", help="the kinds whose name has this word")
    parser.add_argument("-v", "--verbose", action="store_true", help="shows what each run says")
    options = parser.parse_args()
    folder = Path(options.folder)
    upstream = Upstream(folder)
    kinds = [kind for kind in upstream.kinds.values() if options.only in kind.name]
    if not kinds:
        sys.exit(f"hell: no kind has {options.only} in its name")
    if options.serve:
        print(f"export SSL_CERT_FILE={folder / 'authority.pem'}")
        for kind in kinds:
            print(f"https://127.0.0.1:{kind.port}/  {kind.name}", flush=True)
        while True:
            time.sleep(3600)
    finds = 0
    slowest = largest = 0
    # Most of them wait for a time-out.
    pool = ThreadPoolExecutor(4)
    for kind, (wrong, run) in zip(kinds, pool.map(lambda k: trial(options.binary, folder / k.name, k), kinds)):
        slowest, largest = max(slowest, run.seconds), max(largest, run.megabytes)
        finds += bool(wrong)
        if wrong or options.verbose:
            print(f"{kind.name}: {run.code}, {run.seconds:.1f} s, {run.megabytes:.0f} MB, {kind.connections} connections: "
                  f"{run.err.strip() or run.out.strip()}")
        for text in wrong:
            print(f"    {text}")
    print(f"hell: {len(kinds)} kinds, {finds} not met as they should be; at most {slowest:.1f} s and {largest:.0f} MB")
    sys.exit(finds > 0)


main()
