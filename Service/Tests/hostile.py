"""Attacks on a reply by somebody on the wire, as a table.

An attack takes the handler of the request and the service's genuine reply (status, fields, body), and answers in its own way.
`NETWORK`, `UNTRUSTED` and `LATE` are the kinds of failure that an app must report; docs/status-codes.md has their codes.
"""

import base64
import gzip
import hashlib
import json
import socket
import struct

NETWORK, UNTRUSTED, LATE = "network", "untrusted", "late"
PAGE = b"<html>Please sign in</html>"
ATTACKS = {}


def attack(kind):
    def add(function):
        ATTACKS[function.__name__] = (function, kind)
        return function

    return add


def digest(body):
    return f"sha-256=:{base64.b64encode(hashlib.sha256(body).digest()).decode()}:"


def begin(handler, length, fields=()):
    handler.send_response_only(200)
    for name, value in fields:
        if name.lower() != "content-length":
            handler.send_header(name, value)
    handler.send_header("Content-Length", str(length))
    handler.end_headers()


def raw(handler, data):
    """Bytes in place of a reply, and the end of the connection."""
    try:
        handler.wfile.write(data)
    except OSError:
        pass
    handler.close_connection = True


def without(fields, *names):
    return [(name, value) for name, value in fields if name.lower() not in names]


def replaced(fields, name, change):
    return [(key, change(value) if key.lower() == name else value) for key, value in fields]


# Others than the service, who sign nothing.


@attack(UNTRUSTED)
def portal(handler, _):
    handler.send(200, [("Content-Type", "text/html")], PAGE)


@attack(UNTRUSTED)
def empty(handler, _):
    handler.send(204)


def answers(name, status, *fields, body=PAGE):
    def send(handler, _):
        handler.send(status, fields, body)

    ATTACKS[name] = (send, NETWORK)


answers("redirect_elsewhere", 302, ("Location", "https://localhost:1/"))
answers("redirect_to_itself", 307, ("Location", "/mam/v1/registrations"))
answers("proxy_407", 407, ("Proxy-Authenticate", 'Basic realm="wire"'))
answers("unsigned_401", 401, ("WWW-Authenticate", "MAM-Invite"), body=b'{"type":"x/needsToken"}')
answers("unsigned_403", 403, body=b'{"type":"x/userUnknown"}')
answers("unsigned_404", 404)
answers("unsigned_410", 410, body=b'{"type":"x/gone"}')
answers("busy_429", 429, ("Retry-After", "99999999"))
answers("busy_503", 503, ("Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT"))
answers("balancer_502", 502)


# Changes of the service's reply.


@attack(UNTRUSTED)
def no_signature(handler, reply):
    handler.send(reply[0], without(reply[1], "signature", "signature-input"), reply[2])


@attack(UNTRUSTED)
def no_bytes_of_the_signature(handler, reply):
    handler.send(reply[0], without(reply[1], "signature"), reply[2])


@attack(UNTRUSTED)
def no_components(handler, reply):
    handler.send(reply[0], without(reply[1], "signature-input"), reply[2])


@attack(UNTRUSTED)
def no_digest(handler, reply):
    handler.send(reply[0], without(reply[1], "content-digest"), reply[2])


@attack(UNTRUSTED)
def other_status(handler, reply):
    handler.send(203, reply[1], reply[2])


@attack(UNTRUSTED)
def refused_by_status(handler, reply):
    handler.send(410, reply[1], reply[2])


@attack(UNTRUSTED)
def space_in_the_body(handler, reply):
    handler.send(reply[0], reply[1], reply[2] + b" ")


@attack(UNTRUSTED)
def shorter_body(handler, reply):
    handler.send(reply[0], reply[1], reply[2][:-9])


@attack(UNTRUSTED)
def packed_body(handler, reply):
    handler.send(reply[0], [*reply[1], ("Content-Encoding", "gzip")], gzip.compress(reply[2]))


@attack(UNTRUSTED)
def other_body(handler, reply):
    handler.send(reply[0], reply[1], b'{"result":"wipe","wipe":99}')


@attack(UNTRUSTED)
def other_body_with_its_digest(handler, reply):
    body = json.dumps({**json.loads(reply[2]), "result": "wipe", "wipe": 99}).encode()
    handler.send(reply[0], replaced(reply[1], "content-digest", lambda _: digest(body)), body)


@attack(UNTRUSTED)
def fields_twice(handler, reply):
    handler.send(reply[0], reply[1] * 2, reply[2])


@attack(UNTRUSTED)
def two_signatures_in_one_field(handler, reply):
    fields = replaced(reply[1], "signature", lambda value: f"{value}, {value.replace('mam=', 'mallory=')}")
    handler.send(reply[0], fields, reply[2])


def changes_components(name, change):
    def send(handler, reply):
        fields = replaced(reply[1], "signature-input", change)
        assert fields != reply[1], "the attack changes nothing"
        handler.send(reply[0], fields, reply[2])

    ATTACKS[name] = (send, UNTRUSTED)


changes_components("fewer_components", lambda value: value.replace('"@status" ', ""))
changes_components("more_components", lambda value: value.replace('("@status"', '("date" "@status"'))
changes_components(
    "components_in_another_order", lambda value: value.replace('"@status" "content-digest"', '"content-digest" "@status"', 1)
)
changes_components("another_label", lambda value: value.replace("mam=", "sig1="))
changes_components("an_algorithm", lambda value: value.replace(";created", ';alg="ed25519";created'))
changes_components("another_time", lambda value: value.replace("created=", "created=1"))
changes_components("another_key", lambda value: value[:-3] + ("AA" if value[-3:-1] != "AA" else "BB") + '"')
changes_components("no_key", lambda value: value.split(";keyid")[0])
changes_components("many_components", lambda value: value.replace("(", "(" + '"x" ' * 10_000))


@attack(UNTRUSTED)
def zeros_for_a_signature(handler, reply):
    handler.send(reply[0], replaced(reply[1], "signature", lambda _: f"mam=:{base64.b64encode(bytes(64)).decode()}:"), reply[2])


@attack(UNTRUSTED)
def no_text(handler, reply):
    junk = bytes(range(128, 256)).decode("latin-1")
    handler.send(reply[0], replaced(reply[1], "signature-input", lambda _: junk), reply[2])


# The service's replies to other requests.


@attack(UNTRUSTED)
def a_former_reply(handler, reply):
    """The first signed reply to a POST that went over this wire."""
    handler.send(*handler.wire.kept[0])


@attack(UNTRUSTED)
def signature_of_a_former_reply(handler, reply):
    former = {name.lower(): value for name, value in handler.wire.kept[0][1]}
    fields = replaced(reply[1], "signature", lambda _: former["signature"])
    handler.send(reply[0], replaced(fields, "signature-input", lambda _: former["signature-input"]), reply[2])


@attack(UNTRUSTED)
def reply_of_discovery(handler, _):
    handler.send(*handler.wire.ask("GET", "/.well-known/mam-authority", {"Host": handler.headers["Host"]}, None))


def provokes(name, change):
    """A reply that the service made to another request with this one's signature."""

    def send(handler, _):
        path, fields = change(handler.path, {name.lower(): value for name, value in handler.headers.items()})
        handler.send(*handler.wire.ask("POST", path, fields, handler.body))

    ATTACKS[name] = (send, UNTRUSTED)


def neighbour(path):
    """Another call of the same registration, or of one that is not there."""
    return f"{path}/r-0/unenroll" if path.endswith("/registrations") else path.rsplit("/", 1)[0] + "/unenroll"


provokes("provoked_by_another_path", lambda path, fields: (neighbour(path), fields))
provokes(
    "provoked_by_another_time",
    lambda path, fields: (path, {**fields, "signature-input": fields["signature-input"].replace("created=", "created=1")}),
)
provokes("provoked_without_a_digest", lambda path, fields: (path, {**fields, "content-digest": digest(b"{}")}))


# Connections.


@attack(NETWORK)
def cut_before_the_reply(handler, _):
    handler.close_connection = True


@attack(NETWORK)
def cut_in_the_body(handler, reply):
    begin(handler, len(reply[2]), reply[1])
    raw(handler, reply[2][:10])


@attack(NETWORK)
def reset(handler, reply):
    begin(handler, len(reply[2]), reply[1])
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True


@attack(NETWORK)
def no_http(handler, _):
    raw(handler, b"SSH-2.0-OpenSSH_9.2\r\n" * 50)


@attack(UNTRUSTED)
def gigabytes(handler, _):
    begin(handler, 1 << 40)
    endless(handler, lambda: handler.wfile.write(bytes(1 << 20)))


@attack(UNTRUSTED)
def gigabytes_in_pieces(handler, _):
    handler.send_response_only(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    endless(handler, lambda: handler.wfile.write(b"100000\r\n" + bytes(1 << 20) + b"\r\n"))


@attack(UNTRUSTED)
def gigabytes_of_fields(handler, _):
    handler.send_response_only(200)

    def more():
        handler.send_header("X-More", "x" * 8000)
        handler.flush_headers()

    endless(handler, more)


def endless(handler, write):
    try:
        while not handler.wire.ended.is_set():
            write()
    except OSError:
        handler.close_connection = True


@attack(LATE)
def a_byte_at_a_time(handler, reply):
    begin(handler, len(reply[2]), reply[1])
    slowly(handler, reply[2])


@attack(LATE)
def a_byte_of_the_header_at_a_time(handler, _):
    slowly(handler, b"HTTP/1.1 200 OK\r\n" + b"X-More: x\r\n" * 1000)


def slowly(handler, data):
    """A byte at a time, for longer than the app waits."""
    try:
        for byte in data:
            if handler.wire.ended.wait(0.2):
                break
            handler.wfile.write(bytes([byte]))
    except OSError:
        pass
    handler.close_connection = True


@attack(LATE)
def held_back(handler, _):
    handler.wire.ended.wait()
    handler.close_connection = True


@attack(LATE)
def interim_replies_for_ever(handler, _):
    handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    slowly(handler, b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000)
