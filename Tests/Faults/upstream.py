"""A list for Scripts/faults: pages of ten, a total, validators, `since`; and the list as it is some time later."""

import hashlib
import http.server
import json
import threading
import urllib.parse

SIZE = 10


def item(number, value, day):
    return {"id": number, "name": f"thing {number}", "value": value, "updated_at": f"2026-01-{day:02d}T00:00:00Z"}


def before():
    return [item(number, f"first {number}", 1) for number in range(45, 0, -1)]


def after():
    """Three are new, two changed, one is gone."""
    changed = {44, 20}
    kept = [item(number, f"second {number}", 2) if number in changed else item(number, f"first {number}", 1)
            for number in range(45, 0, -1) if number != 30]
    return [item(number, f"second {number}", 2) for number in (48, 47, 46)] + kept


class Upstream:
    """A server on a free port; `items` is what it lists."""

    def __init__(self):
        self.items = before()
        upstream = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1
            disable_nagle_algorithm = True

            def do_GET(self):
                upstream.answer(self)

            def log_message(self, *words):
                pass

            def handle(self):
                try:
                    super().handle()
                except OSError:
                    pass  # It was killed while it was answered.

            def finish(self):
                try:
                    super().finish()
                except OSError:
                    pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/things"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, request):
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(request.path).query)
        items = self.items
        if since := query.get("since"):
            items = [item for item in items if item["updated_at"][:10] >= since[0][:10]]
        start = (int(query.get("page", ["1"])[0]) - 1) * SIZE
        body = json.dumps({"total": len(items), "items": items[start:start + SIZE]}).encode()
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        is_known = request.headers.get("If-None-Match") == tag
        request.send_response(304 if is_known else 200)
        request.send_header("ETag", tag)
        if not is_known:
            request.send_header("Content-Type", "application/json")
            request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        if not is_known:
            request.wfile.write(body)
