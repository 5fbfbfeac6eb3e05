"""`feedsync serve` beside Datasette on the same store, and what 500 listeners cost. Run by Scripts/bench serve."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".build-bench" / "serve"
FEEDSYNC = os.environ.get("FEEDSYNC", str(ROOT / ".build-release/release/feedsync"))
DATASETTE = os.environ.get("DATASETTE", "datasette")
ROWS, PAGE = 100_000, 1_000
WORDS = ["river", "lantern", "meadow", "harbour", "orchard", "comet", "willow", "granite", "ember", "thicket"]


def item(number):
    return {
        "id": number,
        "name": f"{WORDS[number % 10]} {WORDS[number // 10 % 10]} {number}",
        "description": f"number {number} of many, beside a {WORDS[number * 7 % 10]} " + "and some more text " * 5,
        "html_url": f"https://things.example/{number}",
        "stars": number * 137 % 50_000,
        "kind": f"k{number % 10}",
    }


class Upstream(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    head = 0

    def log_message(self, *_):
        pass

    def do_GET(self):
        page = int(re.search(r"page=(\d+)", self.path).group(1))
        numbers = range(1 - Upstream.head + (page - 1) * PAGE, min(page * PAGE - Upstream.head, ROWS) + 1)
        body = json.dumps({"items": [item(number + 1_000_000) for number in numbers]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def load(url, targets, seconds):
    """Requests a second and the slowest of a hundred, at 8 clients."""
    script = WORK / "targets.lua"
    script.write_text(
        "local paths = {" + ",".join(json.dumps(one) for one in targets) + "}\nlocal n = 0\n"
        "local words = {" + ",".join(json.dumps(one) for one in WORDS) + "}\n"
        # A number that no request before had; a place; the name of an item, which is one row's.
        "request = function() n = n + 1; local place = n * 97 % 99000; local id = n % 100000; "
        "local name = words[id % 10 + 1] .. '+' .. words[math.floor(id / 10) % 10 + 1] .. '+' .. id + 1000000; "
        "local path = paths[n % #paths + 1]:gsub('{n}', n):gsub('{place}', place):gsub('{next}', 1000000 + place)"
        ":gsub('{name}', name); return wrk.format('GET', path) end\n")
    out = subprocess.run(
        ["wrk", "-t1", "-c8", f"-d{seconds}s", "--timeout", "30s", "--latency", "-s", str(script), url],
        capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in out:
        sys.exit(f"not all were answered: {url}{targets[0]}\n{out}")
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", out).group(1))
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", out).groups()
    return rate, float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def memory(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text()).group(1)) / 1024


def cpu(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait(url):
    for _ in range(500):
        try:
            return urllib.request.urlopen(url, timeout=5).read()
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{url} does not answer")


def main():
    seconds = 2 if "--quick" in sys.argv else 6
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    upstream = ThreadingHTTPServer(("127.0.0.1", 0), Upstream)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    (WORK / "feedsync.yaml").write_text(f"""
feeds:
  things:
    url: http://127.0.0.1:{upstream.server_port}/things
    items: items
    key: id
    columns: {{id: id, name: name, description: description, html_url: html_url, stars: stars, kind: kind}}
    section: kind
    search: [name, description]
    pagination: {{style: page, param: page, first: 1}}
    every: 1d
""")
    subprocess.run([FEEDSYNC, "sync", "things", "--quiet"], cwd=WORK, check=True)
    environment = {"HOME": str(WORK), "PATH": os.environ["PATH"]}
    server = subprocess.Popen([FEEDSYNC, "serve", "--listen", "127.0.0.1:18420", "--quiet"], cwd=WORK, env=environment)
    peer = subprocess.Popen([DATASETTE, "feedsync.db", "--port", "18421", "--setting", "max_returned_rows", "1000"],
                            cwd=WORK, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        ours, theirs = "http://127.0.0.1:18420", "http://127.0.0.1:18421"
        wait(ours + "/health")
        wait(theirs + "/feedsync/things.json?_size=1")
        links, path = ["/feeds/things/items"], "/feeds/things/items"
        while len(links) < 20:
            with urllib.request.urlopen(ours + path) as answer:
                path = re.search(r"<([^>]*)>", answer.headers["Link"]).group(1)
            links.append(path)
        next_ids = [1_000_000 + 100 * one for one in range(20)]
        cases = [
            ("a page of 100 items, 20 places in turn", links,
             [f"/feedsync/things.json?_size=100&_shape=array&_next={one}" for one in next_ids]),
            ("100 items of one of ten kinds, in turn", [f"/feeds/things/items?section=k{one}" for one in range(10)],
             [f"/feedsync/things.json?_size=100&_shape=array&kind=k{one}" for one in range(10)]),
            ("a full-text search, ten words in turn", [f"/feeds/things/items?q={one}" for one in WORDS],
             [f"/feedsync/things.json?_size=100&_shape=array&_search={one}" for one in WORDS]),
            # What is not kept: no request is like another.
            ("a page of 100 items, none like another", ["/feeds/things/items?after=1.{place}&n={n}"],
             ["/feedsync/things.json?_size=100&_shape=array&_next={next}&_n={n}"]),
            ("100 items of a kind, none like another",
             [f"/feeds/things/items?section=k{one}&after=1.{{place}}&n={{n}}" for one in range(10)],
             [f"/feedsync/things.json?_size=100&_shape=array&kind=k{one}&_next={{next}}&_n={{n}}" for one in range(10)]),
            ("a full-text search for common words, none like another",
             [f"/feeds/things/items?q={one}&n={{n}}" for one in WORDS],
             [f"/feedsync/things.json?_size=100&_shape=array&_search={one}&_n={{n}}" for one in WORDS]),
            ("a full-text search for one item, none like another", ["/feeds/things/items?q={name}"],
             ["/feedsync/things.json?_size=100&_shape=array&_search={name}"]),
            # What the page asks for as somebody types: rows, with the words marked.
            ("the rows that a page shows of common words, none like another",
             [f"/list/things/rows?q={one}&n={{n}}" for one in WORDS], None),
        ]
        print("| request | serve: a second | p99 | Datasette: a second | p99 | times |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for name, own, other in cases:
            rate, late = load(ours, own, seconds)
            if other is None:
                print(f"| {name} | {rate:,.0f} | {late:.1f} ms | | | |", flush=True)
                continue
            peer_rate, peer_late = load(theirs, other, seconds)
            print(f"| {name} | {rate:,.0f} | {late:.1f} ms | {peer_rate:,.1f} | {peer_late:.0f} ms | {rate / peer_rate:.0f} |",
                  flush=True)
        before = memory(server.pid)
        listeners = []
        for _ in range(500):
            connection = socket.create_connection(("127.0.0.1", 18420))
            connection.sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1:18420\r\n\r\n")
            listeners.append(connection)
        for connection in listeners:
            connection.settimeout(20)
            text = b""
            while b"retry" not in text:
                text += connection.recv(65536)
        print(f"\nmemory after that load {before:.1f} MB, with 500 listeners {memory(server.pid):.1f} MB")
        Upstream.head = 3
        # One of them does not read.
        start = time.monotonic()
        subprocess.run([FEEDSYNC, "reload", "things", "--quiet"], cwd=WORK, check=True)
        ended = time.monotonic()
        for connection in listeners[1:]:
            text = b""
            while b"endHeader" not in text:
                text += connection.recv(65536)
        told = time.monotonic()
        print(f"a reload by another process took {ended - start:.2f} s; its last event was with 499 listeners "
              f"{max(told - ended, 0) * 1000:.0f} ms later")
        time.sleep(3)
        used, start = cpu(server.pid), time.monotonic()
        time.sleep(30)
        share = (cpu(server.pid) - used) / (time.monotonic() - start) * 100
        print(f"idle with 500 listeners: {share:.3f} % CPU")
        for connection in listeners:
            connection.close()
        time.sleep(20)
        used, start = cpu(server.pid), time.monotonic()
        time.sleep(30)
        print(f"idle without: {(cpu(server.pid) - used) / (time.monotonic() - start) * 100:.3f} % CPU")
    finally:
        for process in (server, peer):
            process.terminate()
            process.wait()


main()
