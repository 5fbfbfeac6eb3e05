"""The upstream of Scripts/test-web: lists that the tests change, hold and break while a browser looks on."""

import json
import struct
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


# Two pixels by two.
PICTURE = (
    b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(b"\0" + b"\x1f\x6b\x58" * 2 + b"\0" + b"\x7f\xcb\xb4" * 2)) + chunk(b"IEND", b""))


class Upstream:
    def __init__(self):
        self.lists = {}
        self.size = 20
        self.status = {}
        self.gates = {}
        self.requests = []
        self.times = []
        self.quota = None
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                upstream.answer(self)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # A request that is cancelled on the wire is no error of ours.
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def hold(self, path):
        """Requests of a path wait until what is returned is set."""
        gate = threading.Event()
        self.gates[path] = gate
        return gate

    def answer(self, request):
        parts = urlsplit(request.path)
        query = parse_qs(parts.query)
        page = int(query.get("page", ["1"])[0])
        self.requests.append(request.path)
        self.times.append(time.monotonic())
        gate = self.gates.get(parts.path)
        if gate:
            gate.wait(20)
        if parts.path.startswith("/pictures/"):
            return self.send_bytes(request, PICTURE)
        status = self.status.get(parts.path, 200)
        if status != 200 or parts.path not in self.lists:
            return self.send(request, status if status != 200 else 404, {"message": "no"})
        words = query.get("q", [""])[0].lower().split()
        items = [one for one in self.lists[parts.path] if all(word in one["name"].lower() for word in words)]
        start = (page - 1) * self.size
        self.send(request, 200, {"total": len(items), "items": items[start : start + self.size]})

    @staticmethod
    def send_bytes(request, body):
        request.send_response(200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def send(self, request, status, value):
        body = json.dumps(value).encode()
        request.send_response(status)
        request.send_header("Content-Type", "application/json")
        if self.quota is not None:
            request.send_header("X-RateLimit-Remaining", str(self.quota))
            request.send_header("X-RateLimit-Reset", str(int(time.time()) + 3600))
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)


def things(numbers, **others):
    """Made-up items, with all that a row shows."""
    words = ["river", "lantern", "meadow", "harbour", "orchard", "comet", "willow", "granite"]
    return [
        {
            "id": number,
            "name": f"{words[number % 8].capitalize()} {number}",
            "description": f"What is known of number {number}: a {words[(number + 3) % 8]} beside a {words[(number * 5) % 8]}.",
            "html_url": f"https://things.example/{number}",
            "stars": number * 137 % 5000,
            "kind": "even" if number % 2 == 0 else "odd",
            **others,
        }
        for number in numbers
    ]
