"""The load balancers of docs/service.md, as the page has them: TLS to instances on other computers, one of which is gone."""

import re
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import Service, free_port
from test_nginx import needs_nginx, nginx, proxying

PAGE = Path(__file__).parents[2] / "docs/service.md"
needs_haproxy = pytest.mark.skipif(not shutil.which("haproxy"), reason="haproxy is not installed")


def sample(start, folder, ports):
    """A block of the page, with the host, ports and files of this test."""
    text = next(block for block in re.findall(r"```\w*\n(.*?)```", PAGE.read_text(), re.S) if block.startswith(start))
    for number, port in enumerate(ports, 1):
        text = text.replace(f"10.0.0.{number}:8443", f"127.0.0.1:{port}")
    text = re.sub(r"/etc/(nginx|haproxy)/mamd-ca.pem", f"{folder}/mamd/ca.pem", text)
    return text.replace("mam.example.org", "localhost").replace("/etc/nginx", str(folder))


@contextmanager
def balancer(kind, folder, port, ports):
    if kind == "nginx":
        text = sample("upstream mamd", folder, ports).replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl")
        with nginx(folder, f"|http {{ access_log off; {text} }}") as process:
            yield process
        return
    path = folder / "haproxy.cfg"
    both = (folder / "cert.pem").read_text() + (folder / "key.pem").read_text()
    (folder / "both.pem").write_text(both)
    path.write_text(
        f"""defaults
    mode http
    timeout connect 2s
    timeout client 60s
    timeout server 60s
frontend apps
    bind 127.0.0.1:{port} ssl crt {folder}/both.pem
    default_backend mamd
{sample("backend mamd", folder, ports)}"""
    )
    with proxying("haproxy", "-f", path) as process:
        yield process


@pytest.mark.parametrize("kind", [pytest.param("nginx", marks=needs_nginx), pytest.param("haproxy", marks=needs_haproxy)])
def test_the_sample_of_the_page_reaches_an_instance_over_tls(kind, tmp_path):
    port = free_port()
    service = Service(str(tmp_path / "mamd"), "--url", f"https://localhost:{port}").people()
    certificate = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost"
    subprocess.run([*certificate.split(), "-addext", "subjectAltName=DNS:localhost"], cwd=tmp_path, check=True, capture_output=True)
    service.settings["ca"] = (tmp_path / "cert.pem").read_text()
    service.start()
    try:
        with balancer(kind, tmp_path, port, (free_port(), service.port)) as process:
            client = service.client()
            while True:
                assert process.poll() is None
                try:
                    client.discover()
                    break
                except (OSError, AssertionError, ValueError):
                    time.sleep(0.05)
            client.enroll("alice@contoso.example", service.invite())
            for _ in range(3):
                assert client.check_in()["result"] == "unchanged"
    finally:
        service.stop()


def test_the_version_is_that_of_the_header(tmp_path):
    from conftest import MAMD

    header = (PAGE.parents[1] / "include/mam.h").read_text()
    said = subprocess.run([MAMD, "--version"], capture_output=True, text=True, check=True).stdout
    assert said.strip() == re.search(r'^#define MAM_VERSION "(.*)"$', header, re.M)[1]
