"""An upstream whose TLS and HTTP/2 are broken in every way that we know of, one way a port.

While it is calm, a port serves a sound list of three pages.
"""

import datetime
import ipaddress
import json
import socket
import ssl
import struct
import threading
import time
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from hpack import Decoder, Encoder

NOW = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
DAY = datetime.timedelta(days=1)


def page(path):
    """The body of one of three pages, by the number in the query."""
    number = int(path.rpartition("page=")[2]) if "page=" in path else 1
    first = number * 5 - 4
    items = [{"id": n, "name": f"thing {n}"} for n in range(first, first + 5)] if number <= 3 else []
    return json.dumps({"total": 15, "items": items}).encode()


class Certificates:
    """Certificates of every kind, as files in a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.authority = self.sign("authority", self.key, None, is_authority=True)
        self.store("authority", [self.authority], self.key)
        stranger = ec.generate_private_key(ec.SECP256R1())
        unknown = self.sign("unknown authority", stranger, None, is_authority=True)
        weak = rsa.generate_private_key(public_exponent=65537, key_size=1024)
        middle_key = ec.generate_private_key(ec.SECP256R1())
        middle = self.sign("intermediate", middle_key, (self.authority, self.key), is_authority=True)
        leaf_key = ec.generate_private_key(ec.SECP256R1())
        leaf = self.sign("a server, no authority", leaf_key, (self.authority, self.key))
        own = (self.authority, self.key)
        make = lambda name, key=None, issuer=own, chain=(), **what: self.store(
            name, [self.sign("server", key or self.new(), issuer, **what), *chain], self.last)
        make("sound")
        make("expired", since=NOW - 3 * DAY, until=NOW - DAY)
        make("not-yet-valid", since=NOW + DAY, until=NOW + 3 * DAY)
        make("wrong-host", names=[x509.DNSName("elsewhere.test"), x509.IPAddress(ipaddress.ip_address("10.0.0.1"))])
        make("no-host", names=[])
        make("wildcard-for-all", names=[x509.DNSName("*")])
        make("self-signed", issuer=None)
        make("unknown-authority", issuer=(unknown, stranger), chain=[unknown])
        make("intermediate-missing", issuer=(middle, middle_key))
        make("signed-by-a-server", issuer=(leaf, leaf_key), chain=[leaf])
        self.last = weak
        make("weak-key", key=weak)
        make("for-clients-only", usage=x509.oid.ExtendedKeyUsageOID.CLIENT_AUTH)
        make("chain-of-100", chain=[self.sign(f"further {n}", self.key, own, is_authority=True) for n in range(100)])

    def new(self):
        self.last = ec.generate_private_key(ec.SECP256R1())
        return self.last

    def sign(self, name, key, issuer, *, is_authority=False, since=NOW - DAY, until=NOW + 2 * DAY, names=None,
             usage=None):
        if key is not self.key:
            self.last = key
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        builder = (x509.CertificateBuilder().subject_name(subject)
                   .issuer_name(issuer[0].subject if issuer else subject)
                   .public_key(key.public_key()).serial_number(x509.random_serial_number())
                   .not_valid_before(since).not_valid_after(until)
                   .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True))
        if names is None:
            names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName("localhost")]
        if names and not is_authority:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        if usage:
            builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=True)
        return builder.sign(issuer[1] if issuer else key, hashes.SHA256())

    def store(self, name, chain, key):
        pem = b"".join(c.public_bytes(serialization.Encoding.PEM) for c in chain)
        (self.folder / f"{name}.pem").write_bytes(pem)
        (self.folder / f"{name}.key").write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))

    def context(self, name, protocols=("http/1.1",)):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # So that our side of a weak handshake is not what refuses it.
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.load_cert_chain(self.folder / f"{name}.pem", self.folder / f"{name}.key")
        context.set_alpn_protocols(list(protocols))
        return context


# HTTP/1.1 and what is below it.

def head_of(connection):
    """The path of the next request; None at the end of the connection."""
    text = b""
    while b"\r\n\r\n" not in text:
        block = connection.recv(65536)
        if not block:
            return None
        text += block
    return text.split(b" ", 2)[1].decode()


def answer(body, *fields, status="200 OK", length=None):
    length = len(body) if length is None else length
    lines = [f"HTTP/1.1 {status}", "Content-Type: application/json", f"Content-Length: {length}", *fields]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def sound(connection):
    while (path := head_of(connection)) is not None:
        connection.sendall(answer(page(path)))


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def end(connection):
    """Sends the end, and waits for the other side's. The kernel resets a connection that is closed with bytes unread."""
    connection.shutdown(socket.SHUT_WR)
    wait(connection)


def wait(connection):
    """Till the other side goes away."""
    connection.settimeout(30)
    try:
        while connection.recv(65536):
            pass
    except OSError:
        pass


def raw(act):
    """A kind that acts on the bare connection, once the first bytes of the handshake have come."""
    def serve(kind, connection):
        connection.recv(65536)
        act(connection)
    return serve


def slowly(connection):
    """A record of a handshake that announces 16 KB, a byte at a time."""
    connection.sendall(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc\x03\x03")
    try:
        for _ in range(200):
            connection.sendall(b"\0")
            time.sleep(0.1)
    except OSError:
        pass


def tls(act, certificate="sound", protocols=("http/1.1",), **settings):
    """A kind that acts within TLS."""
    def serve(kind, connection):
        context = kind.upstream.certificates.context(certificate, protocols)
        for name, value in settings.items():
            setattr(context, name, value)
        with context.wrap_socket(connection, server_side=True, suppress_ragged_eofs=True) as secure:
            act(secure)
    return serve


def asks_for_certificate(kind, connection):
    context = kind.upstream.certificates.context("sound")
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(kind.upstream.certificates.folder / "authority.pem")
    with context.wrap_socket(connection, server_side=True) as secure:
        sound(secure)


def with_body(make):
    """Answers each request with what `make` makes of the sound body, then drops the bare connection without a word."""
    def act(secure):
        path = head_of(secure)
        if path is not None:
            secure.sendall(make(page(path)))
            # No `close_notify`: whoever relies on it alone cannot tell the end from an attack.
            socket.socket(fileno=secure.detach()).close()
    return act


def half(body):
    return answer(body[:len(body) // 2], length=len(body))


def endless(body):
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + body[:len(body) // 2]


def stalls(secure):
    body = page(head_of(secure) or "")
    secure.sendall(half(body))
    wait(secure)


def to_http(secure):
    path = head_of(secure)
    if path is not None:
        secure.sendall(answer(b"", "Location: http://127.0.0.1:1/things", status="302 Found"))
        wait(secure)


# HTTP/2: RFC 9113.

DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, END_HEADERS, PADDED, ACK = 1, 4, 8, 1
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


class HTTP2:
    """One connection of HTTP/2, of which a kind says what it does with each request."""

    def __init__(self, connection, settings=b""):
        self.connection = connection
        self.encoder = Encoder()
        self.decoder = Decoder()
        self.buffer = b""
        self.take(len(PREFACE))
        self.send(frame(SETTINGS, 0, 0, settings))

    def send(self, *frames):
        self.connection.sendall(b"".join(frames))

    def take(self, count):
        while len(self.buffer) < count:
            block = self.connection.recv(65536)
            if not block:
                raise EOFError
            self.buffer += block
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def request(self):
        """The stream of the next request, whose path becomes `path`."""
        while True:
            head = self.take(9)
            length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
            stream = int.from_bytes(head[5:], "big") & 0x7FFFFFFF
            payload = self.take(length)
            if kind == SETTINGS and not flags & ACK:
                self.send(frame(SETTINGS, ACK, 0))
            if kind == HEADERS:
                # Behind the priority, where there is one.
                self.path = dict(self.decoder.decode(payload[5:] if flags & 0x20 else payload))[":path"]
                body = b""
            if kind == DATA:
                body += payload
            if kind in (HEADERS, DATA) and flags & END_STREAM:
                # A request with a body has the page's number there.
                if body:
                    self.path = f"page={json.loads(body).get('page', 1)}"
                return stream

    def head(self, stream, fields=(), status="200", flags=END_HEADERS, length=None):
        fields = [(":status", status), ("content-type", "application/json"), *fields]
        if length is not None:
            fields.append(("content-length", str(length)))
        return frame(HEADERS, flags, stream, self.encoder.encode(fields))


def http2(act, settings=b"", requests=1_000):
    """A kind that does something with each request of HTTP/2."""
    def serve(secure):
        peer = HTTP2(secure, settings)
        for _ in range(requests):
            act(peer, peer.request())
        end(secure)
    return tls(serve, protocols=("h2",))


BODY = page("")


def sends(*make):
    """Sends what these make of the connection and the stream, and goes on."""
    return lambda peer, stream: peer.send(*[m(peer, stream) for m in make])


def headers(**what):
    return lambda peer, stream: peer.head(stream, **what)


def data(body=BODY, flags=END_STREAM, on=None):
    return lambda peer, stream: frame(DATA, flags, stream if on is None else on, body)


def other(kind, flags=0, payload=b"", on=None):
    return lambda peer, stream: frame(kind, flags, stream if on is None else on, payload)


def number(value):
    return struct.pack(">I", value)


def then_wait(peer, stream):
    wait(peer.connection)
    return b""


def flood(make, count=2_000_000):
    """Sends the same again and again, till the other side goes away or has had enough."""
    def act(peer, stream):
        block = make(peer, stream) * 200
        peer.connection.settimeout(30)
        for _ in range(count // 200):
            peer.connection.sendall(block)
    return act


def header_bomb(peer, stream):
    """One field of 4,000 bytes in the table, and then 16,000 bytes that each stand for it: 64 MB of fields."""
    first = peer.encoder.encode([(":status", "200"), ("x-bomb", "b" * 4000)])
    index = bytes([0x80 | 62])
    peer.send(frame(HEADERS, 0, stream, first), frame(CONTINUATION, END_HEADERS, stream, index * 16_000))
    wait(peer.connection)


def endless_continuations(peer, stream):
    peer.send(frame(HEADERS, 0, stream, peer.encoder.encode([(":status", "200")])))
    flood(lambda peer, stream: frame(CONTINUATION, 0, stream, b"\x00\x01x" + b"\x7d" + b"y" * 125))(peer, stream)


def plain_http1(secure):
    while (path := head_of(secure)) is not None:
        secure.sendall(answer(page(path)))


def garbage(secure):
    secure.recv(65536)
    secure.sendall(bytes(range(256)) * 64)
    wait(secure)


def by_path(peer, stream):
    body = page(peer.path)
    peer.send(peer.head(stream, length=len(body)), frame(DATA, END_STREAM, stream, body))


TRUST = "certificate"
# Both limits are two seconds, so either may be met first: that of the request, or that of a connection on which nothing moves.
LATE = "timed out|too slow"
TLS_KINDS = {
    "expired": (69, TRUST, tls(sound, "expired")),
    "not-yet-valid": (69, TRUST, tls(sound, "not-yet-valid")),
    "wrong-host": (69, TRUST, tls(sound, "wrong-host")),
    "no-host": (69, TRUST, tls(sound, "no-host")),
    "wildcard-for-all": (69, TRUST, tls(sound, "wildcard-for-all")),
    "self-signed": (69, TRUST, tls(sound, "self-signed")),
    "unknown-authority": (69, TRUST, tls(sound, "unknown-authority")),
    "intermediate-missing": (69, TRUST, tls(sound, "intermediate-missing")),
    "signed-by-a-server": (69, TRUST, tls(sound, "signed-by-a-server")),
    "weak-key": (69, TRUST, tls(sound, "weak-key")),
    "for-clients-only": (69, TRUST, tls(sound, "for-clients-only")),
    "chain-of-100": (0, "", tls(sound, "chain-of-100")),
    "asks-for-a-certificate": (69, "", asks_for_certificate),
    "only-tls-1.0": (69, "TLS 1.2 or later", tls(sound, maximum_version=ssl.TLSVersion.TLSv1,
                                 minimum_version=ssl.TLSVersion.TLSv1)),
    "only-tls-1.1": (69, "TLS 1.2 or later", tls(sound, maximum_version=ssl.TLSVersion.TLSv1_1,
                                 minimum_version=ssl.TLSVersion.TLSv1_1)),
    "reset-in-handshake": (69, "speaks https", raw(reset)),
    "end-in-handshake": (69, "speaks https", raw(lambda c: c.close())),
    "stall-in-handshake": (69, LATE, raw(wait)),
    "handshake-a-byte-at-a-time": (69, LATE, raw(slowly)),
    "handshake-of-garbage": (69, "speaks https", raw(lambda c: c.sendall(bytes(range(256)) * 16))),
    "alert-in-handshake": (69, "handshake failure", raw(lambda c: c.sendall(b"\x15\x03\x03\x00\x02\x02\x28"))),
    "record-too-long": (69, "packet length too long", raw(lambda c: c.sendall(b"\x16\x03\x03\xff\xff" + b"\0" * 65535))),
    "plain-http": (69, "speaks https at this port", raw(lambda c: c.sendall(answer(BODY)))),
    "redirect-to-http": (65, "from https to http", tls(to_http)),
    "body-cut-short": (69, "87 bytes remaining", tls(with_body(half))),
    # Without a length, only the body itself tells that it is cut off.
    "end-without-close-notify": (65, "cut off", tls(with_body(endless))),
    "reset-in-body": (69, "reset by peer", tls(lambda s: (head_of(s), s.sendall(half(BODY)), reset(s)))),
    "stall-in-body": (69, LATE, tls(stalls)),
    "stall-before-answer": (69, LATE, tls(wait)),
}

SETTING = lambda name, value: struct.pack(">HI", name, value)
WHOLE = headers(length=len(BODY))
HTTP2_KINDS = {
    "goaway-at-once": (69, LATE, http2(sends(other(GOAWAY, on=0, payload=number(0) + number(0)), then_wait))),
    "goaway-in-body": (69, LATE, http2(sends(
        WHOLE, data(BODY[:9], 0), other(GOAWAY, on=0, payload=number(0) + number(2)), then_wait))),
    "goaway-behind-answer": (0, "", http2(lambda p, s: (by_path(p, s), p.send(frame(
        GOAWAY, 0, 0, number(s) + number(0)))), requests=1)),
    "goaway-enhance-your-calm": (69, LATE, http2(sends(other(GOAWAY, on=0, payload=number(0) + number(11)), then_wait))),
    "reset-stream": (69, "INTERNAL_ERROR", http2(sends(other(RST_STREAM, payload=number(2))))),
    "refused-stream": (69, "tried 5 times", http2(sends(other(RST_STREAM, payload=number(7))))),
    "http-1.1-required": (69, "", http2(sends(other(RST_STREAM, payload=number(13))))),
    "reset-in-body-2": (69, "CANCEL", http2(sends(WHOLE, data(BODY[:9], 0), other(RST_STREAM, payload=number(8))))),
    "end-in-body": (69, "not closed cleanly", http2(sends(WHOLE, data(BODY[:9], 0)), requests=1)),
    "shorter-than-announced": (69, "PROTOCOL_ERROR", http2(sends(headers(length=len(BODY) + 9), data()))),
    "longer-than-announced": (69, "PROTOCOL_ERROR", http2(sends(headers(length=len(BODY) - 9), data()))),
    "headers-alone": (65, "empty", http2(sends(headers(flags=END_HEADERS | END_STREAM)))),
    "headers-alone-announced": (69, "PROTOCOL_ERROR", http2(sends(headers(flags=END_HEADERS | END_STREAM, length=9)))),
    "no-status": (69, "PROTOCOL_ERROR", http2(lambda p, s: p.send(frame(
        HEADERS, END_HEADERS, s, p.encoder.encode([("content-type", "application/json")])), frame(
            DATA, END_STREAM, s, BODY)))),
    "upper-case-field": (69, "PROTOCOL_ERROR", http2(sends(headers(fields=[("X-Upper", "1")]), data()))),
    "field-with-line-break": (69, "PROTOCOL_ERROR", http2(sends(headers(fields=[("x-a", "1\r\nx-b: 2")]), data()))),
    "header-bomb": (69, "", http2(header_bomb)),
    "endless-continuations": (69, "CONTINUATION", http2(endless_continuations)),
    "a-field-of-1-mb": (69, "", http2(lambda p, s: (
        lambda block: p.send(frame(HEADERS, 0, s, block[:16384]), *[
            frame(CONTINUATION, 0, s, block[n:n + 16384]) for n in range(16384, len(block), 16384)],
            frame(CONTINUATION, END_HEADERS, s), frame(DATA, END_STREAM, s, BODY)))(
                p.encoder.encode([(":status", "200"), ("x-long", "\x01" * 1_000_000)], huffman=False)))),
    "10-000-fields": (69, "", http2(lambda p, s: (
        lambda block: p.send(frame(HEADERS, 0, s, block[:16384]), *[
            frame(CONTINUATION, 0, s, block[n:n + 16384]) for n in range(16384, len(block), 16384)],
            frame(CONTINUATION, END_HEADERS, s), frame(DATA, END_STREAM, s, BODY)))(
                p.encoder.encode([(":status", "200"), *[(f"x-{n}", "v" * 50) for n in range(10_000)]])))),
    "informational-flood": (65, "header lines", http2(flood(headers(status="103")))),
    "settings-flood": (69, "", http2(flood(other(SETTINGS, on=0)))),
    "ping-flood": (69, "", http2(flood(other(PING, on=0, payload=b"12345678")))),
    "empty-data-flood": (69, "", http2(lambda p, s: (p.send(p.head(s)), flood(data(b"", 0))(p, s)))),
    "unknown-frames": (0, "", http2(lambda p, s: (p.send(frame(77, 255, s, b"x" * 99)), by_path(p, s)))),
    "window-overflow": (69, "", http2(sends(*[other(WINDOW_UPDATE, on=0, payload=number(0x7FFFFFFF))] * 2, then_wait))),
    "window-update-of-0": (69, "", http2(sends(other(WINDOW_UPDATE, payload=number(0)), then_wait))),
    "frame-too-large": (69, "", http2(sends(WHOLE, data(b" " * 20_000, 0), then_wait))),
    "data-on-stream-0": (69, "", http2(sends(WHOLE, data(on=0), then_wait))),
    "headers-on-even-stream": (69, "", http2(lambda p, s: (p.send(p.head(2)), wait(p.connection)))),
    "push-promise": (69, "", http2(lambda p, s: (p.send(frame(
        PUSH_PROMISE, END_HEADERS, s, number(2) + p.encoder.encode([(":method", "GET"), (":path", "/"), (
            ":scheme", "https"), (":authority", "127.0.0.1")]))), wait(p.connection)))),
    "padding-beyond-frame": (69, "", http2(sends(WHOLE, data(b"\xff" + BODY[:9], END_STREAM | PADDED), then_wait))),
    "broken-compression": (69, "", http2(sends(other(HEADERS, END_HEADERS, b"\xff\xff\xff\xff\xff\xff\x7f"), then_wait))),
    "stall-in-body-2": (69, LATE, http2(sends(WHOLE, data(BODY[:9], 0), then_wait))),
    "stall-before-answer-2": (69, LATE, http2(then_wait)),
    "no-streams-allowed": (69, LATE, http2(then_wait, settings=SETTING(3, 0))),
    # A request with a body, of which nothing may be sent.
    "no-window-for-a-body": (69, LATE, http2(then_wait, settings=SETTING(4, 0))),
    "settings-out-of-range": (69, "", http2(then_wait, settings=SETTING(4, 0xFFFFFFFF))),
    "http-1-answer": (69, "", tls(plain_http1, protocols=("h2",))),
    "garbage-2": (69, "", tls(garbage, protocols=("h2",))),
}


class Kind:
    """One way of being broken, on a port of its own."""

    def __init__(self, upstream, name, row):
        self.upstream, self.name = upstream, name
        self.code, self.message, self.serve = row
        self.calm = False
        self.sound = http2(by_path) if name in HTTP2_KINDS else tls(sound)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.connections = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.socket.accept()
            self.connections += 1
            threading.Thread(target=self.handle, args=(connection,), daemon=True).start()

    def handle(self, connection):
        try:
            with connection:
                (self.sound if self.calm else self.serve)(self, connection)
        except (OSError, EOFError, ValueError):
            pass


class Upstream:
    def __init__(self, folder):
        self.certificates = Certificates(Path(folder))
        self.kinds = {name: Kind(self, name, row) for name, row in (TLS_KINDS | HTTP2_KINDS).items()}
