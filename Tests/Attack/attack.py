"""Attacks feedsync for a while, in turns chosen by a seed; see Scripts/attack."""

import argparse
import collections
import gzip
import http.server
import json
import os
import random
import resource
import shutil
import signal
import socketserver
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

import forged

# Done; a problem (doctor); a bad body; an unreachable upstream; the store; try later; the configuration; SIGTERM.
CODES = {0, 1, 65, 69, 73, 75, 78, 143}
ITEMS, PAGE = 2_000, 100


class Upstream(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """A list in pages at /things, and one body at /bomb."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.bomb = (b"", {})
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}"


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = urllib.parse.urlparse(self.path)
        if path.path == "/bomb":
            body, fields = self.server.bomb
        else:
            page = int(urllib.parse.parse_qs(path.query).get("page", ["1"])[0])
            time.sleep(0.02)
            numbers = range((page - 1) * PAGE, min(page * PAGE, ITEMS))
            body = json.dumps({"items": [{"id": n, "name": f"item {n}"} for n in numbers], "total": ITEMS}).encode()
            fields = {"Content-Type": "application/json"}
        self.send_response(200)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body)
        except OSError:
            pass

    def log_message(self, *_):
        pass


def feed(name, url, extra=""):
    page = "{style: page, param: page, size_param: per_page, size: 100, total: total}"
    return f"  {name}:\n    url: {url}\n    items: items\n    key: id\n    columns: {{id: id, name: name}}\n    pagination: {page}\n{extra}"


class Place:
    """A folder with a configuration, where the binary runs."""

    def __init__(self, bench, text, store=""):
        self.folder = Path(tempfile.mkdtemp(dir=bench.folder))
        self.bench = bench
        file = self.folder / "feedsync.yaml"
        file.write_text(store + "defaults: {retries: 0}\nfeeds:\n" + text)
        file.chmod(0o600)

    def start(self, *words):
        return subprocess.Popen(
            [self.bench.binary, *words], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            env={"HOME": str(self.folder), "PATH": os.environ["PATH"], "TMPDIR": str(self.folder)},
        )

    def end(self, process, limit):
        """The output and the exit code; a process that does not end is killed, and that is a fault."""
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Fault(f"{process.args[1:]} did not end within {limit} s") from None
        if process.returncode not in CODES:
            raise Fault(f"{process.args[1:]} ended with {process.returncode}: {output[-300:]}")
        return output, process.returncode

    def run(self, *words, limit=60):
        return self.end(self.start(*words), limit)

    def rows(self, sql):
        with sqlite3.connect(f"file:{self.folder}/feedsync.db?mode=ro", uri=True) as store:
            return store.execute(sql).fetchall()


class Fault(Exception):
    """What must not happen."""


# A store whose files are damaged in the middle of a run.
def damage(bench, chance):
    place = Place(bench, feed("things", f"{bench.upstream.url}/things"))
    process = place.start("sync")
    time.sleep(chance.uniform(0.1, 0.5))
    end = chance.choice(["-wal", "-wal", "-shm", ""])
    kind = chance.choice(["cut", "halved", "zeros", "noise", "one bit"])
    file = place.folder / f"feedsync.db{end}"
    hit = False
    try:
        with file.open("r+b") as handle:
            size = file.stat().st_size
            at = chance.randrange(max(size, 1))
            hit = size > 0 and process.poll() is None
            if kind == "cut":
                handle.truncate(0)
            elif kind == "halved":
                handle.truncate(size // 2)
            elif kind == "zeros":
                handle.seek(at)
                handle.write(bytes(min(size - at, 20_000)))
            elif kind == "noise":
                handle.seek(at)
                handle.write(chance.randbytes(min(size - at, 4_096)))
            elif size:
                handle.seek(at)
                byte = handle.read(1)[0]
                handle.seek(at)
                handle.write(bytes([byte ^ 1 << chance.randrange(8)]))
    except FileNotFoundError:
        pass
    output, code = place.end(process, 60)
    if code == 0:
        try:
            whole = place.rows("PRAGMA integrity_check")[0][0]
            count = place.rows("SELECT count(*), count(DISTINCT name) FROM things WHERE name = 'item ' || id")[0]
        except sqlite3.DatabaseError as error:
            raise Fault(f"exit 0, and the store is damaged ({end or '.db'}, {kind}): {error}") from None
        if whole != "ok" or count != (ITEMS, ITEMS):
            raise Fault(f"exit 0, and the store has {count}, {whole} ({end or '.db'}, {kind})")
    place.run("doctor")
    return f"damage of {end or 'the store'}: {'missed' if not hit else code}"


# Bodies that are small and costly. A good feed of another host is synced beside each.
def bombs(chance):
    count = chance.choice([2_000, 20_000, 100_000])
    xml = {"Content-Type": "application/rss+xml"}
    declared = "".join(f'a{n} CDATA ""' for n in range(count // 10))
    items = "".join(f"<item><guid>{n}</guid></item>" for n in range(count // 4))
    plain = {"Content-Type": "application/json"}
    yield "attribute defaults", f'<!DOCTYPE rss [<!ATTLIST item {declared}>]><rss version="2.0"><channel>{items}</channel></rss>', xml
    spaces = "".join(f' xmlns:n{n}="u{n}"' for n in range(count // 10))
    inner = "".join(f'<item xmlns:x="y"><guid>{n}</guid></item>' for n in range(count // 10))
    yield "namespaces", f"<rss version='2.0'{spaces}><channel>{inner}</channel></rss>", xml
    lines = "".join(f'<!ENTITY e{n + 1} "&e{n};&e{n};">' for n in range(30))
    yield "entities", f'<!DOCTYPE rss [<!ENTITY e0 "x">{lines}]><rss version="2.0"><channel><item><guid>&e30;</guid></item></channel></rss>', xml
    yield "deep XML", "<a>" * count, xml
    yield "one attribute", "<rss a='" + "b" * (count * 10) + "'>", xml
    yield "one comment", "<!--" + "-a" * (count * 5) + "--><rss version='2.0'><channel/></rss>", xml
    yield "deep JSON", '{"items":' + "[" * count + "]" * count + "}", plain
    yield "many lists", "{" + ",".join(f'"l{n}":[{{"id":{n}}},{{"id":{n + 1}}}]' for n in range(count // 10)) + "}", plain
    yield "many members", '{"items":[{' + ",".join(f'"m{n}":{n}' for n in range(count // 10)) + "}]}", plain
    yield "one member often", '{"items":[{' + ",".join('"id":1' for _ in range(count)) + "}]}", plain
    yield "a long number", '{"items":[{"id":' + "9" * (count * 10) + "}]}", plain
    yield "escapes", '{"items":[{"id":1,"name":"' + "\\u0000\\ud83d\\ude00" * count + '"}]}', plain
    yield "a grapheme", '{"items":[{"id":1,"name":"a' + "\u0301" * (count * 5) + '"}]}', plain
    csv = {"Content-Type": "text/csv"}
    yield "many columns", ",".join(f"c{n}" for n in range(count // 10)) + "\n" + ",".join("1" for _ in range(count // 10)), csv
    yield "an open quote", 'id,name\n1,"' + "a\n" * count * 5, csv
    yield "quotes", "id,name\n1," + '""' * count * 5, csv
    yield "empty lines", "\n" * count * 50, {"Content-Type": "application/x-ndjson"}
    yield "NDJSON", "".join(f'{{"id":{n}}}\n' for n in range(count)), {"Content-Type": "application/x-ndjson"}
    escaped = "\\\\" * 10
    link = ", ".join(f'<{"x" * 50}{n}>; rel="r{n}"; a="{escaped}"' for n in range(count // 100))
    yield "links", '{"items":[{"id":1}]}', {**plain, "Link": link[:60_000]}
    yield "zeros in gzip", gzip.compress(b"[" + b" " * (count * 2_000) + b"]"), {**plain, "Content-Encoding": "gzip"}
    layers = b"[]"
    for _ in range(5):
        layers = gzip.compress(layers)
    yield "layers of gzip", layers, {**plain, "Content-Encoding": "gzip, gzip, gzip, gzip, gzip"}


def bomb(bench, chance):
    name, body, fields = chance.choice(list(bombs(chance)))
    body = body if isinstance(body, bytes) else body.encode()
    if chance.random() < 0.5 and "Content-Encoding" not in fields:
        body, fields = gzip.compress(body), {**fields, "Content-Encoding": "gzip"}
    bench.upstream.bomb = (body, fields)
    text = f"  bomb:\n    url: {bench.upstream.url}/bomb\n" + feed("things", f"{bench.good.url}/things")
    place = Place(bench, text)
    stops = chance.random() < 0.3
    process = place.start("sync", "--max-time", "10s")
    if stops:
        time.sleep(chance.uniform(0.1, 1))
        process.send_signal(signal.SIGTERM)
    place.end(process, 30)
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    if before > 1_000_000:
        raise Fault(f"{name}: {before / 1_000:.0f} MB")
    if not stops and place.rows("SELECT count(*) FROM things") != [(ITEMS,)]:
        raise Fault(f"{name}: the other feed was not synced")
    return f"bomb: {name}"


# A server that is asked what is costly, forged and impolite.
class Served:
    """`serve` over a store with long texts, until it is left."""

    def __init__(self, bench, chance):
        self.place = Place(bench, feed("things", f"{bench.upstream.url}/things"))
        self.place.run("sync")
        with sqlite3.connect(self.place.folder / "feedsync.db") as store:
            long = "a" * 2_000_000
            store.executemany("UPDATE things SET name = ? WHERE id = ?", [(long + str(n), n) for n in range(20)])
            # The rows come as they are from now on.
            self.before = store.execute("SELECT count(*), sum(length(name)) FROM things").fetchone()
        self.process = self.place.start("serve", "--listen", "127.0.0.1:0")
        line = self.process.stdout.readline()
        self.host = line.split("http://")[1].split("/")[0]
        name, port = self.host.split(":")
        self.address = (name, int(port))

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        self.process.terminate()
        try:
            self.process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            if kind is None:
                raise Fault("serve did not end within 20 s") from None

    def check(self, what):
        start = time.monotonic()
        with urllib.request.urlopen(f"http://{self.host}/health", timeout=30) as answer:
            answer.read()
        if time.monotonic() - start > 5:
            raise Fault(f"/health waited for {time.monotonic() - start:.1f} s after {what}")
        if self.process.poll() is not None:
            raise Fault(f"serve ended with {self.process.returncode} after {what}")


def requests(bench, chance):
    with Served(bench, chance) as served:
        secret = bench.folder / "secret"
        secret.write_text("s3cr3t-of-the-owner")
        table = list(forged.requests(served.host, secret))
        for name, message, right in chance.sample(table, 60):
            statuses, answer = forged.send(served.address, message)
            if len(statuses) > 1 or statuses[0] not in right:
                raise Fault(f"{name}: {statuses}")
            if b"s3cr3t" in answer or b"root:" in answer:
                raise Fault(f"{name}: the answer has a secret")
            served.check(name)
        if served.place.rows("SELECT count(*), sum(length(name)) FROM things") != [served.before]:
            raise Fault("the store has changed")
    return "forged requests"


def queries(bench, chance):
    word = chance.choice(["a" * 900 + "b", "%" * 200, "_" * 200, "a%" * 200, "\u0301" * 300, '"' * 301, "x"])
    path = chance.choice(["/feeds/things/items?q={}", "/list/things?q={}", "/search?q={}", "/feeds/things/items?sort=name&q={}", "/table/things?q={}"])
    target = path.format(urllib.parse.quote(word))
    with Served(bench, chance) as served:
        message = forged.head("GET", target, f"Host: {served.host}", "Connection: close")
        clients = [threading.Thread(target=forged.send, args=(served.address, message, chance.choice([0.2, 10]))) for _ in range(5)]
        for client in clients:
            client.start()
        time.sleep(0.3)
        served.check(target)
        for client in clients:
            client.join()
        served.check(target)
    return "queries"


# PostgreSQL that stops to answer, or loses its connections, while a sync runs.
def silent(bench, chance):
    uri = bench.database()
    place = Place(bench, feed("things", f"{bench.upstream.url}/things"), f"store: {uri}\n")
    process = place.start("sync")
    time.sleep(chance.uniform(0.1, 0.8))
    backends = bench.query("SELECT pid FROM pg_stat_activity WHERE application_name = 'feedsync'").split()
    kind = chance.choice(["paused", "ended"])
    if kind == "ended":
        bench.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'feedsync'")
    else:
        for backend in backends:
            os.kill(int(backend), signal.SIGSTOP)
        time.sleep(0.5)
        process.terminate()
    try:
        place.end(process, 40)
    finally:
        for backend in backends:
            try:
                os.kill(int(backend), signal.SIGCONT)
            except ProcessLookupError:
                pass
    output, code = place.run("sync", "--wait", "30s")
    count = bench.query("SELECT count(*) FROM things WHERE _removed_at IS NULL", uri)
    if code != 0 or count != str(ITEMS):
        raise Fault(f"PostgreSQL {kind}: then {code}, {count} rows: {output[-300:]}")
    return f"PostgreSQL {kind}"


# Another user of this machine.
def stranger(bench, chance):
    place = Place(bench, feed("things", f"{bench.upstream.url}/things"))
    place.run("sync")
    place.folder.chmod(0o755)
    bench.folder.chmod(0o755)
    files = [*place.folder.glob("feedsync.db*"), place.folder / "feedsync.yaml"]
    for file in files:
        for flag in ["-r", "-w"]:
            result = subprocess.run(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "test", flag, file], check=False)
            if result.returncode == 0:
                raise Fault(f"another user may use {file.name} ({flag})")
    return "another user"


class Bench:
    """What all attacks share."""

    def __init__(self, binary, folder):
        self.binary, self.folder = str(Path(binary).resolve()), Path(folder)
        self.upstream, self.good = Upstream(), Upstream()
        self.server = None

    def query(self, sql, uri=None):
        words = ["psql", "-qAtX", uri or self.server, "-c", sql]
        return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()

    def database(self):
        """A new, empty database of a server that is started once."""
        if not self.server:
            tools = sorted(Path("/usr/lib/postgresql").glob("*/bin"))[-1]
            data = self.folder / "pg"
            user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.getuid() == 0 else []
            self.folder.chmod(0o755)
            data.mkdir()
            if user:
                shutil.chown(data, "postgres")
            options = f"-c listen_addresses= -c unix_socket_directories={data} -c fsync=off"
            subprocess.run([*user, tools / "initdb", "-D", data / "data", "-U", "feedsync", "-A", "trust"], check=True, capture_output=True)
            subprocess.run([*user, tools / "pg_ctl", "-D", data / "data", "-o", options, "-w", "-l", data / "log", "start"], check=True, capture_output=True)
            self.stop = [*user, tools / "pg_ctl", "-D", data / "data", "-m", "immediate", "stop"]
            self.server = f"postgres://feedsync@/postgres?host={data}"
        name = f"d{time.monotonic_ns()}"
        self.query(f"CREATE DATABASE {name}")
        return self.server.replace("/postgres?", f"/{name}?")

    def end(self):
        if self.server:
            subprocess.run(self.stop, check=False, capture_output=True)


def main():
    attacks = {"damage": damage, "bomb": bomb, "requests": requests, "queries": queries, "silent": silent, "stranger": stranger}
    parser = argparse.ArgumentParser(prog="Scripts/attack")
    parser.add_argument("--binary", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--seconds", type=float, default=3_600)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("kinds", nargs="*", choices=[*attacks, []])
    options = parser.parse_args()
    print(f"attack: seed {options.seed}", flush=True)
    bench = Bench(options.binary, options.folder)
    kinds = options.kinds or list(attacks)
    if os.getuid() != 0 and "stranger" in kinds:
        kinds.remove("stranger")
    done, faults = collections.Counter(), 0
    start, number = time.monotonic(), 0
    try:
        while number < len(kinds) or time.monotonic() - start < options.seconds:
            kind = kinds[number % len(kinds)]
            chance = random.Random(f"{options.seed} {number}")
            try:
                done[attacks[kind](bench, chance)] += 1
            except Fault as fault:
                faults += 1
                print(f"attack: number {number}, {kind}: {fault}", flush=True)
            number += 1
    finally:
        bench.end()
    for what, count in sorted(done.items()):
        print(f"{count:6} {what}")
    print(f"attack: {number} attacks in {time.monotonic() - start:.0f} s, {faults} faults")
    sys.exit(1 if faults else 0)


main()
