"""Many hosts with lists that move, in one process: an address for each host, a thread for each connection."""

import json
import random
import socket
import socketserver
import threading
import time
import urllib.parse
import zlib

PORT = 8000
SIZE = 30
# So many feeds have a list for each item of another one.
TREES = 2
# How lists are cut into pages, as a configuration says it.
STYLES = {
    "total": "{style: page, total: total}",
    "page": "{style: page}",
    "offset": f"{{style: offset, limit: {SIZE}, total: total}}",
    "next": "{style: next_url, next: next}",
}
NAMES = ["plain", "it's", 'a "quote"', "back\\slash", "tab\tand\nline", "Grüße 東京 🚂", ""]


class List:
    """A list, and the keys that it had."""

    def __init__(self, chance, least=30, most=150):
        self.chance, self.least = chance, least * 2 // 3
        self.last = 0
        self.items = [self.item() for _ in range(chance.randint(least, most))][::-1]
        self.gone = set()

    def item(self):
        self.last += 1
        return {"id": self.last, "name": self.chance.choice(NAMES), "value": 0}

    def move(self):
        """An item comes at the head, changes, or goes. Often one has a member that none had before."""
        choice = self.chance.randrange(12)
        place = self.chance.randrange(len(self.items))
        if choice < 4:
            self.items.insert(0, self.item())
        elif choice < 8 and len(self.items) > self.least:
            self.gone.add(self.items.pop(place)["id"])
        else:
            member = self.chance.choice(["value", f"extra{self.chance.randrange(10)}"])
            self.items[place] = self.items[place] | {member: self.chance.randrange(1_000_000)}

    def page(self, url, style):
        """The page that a URL asks for."""
        asked = {name: int(values[0]) for name, values in urllib.parse.parse_qs(url.query).items()}
        if style == "next":
            # Newer items have greater keys.
            items = [item for item in self.items if item["id"] < asked.get("before", self.last + 1)]
            more = f"{url.path}?before={items[SIZE - 1]['id']}" if len(items) > SIZE else None
            return json.dumps({"items": items[:SIZE], "next": more}).encode()
        begin = asked.get("offset", (asked.get("page", 1) - 1) * SIZE)
        page = {"items": self.items[begin:begin + SIZE]}
        return json.dumps(page if style == "page" else page | {"total": len(self.items)}).encode()


class Tree:
    """A list for each item of another one."""

    def __init__(self, parent, chance):
        self.parent, self.chance = parent, chance
        self.lists = {}

    def list_of(self, key):
        """None where there is no such item any more."""
        if all(item["id"] != key for item in self.parent.items):
            return None
        if key not in self.lists:
            self.lists[key] = List(self.chance, 3, SIZE * 3 // 2)
        return self.lists[key]

    def move(self):
        self.list_of(self.chance.choice(self.parent.items)["id"]).move()

    def items(self):
        """All that is in its lists, by the parent's key and the item's own."""
        keys = [item["id"] for item in self.parent.items]
        return {(key, item["id"]): item for key in keys for item in self.list_of(key).items}


def is_closed(connection):
    """Whether the client has closed its end: it waits for no answer any more."""
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


class Upstream:
    def __init__(self, seed, addresses, feeds):
        """Lists for so many feeds, whose names begin with their hosts."""
        self.chance = random.Random(seed)
        self.lock = threading.Lock()
        self.hosts = addresses
        self.urls, self.lists, self.styles, self.trees = {}, {}, {}, {}
        for number in range(feeds):
            host = number % len(addresses)
            name = f"h{host:02}x{number // len(addresses):02}"
            self.urls[name] = f"http://{addresses[host]}:{PORT}/{name}"
            self.lists[name] = List(self.chance)
            self.styles[name] = self.chance.choice(list(STYLES))
        for name in list(self.lists)[:TREES]:
            tree = f"{name[:3]}t{name[4:]}"
            self.urls[tree] = f"{self.urls[name].replace(name, tree)}/{{{name}.id}}"
            self.trees[tree] = Tree(self.lists[name], self.chance)
            self.styles[tree] = self.chance.choice(list(STYLES))
        # (host, client's address, when its connection came, when the request came, when the answer went, whether it was
        # given up by then)
        self.requests = []
        self.moves = 0
        # The names that feeds have by now, by the paths of their lists; None for a feed that was removed.
        self.names = {}
        # The paths of removed feeds that were requested at rest. Before, a worker that was stopped goes on with its run.
        self.unwanted = []
        self.is_at_rest = False
        upstream = self

        class Handler(socketserver.StreamRequestHandler):
            disable_nagle_algorithm = True

            def handle(self):
                upstream.serve(self)

        class Server(socketserver.ThreadingTCPServer):
            request_queue_size = 500
            daemon_threads = True
            allow_reuse_address = True

            def handle_error(self, *words):
                pass  # Who asked was ended.

        server = Server(("0.0.0.0", PORT), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        threading.Thread(target=self.keep_moving, daemon=True).start()

    def keep_moving(self):
        lists = [*self.lists.values(), *self.trees.values()]
        while not self.is_at_rest:
            with self.lock:
                for _ in range(5):
                    self.chance.choice(lists).move()
                    self.moves += 1
            time.sleep(0.05)

    def rest(self):
        with self.lock:
            self.is_at_rest = True

    def rename(self, path, name):
        """The feed of a list has another name from now on; None if it is removed."""
        with self.lock:
            self.names[path] = name
            for table in (self.urls, self.lists, self.styles):
                value = table.pop(path)
                if name:
                    table[name] = value

    def serve(self, handler):
        """The requests of a connection."""
        came, chance = time.time(), random.Random()
        host, client = handler.connection.getsockname()[0], handler.client_address[0]
        request = None
        try:
            while line := handler.rfile.readline():
                # The answer before was waited for.
                request, known = None, b""
                while (field := handler.rfile.readline().strip()) != b"":
                    if field.lower().startswith(b"if-none-match:"):
                        known = field.split(b":", 1)[1].strip()
                begin = time.time()
                answer = self.answer(line.split()[1].decode(), known)
                time.sleep(self.delay(chance))
                request = [host, client, came, begin, time.time(), is_closed(handler.connection)]
                self.requests.append(request)
                handler.wfile.write(answer)
        except ConnectionError:
            # What has closed its end answers so to an answer: it was not waited for.
            if request:
                request[5] = True

    def delay(self, chance):
        """Some requests take longer than a claim lasts, so that one may be in the air while another worker takes over."""
        choice = 1 if self.is_at_rest else chance.random()
        return 12 if choice < 0.0002 else 2 if choice < 0.001 else chance.random() * 0.004

    def answer(self, target, known):
        url = urllib.parse.urlsplit(target)
        name, _, key = url.path[1:].partition("/")
        with self.lock:
            if self.is_at_rest and self.names.get(name, name) is None:
                self.unwanted.append(name)
            name = self.names.get(name, name)
            list_ = self.trees[name].list_of(int(key)) if key else self.lists.get(name)
            if list_ is None:
                return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
            body = list_.page(url, self.styles[name])
        tag = b'"%x-%x"' % (len(body), zlib.crc32(body))
        if known == tag:
            return b"HTTP/1.1 304 Not Modified\r\nETag: %s\r\n\r\n" % tag
        return b"HTTP/1.1 200 OK\r\nETag: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s" % (
            tag, len(body), body)
