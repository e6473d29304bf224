"""nginx before mamd, and curl as the client: parts that others run."""

import json
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import Service, free_port

STREAM = Path("/usr/lib/nginx/modules/ngx_stream_module.so")
needs_nginx = pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed")


@contextmanager
def proxying(*words):
    """The process of a proxy."""
    process = subprocess.Popen([str(word) for word in words])
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


@contextmanager
def nginx(folder, text):
    """nginx with these servers."""
    path = folder / "nginx.conf"
    common = f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log; events {{}}"
    path.write_text(f"{text.partition('|')[0]} {common} {text.partition('|')[2]}")
    with proxying("nginx", "-c", path) as process:
        yield process


def reaches(service, process):
    """The whole way of an app; the first request waits for nginx."""
    client = service.client()
    while True:
        try:
            client.discover()
            break
        except ConnectionRefusedError:
            assert process.poll() is None
    client.enroll("alice@contoso.example", service.invite())
    assert client.check_in()["result"] == "unchanged"


@needs_nginx
def test_nginx_ends_tls(tmp_path):
    port = free_port()
    service = Service(str(tmp_path / "mamd"), "--url", f"https://localhost:{port}/contoso", "--proxy").people()
    subprocess.run(
        "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost "
        "-addext subjectAltName=DNS:localhost".split(),
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    service.settings["ca"] = (tmp_path / "cert.pem").read_text()
    servers = f"""|http {{ access_log off; server {{
        listen 127.0.0.1:{port} ssl; ssl_certificate {tmp_path}/cert.pem; ssl_certificate_key {tmp_path}/key.pem;
        location / {{ proxy_pass http://127.0.0.1:{service.port}; proxy_set_header Host $http_host; }} }} }}"""
    service.start()
    with nginx(tmp_path, servers) as process:
        reaches(service, process)
    service.stop()


@needs_nginx
@pytest.mark.skipif(not STREAM.exists(), reason="nginx has no module stream: libnginx-mod-stream")
def test_nginx_passes_tls_through(tmp_path):
    port = free_port()
    service = Service(str(tmp_path / "mamd"), "--url", f"https://localhost:{port}").people().start()
    servers = f"load_module {STREAM};|stream {{ server {{ listen 127.0.0.1:{port}; proxy_pass 127.0.0.1:{service.port}; }} }}"
    with nginx(tmp_path, servers) as process:
        reaches(service, process)
    service.stop()


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_curl_reads_the_document(service, tmp_path):
    trusted = tmp_path / "ca.pem"
    trusted.write_text(service.settings["ca"])
    url = service.settings["url"] + "/.well-known/mam-authority"
    words = ["curl", "-sS", "--noproxy", "*", "--fail"]
    done = subprocess.run([*words, "--cacert", trusted, url], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["tenant"] == "contoso"
    assert subprocess.run([*words, url], capture_output=True, check=False).returncode == 60, "the system does not trust it"
