"""The hosts of the jobs, as far as their lists go: upstream.py FOLDER PORT

FOLDER/HOST/PATH is what a host answers for a path, as that stands in the request. A JSON array is a list, which is answered in pages as the host would.
Files of a host that begin with a dot say how it is: `.token` has the token that it wants, `.broken` the status and the body
of an answer to everything. FOLDER/requests gets a line for each request: host, path, status.
"""

import hashlib
import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlencode

folder = sys.argv[1]
log = open(os.path.join(folder, "requests"), "a", buffering=1)

# Which items a parameter asks for: those whose member is later, or larger.
AFTER = {
    "updated_after": "updated_at",
    "last_activity_after": "last_activity_at",
    "modified_after": "modified",
    "id_after": "id",
}


class Host(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # header and body at once, or the second waits for an acknowledgement

    def do_GET(self):
        self.host = self.headers["Host"].split(":")[0]
        self.route, _, query = self.path.partition("?")
        self.query = dict(parse_qsl(query, keep_blank_values=True))
        own = os.path.join(folder, self.host)
        if broken := read(os.path.join(own, ".broken")):
            status, body = broken.split("\n", 1)
            return self.answer(int(status), body, "text/html" if body.startswith("<") else "application/json")
        token = read(os.path.join(own, ".token")).strip()
        if token and self.headers["PRIVATE-TOKEN"] != token and self.headers["Authorization"] != f"Bearer {token}":
            return self.answer(401, json.dumps({"message": "401 Unauthorized"}))
        file = os.path.normpath(os.path.join(own, self.route.strip("/")))
        # A list may stand above others.
        file = file + ".json" if os.path.isfile(file + ".json") else file
        if not file.startswith(own + "/") or not os.path.isfile(file):
            return self.answer(404, json.dumps({"message": "Not Found"}))
        text = read(file)
        if file.endswith(".xml"):
            return self.answer(200, text, "application/atom+xml; charset=utf-8")
        value = json.loads(text)
        if isinstance(value, list):
            return self.page(value)
        self.answer(200, text)

    def page(self, items):
        for parameter, member in AFTER.items():
            if parameter in self.query:
                limit = self.query[parameter].removesuffix("Z").split(".")[0]
                items = [item for item in items if follows(item[member], limit)]
        size = int(self.query.get("per_page", 30))
        number = int(self.query.get("page", 1))
        shown = items[(number - 1) * size : number * size]
        fields = {"X-WP-Total": str(len(items)), "X-WP-TotalPages": str(-(-len(items) // size))} if "/wp-json/" in self.path else {}
        if number * size < len(items):
            # By its key, where the host was asked to, and else by number.
            by_key = self.query.get("pagination") == "keyset" and self.query.get("order_by") == "id"
            place = {"id_after": shown[-1]["id"]} if by_key else {"page": number + 1}
            fields["Link"] = f'<{self.headers["X-Forwarded-Proto"]}://{self.host}{self.route}?{urlencode(self.query | place)}>; rel="next"'
        self.answer(200, json.dumps(shown), fields=fields)

    def answer(self, status, body, type="application/json; charset=utf-8", fields={}):
        data = body.encode()
        tag = f'W/"{hashlib.sha256(data + repr(fields).encode()).hexdigest()[:32]}"'
        if status == 200 and self.headers["If-None-Match"] == tag:
            status, data = 304, b""
        log.write(f"{self.host} {self.path} {status}\n")
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        if status in (200, 304):
            self.send_header("ETag", tag)
        if status != 304:
            self.send_header("Content-Type", type)
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_HEAD = do_GET

    def log_message(self, *arguments):
        pass


def read(file):
    try:
        with open(file, encoding="utf-8") as opened:
            return opened.read()
    except FileNotFoundError:
        return ""


def follows(value, limit):
    return value > int(limit) if isinstance(value, int) else value.removesuffix("Z").split(".")[0] > limit


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Host).serve_forever()
