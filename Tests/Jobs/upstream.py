"""The hosts of the jobs, as far as their lists go: upstream.py FOLDER PORT

FOLDER/HOST/PATH is what a host answers for a path, as that stands in the request. A JSON array is a list, which is answered in pages as the host would:
below /odata/ as OData does, for a POST as GraphQL does, for a stretch of time (`from`, `to`) whole, if that is at most 30 days.
Files of a host that begin with a dot say how it is: `.token` has the token that it wants, `.broken` the status and the body
of an answer to everything, `.posted` gets what is posted to another path, a line each. FOLDER/requests gets a line for each
request: host, path, status.
"""

import hashlib
import json
import os
import sys
from datetime import date
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
        if self.is_broken():
            return
        token = read(os.path.join(own, ".token")).strip()
        if token and self.headers["PRIVATE-TOKEN"] != token and self.headers["Authorization"] != f"Bearer {token}":
            return self.answer(401, json.dumps({"message": "401 Unauthorized"}))
        file = os.path.normpath(os.path.join(own, self.route.strip("/")))
        # A list may stand above others.
        file = file + ".json" if os.path.isfile(file + ".json") else file
        if not file.startswith(own + "/") or not os.path.isfile(file):
            return self.answer(404, json.dumps({"message": "Not Found"}))
        text = read(file)
        if file.endswith((".xml", ".csv")):
            return self.answer(200, text, "text/csv" if file.endswith(".csv") else "application/atom+xml; charset=utf-8")
        value = json.loads(text)
        if not isinstance(value, list):
            self.answer(200, text)
        elif "from" in self.query:
            self.window(value)
        elif self.route.startswith("/odata/"):
            self.odata(value)
        else:
            self.page(value)

    def do_POST(self):
        self.host = self.headers["Host"].split(":")[0]
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.is_broken():
            return
        if items := read(os.path.join(folder, self.host, "graphql.json")):
            return self.nodes(json.loads(items), json.loads(body)["variables"])
        # As Slack takes messages.
        try:
            accepted = isinstance(json.loads(body)["text"], str)
        except (ValueError, KeyError):
            accepted = False
        if accepted:
            with open(os.path.join(folder, self.host, ".posted"), "a", encoding="utf-8") as posted:
                posted.write(body + "\n")
        self.answer(*((200, "ok") if accepted else (400, "invalid_payload")), type="text/plain")

    def is_broken(self):
        broken = read(os.path.join(folder, self.host, ".broken"))
        if broken:
            status, body = broken.split("\n", 1)
            self.answer(int(status), body, "text/html" if body.startswith("<") else "application/json")
        return bool(broken)

    def nodes(self, items, variables):
        first = int(variables["after"] or 0)
        end = min(first + variables["first"], len(items))
        place = {"hasNextPage": end < len(items), "endCursor": str(end)}
        self.answer(200, json.dumps({"data": {"things": {"nodes": items[first:end], "pageInfo": place}}}))

    def window(self, items):
        first, last = self.query["from"], self.query["to"]
        if (date.fromisoformat(last) - date.fromisoformat(first)).days > 30:
            return self.answer(400, json.dumps({"message": "at most 30 days"}))
        name = self.route.rsplit("/", 1)[1]
        self.answer(200, json.dumps({name: [item for item in items if first <= item["at"][:10] <= last]}))

    def odata(self, items):
        first = int(self.query.get("$skiptoken", 0))
        page = {"value": items[first : first + 20]}
        if first + 20 < len(items):
            page["@odata.nextLink"] = f"{self.route.rsplit('/', 1)[1]}?$skiptoken={first + 20}"
        self.answer(200, json.dumps(page))

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
