"""A server between mamctl and mamd that ends TLS, and changes replies as a test asks."""

import datetime
import http.client
import ipaddress
import socket
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def certificate(name, issuer=None, host=None, begin=-1, end=30):
    """A certificate and its key; with a host it is a server's. Times are days from now."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.timezone.utc)
    maker = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer[0].subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + datetime.timedelta(days=begin))
        .not_valid_after(now + datetime.timedelta(days=end))
        .add_extension(x509.BasicConstraints(ca=host is None, path_length=None), critical=True)
    )
    if host:
        names = [x509.DNSName(host), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        maker = maker.add_extension(x509.SubjectAlternativeName(names[:1] if host != "localhost" else names), critical=False)
    return maker.sign(issuer[1] if issuer else key, hashes.SHA256()), key


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


class Wire:
    """Listens for TLS with a certificate of its own and passes requests on to a service."""

    def __init__(self, folder, service=None, host="localhost", days=(-1, 30)):
        self.authority = certificate("wire")
        server, self.key = certificate("server", self.authority, host, *days)
        path = folder / "wire.pem"
        private = self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        path.write_text(pem(server) + private.decode())
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        self.service, self.change, self.seen = service, None, []
        # How many connections were made.
        self.connections = 0
        # Signed replies to POST, where they are kept.
        self.keep, self.kept = False, []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self.handler())
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        self.ended = threading.Event()
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()

    def settings(self, **more):
        """The service's settings, with the wire in front of it."""
        mine = {"url": f"https://localhost:{self.port}", "ca": pem(self.authority[0])}
        return {**self.service.settings, **mine, **more}

    def ask(self, method, path, fields, body):
        context = ssl.create_default_context(cadata=self.service.settings["ca"])
        connection = http.client.HTTPSConnection("localhost", self.service.port, context=context, timeout=30)
        try:
            connection.request(method, path, body, fields)
            reply = connection.getresponse()
            answer = reply.status, list(reply.headers.items()), reply.read()
            if self.keep and method == "POST":
                self.kept.append(answer)
            return answer
        finally:
            connection.close()

    def handler(self):
        wire = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wire = None

            def setup(self):
                wire.connections += 1
                super().setup()

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                wire.seen.append((self.command, self.path, dict(self.headers.items())))
                if wire.change:
                    wire.change(self, body)
                else:
                    self.send(*wire.ask(self.command, self.path, dict(self.headers.items()), body))

            do_GET = do_POST = answer

            def send(self, status, fields=(), body=b""):
                self.send_response_only(status)
                for name, value in fields:
                    if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        Handler.wire = wire
        return Handler


def closed_port():
    """A port at which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
