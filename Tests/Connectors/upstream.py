"""An upstream made from a manifest: a proxy that answers each stream's requests with made-up rows, by its paginator.

It knows nothing of feedsync's translation: it goes by the manifest that Airbyte's own reader has resolved.
"""

import datetime
import http.server
import json
import re
import threading
import urllib.parse

from airbyte_cdk.sources.declarative.datetime.datetime_parser import DatetimeParser
from airbyte_cdk.sources.declarative.interpolation.jinja import JinjaInterpolation

PLACE = "\u00a7"  # stands for a part of a URL that differs from list to list
MOST_ROWS = 450
LONG_AGO = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0) - datetime.timedelta(days=25)


class Anything(dict):
    """Partition values that are not known yet."""

    def __missing__(self, name):
        return Anything() if name in ("parent_slice", "extra_fields") else PLACE

    def get(self, name, default=None):
        return self[name]


class Stream:
    """One stream, or the parent of one, as its upstream knows it."""

    def __init__(self, definition, config, schema):
        self.definition = definition.get("full_refresh_stream", definition)
        self.config, self.schema = config, schema
        self.retriever = self.definition["retriever"]
        self.requester = self.retriever["requester"]
        self.parameters = self.definition.get("$parameters", {})
        self.name = self.value(self.definition.get("name") or self.parameters.get("name"))
        base = self.text(self.requester.get("url_base") or self.requester.get("url"))
        path = self.text(self.requester.get("path") or "")
        url = base.rstrip("/") + "/" + path.lstrip("/") if path else base
        url, _, query = url.partition("?")
        self.pattern = re.compile(re.escape(url.rstrip("/")).replace(PLACE, "([^/?]*)") + "/?$")
        self.method = self.requester.get("http_method", "GET").upper()
        self.paginator = self.retriever.get("paginator") or {}
        self.strategy = self.paginator.get("pagination_strategy") or {}
        if self.paginator.get("type") == "NoPagination":
            self.strategy = {}
        self.cursor = self.definition.get("incremental_sync") or {}
        extractor = self.retriever["record_selector"]["extractor"]
        self.items = [self.value(name) for name in extractor.get("field_path") or []]
        keys = self.definition.get("primary_key") or []
        self.keys = [name for key in ([keys] if isinstance(keys, str) else keys) for name in ([key] if isinstance(key, str) else key)]
        self.size = self.number(self.strategy.get("page_size"))
        self.partition_options = []  # the parameters that say which list
        self.inlined = {}  # the streams whose first page a member of its rows holds
        self.parents = {}  # the members of its rows that other lists go by

    def value(self, text, **names):
        if not isinstance(text, str) or "{" not in text:
            return text
        parameters = self.requester.get("$parameters") or self.parameters
        return JinjaInterpolation().eval(text, self.config, parameters={**self.parameters, **parameters}, **names)

    def text(self, text):
        anything = Anything()
        return str(self.value(text, stream_slice=anything) or "")

    def number(self, value):
        value = self.value(value)
        return int(value) if value not in (None, "") else None

    @property
    def place(self):
        """The name of the parameter with the page's place, and where it is sent."""
        option = self.paginator.get("page_token_option") or {}
        if option.get("type") == "RequestPath":
            return "url", None
        names = option.get("field_path") or [option.get("field_name")]
        return option.get("inject_into"), self.value(names[-1])

    def rows(self, partition):
        """The rows of a list, the same each time."""
        count = 2 * (self.size or 20) + 3
        if not self.strategy:
            count = 7
        if count > MOST_ROWS:
            count = 7
        # The lists of a few rows are long, those of the others short.
        if partition and sum(map(ord, "".join(partition))) % 10 > 2:
            count = 2
        # Each row of a parent is a list more.
        if self.parents and self.strategy:
            count = (self.size or 20) + 3 if (self.size or 20) <= 50 else 5
        return [self.row(partition, number) for number in range(count)]

    def row(self, partition, number):
        seed = "-".join(["", *partition]) if partition else ""
        row = {}
        properties = self.schema.get("properties") or {}
        for name, property in properties.items():
            row[name] = self.made(property if isinstance(property, dict) else {}, f"{name}{seed}-{number}", number)
        unique = sum(ord(letter) * (place + 7) for place, letter in enumerate(seed)) * 1000 + number + 1
        for name in [*self.keys[:1], *self.parents] or ["id"]:
            types = (properties.get(name) or {}).get("type") or "string"
            row[name] = unique if "integer" in types or "number" in types else f"{name}{seed}-{number}"
        # No API has rows without a part of their key.
        for name in self.keys[1:]:
            if row.get(name) is None:
                row[name] = f"{name}{seed}-{number}"
        for name, other in self.inlined.items():
            rows = other.rows([str(row[next(iter(self.parents))])])
            row[name] = other.token_page(rows, other.size, "", {}, *other.place)[0]
        if self.time_field:
            row[self.time_field] = self.time(number)
        return row

    @property
    def time_field(self):
        """The member that says when a row changed, unless the connector adds it."""
        field = self.value(self.cursor.get("cursor_field"))
        added = [name for transformation in self.definition.get("transformations") or [] for each in transformation.get("fields") or [] for name in each.get("path") or []]
        return None if field in added else field

    def made(self, property, text, number):
        types = property.get("type") or "string"
        types = [types] if isinstance(types, str) else types
        if "null" in types and number % 5 == 4:
            return None
        known = [each for each in types if each != "null"] or ["string"]
        if known[0] == "integer":
            return number * 3
        if known[0] == "number":
            return number + 0.5 if number % 2 else number
        if known[0] == "boolean":
            return number % 2 == 0
        if known[0] == "object":
            return {name: self.made(inner if isinstance(inner, dict) else {}, f"{name}-{number}", number) for name, inner in list((property.get("properties") or {}).items())[:3]}
        if known[0] == "array":
            return [f"{text}-{each}" for each in range(number % 3)]
        if property.get("format") == "date-time":
            return f"2025-10-{number % 28 + 1:02}T05:06:07Z"
        if property.get("format") == "date":
            return f"2025-10-{number % 28 + 1:02}"
        return text

    def time(self, number):
        formats = self.cursor.get("cursor_datetime_formats") or [self.cursor.get("datetime_format")]
        moment = LONG_AGO + datetime.timedelta(hours=number)
        text = DatetimeParser().format(moment, formats[0])
        return int(text) if formats[0] in ("%s", "%ms") else text

    def within(self, rows, sent):
        """The rows of the time that a request asks for."""
        field = self.time_field
        if not field:
            return rows
        formats = [*(self.cursor.get("cursor_datetime_formats") or []), self.cursor.get("datetime_format")]

        def moment(value):
            for form in formats:
                try:
                    return DatetimeParser().parse(value, form)
                except (ValueError, TypeError):
                    continue
            return datetime.datetime.fromisoformat(str(value).replace("Z", "+00:00"))

        for option, keeps in (("start_time_option", lambda at, edge: at >= edge), ("end_time_option", lambda at, edge: at <= edge)):
            name = self.value((self.cursor.get(option) or {}).get("field_name"))
            if name and sent.get(name):
                edge = moment(sent[name])
                # A format without a time of day means the whole day.
                if "end" in option and edge.time() == datetime.time(0):
                    edge += datetime.timedelta(days=1)
                rows = [row for row in rows if keeps(moment(row[field]), edge)]
        return rows

    def answer(self, url, query, body, partition):
        """The page that a request asks for, with its headers."""
        sent = {**query, **{name: value for name, value in body.items()}}
        rows = self.within(self.rows(partition), sent)
        kind = self.strategy.get("type")
        where, name = self.place
        if not kind or where is None or self.strategy.get("stop_condition") in (True, "{{ True }}"):
            return self.body(rows, {}), {}
        option = self.paginator.get("page_size_option") or {}
        size = sent.get(self.value(option.get("field_name"))) if option else None
        size = int(size) if str(size or "").isdigit() else (self.size or 20)
        value = sent.get(name)
        if kind == "PageIncrement":
            first = self.number(self.strategy.get("start_from_page")) or 0
            start = (int(value) - first) * size if value not in (None, "") else 0
            return self.body(rows[start:start + size], {}), {}
        if kind == "OffsetIncrement":
            start = int(value or 0)
            return self.body(rows[start:start + size], {}), {}
        return self.token_page(rows, size, url, sent, where, name)

    def token_page(self, rows, size, url, sent, where, name):
        expression, stop = self.strategy["cursor_value"], str(self.strategy.get("stop_condition") or "")
        path = re.findall(r"""(?:\.get\(\s*|\[|\.)\s*["']?([A-Za-z_@$][\w@$.-]*?)["']?\s*(?=\)|\]|,|\.|\s|$|\[)""", re.sub(r"\bif\b.*", "", expression.replace(".get(", " .get(")))
        path = [part for part in path if part not in ("get", "response", "headers", "last_record")]
        value = sent.get("next_cursor" if where == "url" else name)
        last = re.search(r"\[-1\]|last_record", expression) is not None
        field = path[-1] if path else None
        if last and (not rows or field not in rows[0]):
            # Its items have no such member: there is only one page.
            return self.body(rows, {}), {}
        if last:
            start = next((place + 1 for place, row in enumerate(rows) if str(row[field]) == str(value)), 0)
        else:
            start = int(str(value)[1:]) if value else 0
        page, has_more = rows[start:start + size], start + size < len(rows)
        token = f"c{start + size}"
        if where == "url":
            pairs = {**{key: each for key, each in sent.items() if isinstance(each, str)}, "next_cursor": token}
            token = url + "?" + urllib.parse.urlencode(pairs)
        extra, headers = {}, {}
        flag = re.search(r"""not\s+response(?:\.get\(["'](\w+)["']|\.(\w+)|\[["'](\w+)["']\])\s*(?:,[^)]*\))?\s*}}""", stop)
        if flag and last:
            extra[next(filter(None, flag.groups()))] = has_more
        if "headers" in expression and "link" in expression.lower():
            if has_more:
                headers["Link"] = f'<{token}>; rel="next"'
        elif not last:
            place = extra
            for part in path[:-1]:
                place = place.setdefault(part, {})
            if has_more:
                place[path[-1]] = token
            elif re.search(r"==\s*None", stop):
                place[path[-1]] = None
            elif re.search(r"==\s*''", stop) and "not in" not in stop:
                place[path[-1]] = ""
        return self.body(page, extra), headers

    def body(self, rows, extra):
        names = self.items
        if "*" in names:
            # Every element of a list, or what is in it.
            names, within = names[:names.index("*")], names[names.index("*") + 1:]
            for name in reversed(within):
                rows = [{name: row} for row in rows]
        if not names:
            return rows
        whole = dict(extra)
        place = whole
        for name in names[:-1]:
            place = place.setdefault(name, {})
        place[names[-1]] = rows
        return whole


class Upstream:
    """The server of all streams, as a proxy of their hosts."""

    def __init__(self, streams):
        self.streams, self.requests, self.unknown = streams, [], []
        upstream = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                length = int(self.headers.get("Content-Length") or 0)
                raw = self.rfile.read(length)
                status, body, headers = upstream.answer(self.command, self.path, raw, self.headers)
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            do_POST = do_GET

            def log_message(self, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def proxy(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def answer(self, method, target, raw, headers):
        url, _, query = target.partition("?")
        pairs = urllib.parse.parse_qsl(query, keep_blank_values=True)
        body = json.loads(raw) if raw[:1] == b"{" else {}
        sent, best = {**dict(pairs), **body}, None
        for stream in self.streams:
            match = stream.pattern.match(urllib.parse.unquote(url).rstrip("/"))
            if not match or stream.method != method or not all(name in sent for name in stream.partition_options):
                continue
            # The most exact one.
            rank = (len(stream.partition_options), -len(match.groups()))
            if best is None or rank > best[2]:
                best = (stream, match, rank)
        if best is None:
            self.unknown.append(target)
            self.requests.append((None, target, None))
            return 404, {"error": "no stream has this address"}, {}
        stream, match, _ = best
        partition = [*match.groups(), *(str(sent[name]) for name in stream.partition_options)]
        self.requests.append((stream.name, (url, *partition), headers.get("Authorization")))
        page, more = stream.answer(url, dict(pairs), body, partition)
        return 200, page, more
