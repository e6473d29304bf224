"""Requests that are slow, cut, huge or wrong, of whoever reaches the service, while it answers others."""

import contextlib
import os
import socket
import ssl
import time

import pytest
from conftest import Service, waiting_enrollment

ENROLL = b"POST /mam/v1/registrations HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = ENROLL + b"Transfer-Encoding: chunked\r\n\r\n"


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """A service that waits two seconds for a request."""
    made = Service(str(tmp_path_factory.mktemp("limits") / "mamd")).people().start(MAMD_REQUEST_TIMEOUT="PT2S")
    made.enrolled()
    made.idle = most_memory(made)
    yield made
    made.stop()


def connect(service):
    context = ssl.create_default_context(cadata=service.settings["ca"])
    plain = socket.create_connection(("127.0.0.1", service.port), timeout=300)
    return context.wrap_socket(plain, server_hostname="localhost")


def answer(connection):
    """Everything until the service closes the connection."""
    parts = []
    try:
        while part := connection.recv(1 << 16):
            parts.append(part)
    except OSError:
        pass
    return b"".join(parts)


def send_for_ever(connection, part, pause=0.0):
    while True:
        connection.sendall(part)
        time.sleep(pause)


def most_memory(service):
    """The highest resident size so far, in MiB."""
    with open(f"/proc/{service.process.pid}/status") as facts:
        return next(int(line.split()[1]) for line in facts if line.startswith("VmHWM")) / 1024


# Requests that are none of the protocol, and the status of the answer, which is unsigned.
WRONG = {
    "a field of 9 kB": (ENROLL + b"A: " + b"x" * 9000 + b"\r\n\r\n", 400),
    "100 fields": (ENROLL + b"".join(b"A%d: x\r\n" % number for number in range(100)) + b"\r\n", 400),
    "fields of 24 kB": (ENROLL + b"".join(b"A%d: %s\r\n" % (number, b"x" * 4000) for number in range(6)) + b"\r\n", 400),
    "a path of 200 kB": (b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\n\r\n", 400),
    "a body above the limit": (ENROLL + b"Content-Length: 40000\r\n\r\n" + b"x" * 40_000, 413),
    "a chunk above the limit": (CHUNKED + b"9c40\r\n" + b"x" * 40_000 + b"\r\n0\r\n\r\n", 413),
    "a negative length": (ENROLL + b"Content-Length: -1\r\n\r\n", 400),
    "two lengths": (ENROLL + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx", 400),
    "a length and chunks": (ENROLL + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
    "no HTTP": (b"\0\1\2\r\n\r\n", 400),
    "HTTP/2 unasked": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    "no signature": (ENROLL + b"Content-Length: 2\r\n\r\n{}", 400),
    "a field that is cut": (ENROLL + b"Signature-Input: mam=(\r\nContent-Length: 2\r\n\r\n{}", 400),
    "another path": (b"POST /mam/v1/registrations/../x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", 404),
    "another method": (b"DELETE /mam/v1/registrations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", 405),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_request_is_answered_unsigned_and_the_connection_ends(quick, name):
    request, status = WRONG[name]
    with connect(quick) as connection:
        connection.sendall(request)
        reply = answer(connection)
    assert reply.startswith(b"HTTP/1.1 %d " % status)
    assert b"signature" not in reply.lower()
    assert quick.enrolled().check_in()["result"] == "unchanged"


# The beginning of a request whose rest does not come, or comes for ever.
UNENDING = {
    "nothing": (b"", b""),
    "half a field": (ENROLL + b"Content-Le", b""),
    "half a body": (ENROLL + b"Content-Length: 30000\r\n\r\n{", b""),
    "a length of a terabyte": (ENROLL + b"Content-Length: 1000000000000\r\n\r\n", b"x" * 4096),
    "chunks": (CHUNKED, b"1000\r\n" + b"x" * 4096 + b"\r\n"),
    "an extension of a chunk": (CHUNKED + b"1;", b"x" * 4096),
    "a path": (b"GET /", b"x" * 4096),
    "a byte at a time": (ENROLL, b"x"),
}


@pytest.mark.parametrize("name", UNENDING)
def test_a_request_without_an_end_is_ended(quick, name):
    begin, more = UNENDING[name]
    with connect(quick) as connection:
        connection.sendall(begin)
        assert quick.enrolled().check_in()["result"] == "unchanged", "others are answered meanwhile"
        if more:
            with pytest.raises(OSError):
                send_for_ever(connection, more, pause=0.05 if len(more) == 1 else 0)
        else:
            assert b"HTTP/1.1 2" not in answer(connection)


@pytest.mark.parametrize("path", [b"/healthz", b"/.well-known/mam-authority"])
def test_a_client_that_takes_no_reply_is_ended(quick, path):
    """And keeps no more replies in memory than a few."""
    with connect(quick) as connection, pytest.raises(OSError):
        send_for_ever(connection, b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path * 500)
    assert quick.enrolled().check_in()["result"] == "unchanged"
    assert most_memory(quick) - quick.idle < 64


def test_a_connection_that_never_speaks_tls_is_closed(quick):
    with socket.create_connection(("127.0.0.1", quick.port), timeout=300) as connection:
        assert answer(connection) == b""
    with socket.create_connection(("127.0.0.1", quick.port), timeout=300) as connection:
        connection.sendall(b"\x16\x03\x01\x40\x00")
        assert answer(connection)[:1] in (b"", b"\x15")


def test_many_at_once_take_little_memory(quick):
    connections = [connect(quick) for _ in range(200)]
    for connection in connections:
        # On a busy computer the time of the first is over.
        with contextlib.suppress(OSError):
            connection.sendall(ENROLL + b"Content-Length: 32768\r\n\r\n" + b" " * 30_000)
    assert quick.enrolled().check_in()["result"] == "unchanged"
    for connection in connections:
        assert b"HTTP/1.1 2" not in answer(connection)
        connection.close()
    for _ in range(8):
        with connect(quick) as connection, pytest.raises(OSError):
            connection.sendall(CHUNKED)
            send_for_ever(connection, b"10000\r\n" + b"x" * 65_536 + b"\r\n")
    assert quick.enrolled().check_in()["result"] == "unchanged"
    assert most_memory(quick) - quick.idle < 64


def test_cut_requests_leave_nothing_behind(quick):
    client = quick.enrolled()
    for cut in (b"", ENROLL[:20], ENROLL, ENROLL + b"Content-Length: 100\r\n\r\n{"):
        for _ in range(20):
            with connect(quick) as connection:
                connection.sendall(cut)
    assert client.check_in()["result"] == "unchanged"
    assert " error " not in quick.log()


def test_an_administrator_who_says_half_a_request_is_closed(quick):
    path = str(quick.path("mamd.sock"))
    for begin in (b"", b'{"action":', b"[" * 4096):
        with socket.socket(socket.AF_UNIX) as silent:
            silent.connect(path)
            silent.sendall(begin)
            assert quick.run("invite", "alice-id")
            assert answer(silent) == b""
    for wrong in (b"[" * (1 << 20) + b"\n", b"\xff\n", b'{"action":"user.list","action":"user.list"}\n', b"x" * (17 << 20)):
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(path)
            try:
                client.sendall(wrong)
            except OSError:
                pass
            assert answer(client).startswith(b'{"error":') or len(wrong) > 16 << 20
    assert os.path.exists(path) and quick.run("invite", "alice-id")


def test_a_service_that_is_behind_says_when_to_come_back(tmp_path):
    service = Service(str(tmp_path / "mamd")).people().start(MAMD_REQUESTS_UNDER_WAY="1")
    with waiting_enrollment(service) as (other, (status, fields, body)):
        assert (status, body) == (503, b"") and "Signature" not in fields
        assert 1 <= int(fields["Retry-After"]) <= 600
    assert other.check_in()["result"] == "unchanged"
    service.stop()
