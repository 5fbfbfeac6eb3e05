"""Forged requests to `feedsync serve`, each with the statuses that are right for it.

A request is bytes; `None` among the statuses means that the connection may be closed without an answer. Nothing of these
may change the store, read a secret, or keep the server from answering the next one.
"""

import socket

REFUSED = {400, 401, 403, 404, 405, 413, 414, 415, 421, 422, 431, 501, 505}
CLOSED = REFUSED | {None}


def head(method, path, *fields, body=b"", version="HTTP/1.1"):
    lines = [f"{method} {path} {version}", *fields, "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def requests(host, secret_file):
    """(name, bytes, right statuses) of every forged request."""
    own = f"Host: {host}"
    form = "Content-Type: application/x-www-form-urlencoded"
    commands = [
        ("POST", "/feeds/things/reload"),
        ("POST", "/feeds/things/more"),
        ("POST", "/feeds/things/sync"),
        ("POST", "/feeds/things/cancel"),
        ("POST", "/feeds/things/pause"),
        ("POST", "/feeds/things/rename"),
        ("PUT", "/feeds/things"),
        ("DELETE", "/feeds/things"),
        ("POST", "/feeds"),
        ("POST", "/add/look"),
        ("POST", "/check"),
        ("PATCH", "/feeds/things"),
    ]
    # Commands without a token, whatever else they say, and from other sites.
    pretences = {
        "alone": [],
        "own origin": [f"Origin: http://{host}"],
        "other origin": ["Origin: http://evil.example"],
        "null origin": ["Origin: null"],
        "cross site": ["Sec-Fetch-Site: cross-site"],
        "same site": ["Sec-Fetch-Site: same-site", f"Origin: http://{host}"],
        "wrong cookie": ["Cookie: feedsync=" + "0" * 64],
        "many cookies": ["Cookie: " + "; ".join(f"a{number}=b" for number in range(50))],
        "wrong bearer": ["Authorization: Bearer " + "f" * 64],
        "empty bearer": ["Authorization: Bearer "],
        "basic": ["Authorization: Basic cm9vdDpyb290"],
        "method override": ["X-HTTP-Method-Override: GET"],
        "forwarded": ["X-Forwarded-For: 127.0.0.1", "X-Forwarded-Host: " + host, "Forwarded: for=127.0.0.1"],
    }
    for method, path in commands:
        for pretence, fields in pretences.items():
            body = f"url=http%3A%2F%2F127.0.0.1%3A1%2F%24%7Bfile%3A{secret_file}%7D&name=x".encode()
            fields = [own, form, f"Content-Length: {len(body)}", "Connection: close", *fields]
            yield f"{method} {path}, {pretence}", head(method, path, *fields, body=body), REFUSED
    # Names that lead to this machine by DNS rebinding, and none.
    for name in ["evil.example", "evil.example:80", "", "127.0.0.1.evil.example", "localhost.evil.example", "0x7f.1@evil", "[::1", "a b"]:
        yield f"Host {name!r}", head("GET", "/feeds", f"Host: {name}", "Connection: close"), {400, 421}
    yield "no Host", head("GET", "/feeds", "Connection: close"), {400}
    yield "two Hosts", head("GET", "/feeds", own, "Host: evil.example", "Connection: close"), {400}
    # What a proxy in front may read otherwise than the server.
    smuggled = b"GET /feeds HTTP/1.1\r\nHost: evil\r\n\r\n"
    framings = {
        "two lengths": ["Content-Length: 5", "Content-Length: 50"],
        "a list of lengths": ["Content-Length: 5, 50"],
        "a negative length": ["Content-Length: -1"],
        "a length with a plus": ["Content-Length: +5"],
        "a hexadecimal length": ["Content-Length: 0x5"],
        "an endless length": ["Content-Length: 99999999999999999999"],
        "length and chunks": ["Content-Length: 5", "Transfer-Encoding: chunked"],
        "chunks, then length": ["Transfer-Encoding: chunked", "Content-Length: 5"],
        "chunks twice": ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"],
        "an unknown coding": ["Transfer-Encoding: xchunked"],
        "a space before the colon": ["Content-Length : 5"],
        "a folded field": ["X-A: b\r\n c"],
        "a bare line feed": ["X-A: b\nX-B: c"],
        "a bare return": ["X-A: b\rX-B: c"],
        "NUL in a value": ["X-A: b\x00c"],
        "NUL in a name": ["X\x00A: b"],
        "a name with a space": ["X A: b"],
        "an empty name": [": b"],
        "no colon": ["nonsense"],
    }
    for name, fields in framings.items():
        for method in ["GET", "POST"]:
            message = head(method, "/feeds", own, form, *fields, body=b"0\r\n\r\n" + smuggled)
            # One answer at most: a second one would be that of the smuggled request.
            yield f"{method} with {name}", message, {400, 501}
    for line in [
        "GET  /feeds HTTP/1.1", "GET /feeds", "GET /feeds HTTP/9.9", "GET /feeds HTTP/1.1 x", "get /feeds HTTP/1.1",
        "\x00GET /feeds HTTP/1.1", "GET\t/feeds\tHTTP/1.1", "GET /fe\x00eds HTTP/1.1", "TRACE / HTTP/1.1", "CONNECT x:1 HTTP/1.1",
        "PROPFIND / HTTP/1.1", "GET http://evil.example/feeds HTTP/1.1", "GET //evil.example/feeds HTTP/1.1", "G" * 9000 + " / HTTP/1.1",
    ]:
        yield f"line {line[:40]!r}", f"{line}\r\n{own}\r\nConnection: close\r\n\r\n".encode("latin-1"), REFUSED
    # Paths that might lead out of what is served.
    for path in [
        "/../../etc/passwd", "/..%2f..%2fetc%2fpasswd", "/pictures/..%2f..%2fetc%2fpasswd", "/assets/../feedsync.yaml", "/feeds/..%2f..",
        "/feeds/%00", "/feeds/%ff", "/feeds/%", "/feeds/%zz", "/picture?url=file:///etc/passwd", "/picture?url=http://127.0.0.1:1/",
        "/picture?url=http://169.254.169.254/latest/meta-data/", "/feeds/things/items?q='%20OR%201=1--", "/feeds/things/items?sort=id;DROP",
        "/feeds/things/items?limit=99999999999999999999", "/feeds/things/items?limit=-1", "/feeds/things/items?after=%00",
        "/feeds/things/items?columns=_raw,sqlite_master", "/feeds/things/items?" + "a=b&" * 3000, "/" + "a" * 7000,
        "/feeds/" + "x" * 3000 + "/items", "/events?last=99999999999999999999", "/list/things?q=" + "%25" * 400,
    ]:
        yield f"path {path[:50]!r}", head("GET", path, own, "Connection: close"), CLOSED | {200, 304, 302, 303, 502}
    for size in [4_000, 8_000, 16_000, 100_000, 1_000_000]:
        yield f"a field of {size} bytes", head("GET", "/feeds", own, "X-A: " + "b" * size, "Connection: close"), CLOSED | {200}
        yield f"a cookie of {size} bytes", head("GET", "/feeds", own, "Cookie: a=" + "b" * size, "Connection: close"), CLOSED | {200}
    for count in [50, 500, 5_000]:
        fields = [f"X-{number}: b" for number in range(count)]
        yield f"{count} fields", head("GET", "/feeds", own, *fields, "Connection: close"), CLOSED | {200}


def send(address, message, wait=2):
    """The statuses of all answers to a message, and their bytes; [None] for none at all.

    A server that waits for more of the message is left after some seconds.
    """
    answer = b""
    try:
        with socket.create_connection(address, wait) as connection:
            connection.sendall(message)
            while part := connection.recv(65536):
                answer += part
    except OSError:
        pass
    statuses = [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:] if part[:3].isdigit()]
    return statuses or [None], answer
