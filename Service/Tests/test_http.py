"""Connections as HTTP allows them: requests sent ahead, halves that are closed, connections that are kept, a service that stops."""

import signal
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import Service, waiting_enrollment

PAGE = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
LONG = b"POST /mam/v1/registrations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n" + b"x" * 200_000
# HTTP/1.0 has no chunks: where it ends is not sure.
OLD_CHUNKS = (
    b"POST /healthz HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A service without TLS."""
    made = Service(str(tmp_path_factory.mktemp("http") / "mamd"), "--proxy").people().start()
    yield made
    made.stop()


def connect(service):
    return socket.create_connection(("127.0.0.1", service.port), timeout=300)


def send_all(connection, data):
    connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)


def until_closed(connection):
    parts = []
    while part := connection.recv(1 << 16):
        parts.append(part)
    return b"".join(parts)


def test_requests_that_are_sent_ahead_are_answered_in_their_order(plain):
    unknown = b"GET /no/page HTTP/1.1\r\nHost: localhost\r\n\r\n"
    ready = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with connect(plain) as connection:
        # The one that waits for a thread would be overtaken by those that do not.
        send_all(connection, (ready + PAGE + unknown) * 40)
        replies = until_closed(connection)
    statuses = [part[:3] for part in replies.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [b"200", b"200", b"404"] * 40


@pytest.mark.parametrize("limit", [1024, 1])
def test_thousands_of_requests_sent_ahead(tmp_path, limit):
    """In one segment as many as fit; with a limit of one also beside requests that are refused before they are read."""
    service = Service(str(tmp_path / "mamd"), "--proxy").people().start(MAMD_REQUESTS_UNDER_WAY=str(limit))
    page, other = b"GET /healthz HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n"
    with connect(service) as first, connect(service) as second, ThreadPoolExecutor(4) as threads:
        threads.submit(send_all, first, page * 40_000)
        threads.submit(send_all, second, other * 40_000)
        for replies in [threads.submit(until_closed, one) for one in (first, second)]:
            assert replies.result().count(b"HTTP/1.1 ") == 40_000
    with connect(service) as again:
        send_all(again, PAGE)
        assert until_closed(again).endswith(b"ok\n")
    service.stop()


def test_a_slow_client_gets_every_reply(plain):
    """More than fit into the buffers of the connection, which then ends."""
    for last in (PAGE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), b"no HTTP\r\n\r\n", b""):
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", plain.port))
            connection.sendall(PAGE * 10_000 + last)
            connection.shutdown(socket.SHUT_WR)
            replies = until_closed(connection)
        assert replies.count(b"HTTP/1.1 200 OK") == 10_000 + last.startswith(b"GET")
        assert replies.count(b"HTTP/1.1 400 ") == last.startswith(b"no")


def test_a_reply_is_sent_before_what_follows_ends_the_connection(plain):
    ready = PAGE.replace(b"/healthz", b"/readyz")
    for following, status in ((LONG[:40_200].replace(b"200000", b"40000"), 413), (b"no HTTP\r\n\r\n", 400)):
        with connect(plain) as connection:
            send_all(connection, ready + following)
            statuses = [int(part[:3]) for part in until_closed(connection).split(b"HTTP/1.1 ")[1:]]
        assert statuses == [200, status]


@pytest.mark.parametrize("ask", [b"CONNECT localhost:1 HTTP/1.1\r\n", PAGE[:-2] + b"Connection: Upgrade\r\nUpgrade: h2c\r\n"])
def test_another_protocol_is_not_awaited(plain, ask):
    """Whatever would be its data is not gathered."""
    with connect(plain) as connection:
        connection.sendall(ask + b"\r\n")
        with pytest.raises(OSError):
            while True:
                connection.sendall(b"x" * 65_536)
    with connect(plain) as connection:
        connection.sendall(ask + b"\r\n")
        assert b"connection: close\r\n" in until_closed(connection)
    with open(f"/proc/{plain.process.pid}/status") as facts:
        assert next(int(line.split()[1]) for line in facts if line.startswith("VmHWM")) < 200 * 1024


def test_a_service_stops_within_half_a_request(tmp_path):
    service = Service(str(tmp_path / "mamd"), "--proxy").start()
    with connect(service) as connection:
        connection.sendall(PAGE + b"GET /")
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
        service.stop()


def test_a_client_that_sends_no_more_gets_its_reply(plain):
    for page in (b"/readyz", b"/healthz"):
        with connect(plain) as connection:
            send_all(connection, PAGE.replace(b"/healthz", page))
            assert until_closed(connection).endswith(b"\r\n\r\nok\n")


def test_requests_before_an_end_without_close_notify_are_answered(tmp_path):
    service = Service(str(tmp_path / "mamd")).people().start()
    context = ssl.create_default_context(cafile=f"{service.folder}/ca.pem")
    ready = PAGE.replace(b"/healthz", b"/readyz")
    for number in range(4):
        incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        tls = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
        with connect(service) as connection:

            def step(action):
                while True:
                    try:
                        return action()
                    except ssl.SSLWantReadError:
                        if hello := outgoing.read():
                            connection.sendall(hello)
                        part = connection.recv(1 << 16)
                        incoming.write(part) if part else incoming.write_eof()

            step(tls.do_handshake)
            # The half of a request at the end is none.
            tls.write((ready + PAGE) * 100 + PAGE[: 10 * number])
            connection.sendall(outgoing.read())
            connection.shutdown(socket.SHUT_WR)
            replies = b""
            while part := step(lambda: tls.read(1 << 16)):
                replies += part
        assert replies.count(b"HTTP/1.1 200 OK") == 200
    service.stop()


@pytest.mark.parametrize(
    ("request_line", "end"),
    [
        (PAGE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), b"ok\n"),
        (PAGE.replace(b"HTTP/1.1", b"HTTP/1.0"), b"ok\n"),
        (PAGE.replace(b"HTTP/1.1", b"HTTP/1.0").replace(b"\r\n\r\n", b"\r\nConnection: keep-alive\r\n\r\n"), b"ok\n"),
        (OLD_CHUNKS, b"ok\n"),
        (PAGE.replace(b"GET", b"HEAD").replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"), b"\r\n\r\n"),
        (LONG, b"the body is longer than 32768 bytes\n"),
    ],
    ids=["close", "HTTP/1.0", "HTTP/1.0 kept alive", "HTTP/1.0 in chunks", "HEAD", "a long body"],
)
def test_the_last_request_of_a_connection(plain, request_line, end):
    with connect(plain) as connection:
        connection.sendall(request_line)
        reply = until_closed(connection)
    assert reply.startswith(b"HTTP/1.1 ") and reply.endswith(end)
    assert reply.count(b"HTTP/1.1 ") == 1 and b"date: " in reply.lower()
    assert b"connection: close\r\n" in reply.lower()
    assert b"content-length: %d\r\n" % len(end if end != b"\r\n\r\n" else b"ok\n") in reply.lower()


def test_a_kept_connection_answers_after_a_head_request(plain):
    with connect(plain) as connection:
        connection.sendall(PAGE.replace(b"GET", b"HEAD") + PAGE + PAGE.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        reply = until_closed(connection)
    assert reply.count(b"HTTP/1.1 200 OK") == 3 and reply.count(b"\r\n\r\nok\n") == 2


def test_a_request_under_way_is_answered_while_the_service_stops(tmp_path):
    service = Service(str(tmp_path / "mamd")).people().start(MAMD_REQUESTS_UNDER_WAY="1")
    with waiting_enrollment(service):
        service.process.send_signal(signal.SIGTERM)
        # It accepts no connection any more: it is stopping.
        with pytest.raises(OSError):
            while True:
                connect(service).close()
    service.stop()
