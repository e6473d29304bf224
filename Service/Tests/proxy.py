"""A forward proxy that asks for a user and a password."""

import base64
import select
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Proxy:
    """Connects to anywhere for those who bring the credentials."""

    def __init__(self, user, password):
        self.wanted = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        self.refused, self.passed = 0, 0
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_CONNECT(self):
                if self.headers.get("Proxy-Authorization") != proxy.wanted:
                    proxy.refused += 1
                    self.send_response_only(407)
                    self.send_header("Proxy-Authenticate", 'Basic realm="office"')
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                proxy.passed += 1
                host, port = self.path.rsplit(":", 1)
                with socket.create_connection((host, int(port))) as far:
                    self.send_response_only(200)
                    self.end_headers()
                    relay(self.connection, far)
                self.close_connection = True

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def relay(near, far):
    while True:
        for one in select.select([near, far], [], [])[0]:
            data = one.recv(65536)
            if not data:
                return
            (far if one is near else near).sendall(data)
