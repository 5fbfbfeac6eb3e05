"""An upstream for counting: one list that can change, served in every style of pagination, with each request written down."""

import json
import threading
import zlib
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

SIZE = 10


@dataclass(frozen=True)
class Request:
    """A request as it was answered: its path and query, the status, and the bytes of the body."""

    target: str
    status: int
    bytes: int


@dataclass(frozen=True)
class Style:
    """A way to page: what a feed's definition says of it, and how its pages are answered."""

    name: str
    pagination: dict

    def answer(self, items: list[dict], query: dict[str, str]) -> tuple[list[dict], dict, str | None]:
        """The items that the query asks for, what else is in the body, and the URL in the `Link` header."""
        style = self.pagination["style"]
        if style in ("cursor", "keyset"):
            # Both tell the last item that was read; what is older comes next.
            before = int(query.get("before", "c9999999").lstrip("c"))
            rest = [item for item in items if item["id"] < before]
            page = rest[:SIZE]
            more = {"next": f"c{page[-1]['id']:07}" if len(rest) > SIZE else None} if style == "cursor" else {}
            return page, more, None
        if style == "offset":
            start = int(query.get("offset", 0))
            return items[start : start + int(query["limit"])], {}, None
        number = int(query.get("page", 1))
        page = items[(number - 1) * SIZE : number * SIZE]
        next = f"/list?page={number + 1}" if number * SIZE < len(items) else None
        if style == "next_url":
            return page, {"next": next}, None
        if style == "link":
            return page, {}, next
        return page, {"total": len(items)} if "total" in self.pagination else {}, None


STYLES = (
    Style("page, total", {"style": "page", "total": "total"}),
    Style("page", {"style": "page"}),
    Style("offset", {"style": "offset", "limit": SIZE}),
    Style("link", {"style": "link"}),
    Style("next_url", {"style": "next_url", "next": "next"}),
    Style("cursor", {"style": "cursor", "param": "before", "next": "next"}),
    Style("keyset", {"style": "keyset", "param": "before", "from": "id"}),
)


def new_item(id: int) -> dict:
    return {"id": id, "title": f"item {id:07}", "state": "open", "text": f"{id * 7919 % 10_000_000:07} " * 8}


def first_list(pages: int) -> list[dict]:
    """The newest first."""
    return [new_item(id) for id in range(pages * SIZE, 0, -1)]


class Lists:
    """A running server. Use it in a `with` statement; set `style`, `tagged` and `items`, then `take()` what was asked."""

    def __init__(self):
        self.style, self.tagged, self.items = STYLES[0], False, []
        self._requests: list[Request] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/list"

    def take(self) -> list[Request]:
        """The requests since the last call, in order."""
        with self._lock:
            taken, self._requests = self._requests, []
        return taken

    def note(self, request: Request) -> None:
        with self._lock:
            self._requests.append(request)

    def __enter__(self) -> "Lists":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(lists: Lists) -> type:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body go out together.
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_GET(self):
            items, others, next = lists.style.answer(lists.items, dict(parse_qsl(urlsplit(self.path).query)))
            body = json.dumps({"items": items, **others}).encode()
            tag = f'"{zlib.crc32(body):08x}"'
            is_same = lists.tagged and self.headers.get("If-None-Match") == tag
            sent = b"" if is_same else body
            # Before it is sent: the program may have ended when we come back.
            lists.note(Request(self.path, 304 if is_same else 200, len(sent)))
            self.send_response(304 if is_same else 200)
            if lists.tagged:
                self.send_header("ETag", tag)
            if next:
                self.send_header("Link", f'<{next}>; rel="next"')
            if not is_same:
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_):
            pass

    return Handler
