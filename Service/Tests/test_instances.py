"""Several instances of mamd on one PostgreSQL database: any answers any request, and none that is killed takes anything with it.
MAM_INSTANCE_SECONDS sets for how long instances are killed."""

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from client import Client
from conftest import free_port
from instances import Changes, People, PlainClient, Standby, instances, pgbouncer, run_load
from postgresql import ROOTS, PostgreSQL
from test_nginx import needs_nginx, nginx, proxying

SECONDS = float(os.environ.get("MAM_INSTANCE_SECONDS", "12"))
ALICE = "alice@contoso.example"
needs_haproxy = pytest.mark.skipif(not shutil.which("haproxy"), reason="haproxy is not installed")
needs_pgbouncer = pytest.mark.skipif(not shutil.which("pgbouncer"), reason="PgBouncer is not installed")


def test_any_instance_answers_any_request(tmp_path, postgresql):
    with instances(tmp_path, postgresql.database(), 3) as (first, second, third):
        first.people()
        client = PlainClient(first.settings, (second, third, first))
        client.enroll(ALICE, first.invite())
        for _ in range(3):
            assert client.check_in()["result"] == "unchanged"
        # A change at one of them counts at once with the others.
        assert second.reply("policy.import", document={"@odata.type": "#microsoft.graph.iosManagedAppProtection", "id": "more"})
        assert second.reply("policy.assign", policy="more", allUsers=True)
        assert second.reply("policy.target", policy="more", app="notes")
        for _ in range(3):
            reply = client.check_in()
            assert reply["result"] in ("changed", "unchanged")
        assert reply["result"] == "unchanged"
        wipe = third.reply("wipe.request", user="alice-id")["id"]
        for _ in range(3):
            assert client.check_in()["wipe"] == wipe
        client.report_wipe(wipe)
        client.report_wipe(wipe)
        assert [(one["pending"], one["done"]) for one in first.admin("wipe.list")["wipes"]] == [(0, 1)]
        # A new key of the authority, too.
        recovery = f"{first.folder}/recovery.key"
        first.keys("rotate", "--recovery", recovery)
        again = PlainClient(first.settings, (first, second, third))
        again.enroll(ALICE, first.invite())
        for _ in range(3):
            again.check_in()
        assert again.statement == 1


def backends(ports):
    return " ".join(f"server 127.0.0.1:{port};" for port in ports)


@contextmanager
def haproxy(folder, port, ports):
    """HAProxy before instances, as docs/service.md has it."""
    servers = "\n".join(f"  server mamd{number} 127.0.0.1:{one} check" for number, one in enumerate(ports))
    path = folder / "haproxy.cfg"
    path.write_text(
        f"""defaults
  mode http
  timeout connect 2s
  timeout client 60s
  timeout server 60s
  retries 3
  option redispatch 1
  retry-on conn-failure empty-response response-timeout
frontend apps
  bind 127.0.0.1:{port}
  default_backend mamd
backend mamd
  option httpchk GET /readyz
  default-server inter 500ms fall 1 rise 1
{servers}
"""
    )
    with proxying("haproxy", "-f", path) as process:
        yield process


@contextmanager
def before(kind, folder, port, ports):
    """A load balancer before instances."""
    if kind == "haproxy":
        with haproxy(folder, port, ports) as process:
            yield process
        return
    servers = f"""|http {{ access_log off; upstream mamd {{ {backends(ports)} }} server {{ listen 127.0.0.1:{port};
        location / {{ proxy_pass http://mamd; proxy_set_header Host $http_host; proxy_http_version 1.1;
        proxy_connect_timeout 2s; proxy_next_upstream error timeout non_idempotent; }} }} }}"""
    with nginx(folder, servers) as process:
        yield process


def kill_in_turn(made, changes, process, half=None):
    """Kill one instance every two seconds, start it again, for as long as the load lasts; `half` is done once, after half of it."""
    killed, begin = 0, time.monotonic()
    while process.poll() is None:
        victim = made[killed % len(made)]
        until = time.monotonic() + 2
        while process.poll() is None and time.monotonic() < until:
            changes.one_more()
            time.sleep(0.05)
        if process.poll() is None:
            victim.stop(signal.SIGKILL)
            victim.start()
            killed += 1
        if half and time.monotonic() > begin + SECONDS / 2:
            half()
            half = None
    assert not half, "the load ended too early"
    return killed


@pytest.mark.parametrize("kind", [pytest.param("nginx", marks=needs_nginx), pytest.param("haproxy", marks=needs_haproxy)])
def test_killed_instances_lose_nothing_that_was_acknowledged(tmp_path, postgresql, kind):
    port, database = free_port(), postgresql.database()
    with instances(tmp_path, database, 3, f"https://localhost:{port}") as made:
        with before(kind, tmp_path, port, [one.port for one in made]):
            options = ("--to", f"127.0.0.1:{port}", "--computers=60", "--speed=300", f"--seconds={SECONDS}", "--arrive=10")
            process = run_load(made[0].folder, *options, f"--wipes={int(SECONDS)}", "--thorough")
            changes = Changes(made)
            killed = kill_in_turn(made, changes, process)
            output, _ = process.communicate()
        assert output
        found = json.loads(output)
        assert killed >= 2, "nothing was killed"
        assert found["sound"] and process.returncode == 0, found
        wipes = {one["id"]: one for one in made[0].admin("wipe.list")["wipes"]}
        assert len(wipes) >= found["wipes"]["requested"] >= 1
        registered = postgresql.sql(database, "SELECT device_tag FROM registrations")
        assert len(registered) == len(set(registered)), "a registration is doubled"
        known = {one["upn"] for one in made[0].admin("user.list")["users"]}
        assert changes.acknowledged and known >= set(changes.acknowledged), "a change that was acknowledged is lost"


@needs_nginx
def test_clients_reach_instances_through_tls_of_nginx(tmp_path, postgresql):
    port = free_port()
    certificate = "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost"
    subprocess.run([*certificate.split(), "-addext", "subjectAltName=DNS:localhost"], cwd=tmp_path, check=True, capture_output=True)
    with instances(tmp_path, postgresql.database(), 2, f"https://localhost:{port}") as made:
        servers = f"""|http {{ access_log off; upstream mamd {{ {backends(one.port for one in made)} }} server {{
            listen 127.0.0.1:{port} ssl; ssl_certificate {tmp_path}/cert.pem; ssl_certificate_key {tmp_path}/key.pem;
            location / {{ proxy_pass http://mamd; proxy_set_header Host $http_host; }} }} }}"""
        with nginx(tmp_path, servers):
            made[0].people()
            client = Client({**made[0].settings, "ca": (tmp_path / "cert.pem").read_text()})
            while True:
                try:
                    client.discover()
                    break
                except ConnectionRefusedError:
                    time.sleep(0.01)
            client.enroll(ALICE, made[1].invite())
            for _ in range(4):
                assert client.check_in()["result"] == "unchanged"


@pytest.mark.skipif(not ROOTS, reason="PostgreSQL's server programs are not installed")
def test_a_standby_takes_the_place_of_a_primary_that_was_killed(tmp_path):
    primary = PostgreSQL()
    standby = None
    try:
        name = primary.database().split("?")[0].rsplit("/", 1)[-1]
        standby = Standby(primary)
        database = f"postgresql://mamd@/{name}?host={primary.folder},{standby.folder}"
        with instances(tmp_path, database, 2) as made:
            to = ",".join(f"127.0.0.1:{one.port}" for one in made)
            options = ("--to", to, "--computers=60", "--speed=300", f"--seconds={SECONDS}", "--arrive=10", "--thorough")
            process = run_load(made[0].folder, *options, f"--wipes={int(SECONDS)}")
            changes, begin = Changes(made), time.monotonic()
            while time.monotonic() < begin + SECONDS / 3 or not changes.acknowledged:
                changes.one_more()
                assert process.poll() is None
            before = set(changes.acknowledged)
            primary.kill()
            standby.promote()
            while process.poll() is None:
                changes.one_more()
                time.sleep(0.05)
            output, _ = process.communicate()
            found = json.loads(output)
            assert found["sound"] and process.returncode == 0, found
            known = {one["upn"] for one in made[1].admin("user.list")["users"]}
            assert before and known >= set(changes.acknowledged), "a change that was acknowledged is lost"
            # The instances were not started again.
            while not made[0].reply("user.add", upn="last@mam.invalid"):
                time.sleep(0.05)
            assert "last@mam.invalid" in standby.sql(name, "SELECT upn FROM users")
    finally:
        primary.end()
        if standby:
            standby.end()


@needs_nginx
@pytest.mark.skipif(not ROOTS, reason="PostgreSQL's server programs are not installed")
def test_killed_instances_and_a_primary_that_is_killed_lose_nothing(tmp_path):
    """One of three instances killed every two seconds under load, the primary killed and the standby promoted once: no enrollment,
    wipe or change that was acknowledged is lost, and clients end in the right state."""
    primary, port = PostgreSQL(), free_port()
    standby = None
    try:
        name = primary.database().split("?")[0].rsplit("/", 1)[-1]
        standby = Standby(primary)
        database = f"postgresql://mamd@/{name}?host={primary.folder},{standby.folder}"
        with instances(tmp_path, database, 3, f"https://localhost:{port}") as made:
            with before("nginx", tmp_path, port, [one.port for one in made]):
                options = ("--to", f"127.0.0.1:{port}", "--computers=60", "--speed=300", f"--seconds={SECONDS}", "--arrive=10")
                process = run_load(made[0].folder, *options, f"--wipes={int(SECONDS)}", "--thorough")
                changes = Changes(made)

                def fail_over():
                    primary.kill()
                    standby.promote()

                with People(made) as people:
                    killed = kill_in_turn(made, changes, process, fail_over)
                output, _ = process.communicate()
            found = json.loads(output)
            assert killed >= 2, "nothing was killed"
            assert found["sound"] and process.returncode == 0, found
            known = {one["upn"] for one in made[0].admin("user.list")["users"]}
            assert changes.acknowledged and known >= set(changes.acknowledged), "a change that was acknowledged is lost"
            people.assert_right_state(made[1])
            registered = standby.sql(name, "SELECT device_tag FROM registrations")
            assert len(registered) == len(set(registered)), "a registration is doubled"
    finally:
        primary.end()
        if standby:
            standby.end()


@needs_pgbouncer
def test_instances_share_connections_of_pgbouncer(tmp_path, postgresql):
    name = postgresql.database().split("?")[0].rsplit("/", 1)[-1]
    with (
        pgbouncer(postgresql, tmp_path) as place,
        instances(tmp_path, f"postgresql://mamd@/{name}?host={place}&port=6432", 2) as made,
    ):
        to = ",".join(f"127.0.0.1:{one.port}" for one in made)
        process = run_load(
            made[0].folder, "--to", to, "--computers=40", "--speed=300", "--seconds=6", "--arrive=10", "--wipes=3", "--thorough"
        )
        output, _ = process.communicate()
        found = json.loads(output)
        assert found["sound"] and process.returncode == 0, found
        assert found["requests"]["enroll enrolled"] >= 1


@needs_pgbouncer
def test_a_wipe_reaches_the_next_check_in_through_pgbouncer(tmp_path, postgresql):
    name = postgresql.database().split("?")[0].rsplit("/", 1)[-1]
    with (
        pgbouncer(postgresql, tmp_path) as place,
        instances(tmp_path, f"postgresql://mamd@/{name}?host={place}&port=6432", 1) as (service,),
    ):
        service.people()
        clients = [PlainClient(service.settings, [service], device=f"device-{number}") for number in range(8)]
        for client in clients:
            client.enroll(ALICE, service.invite())
        stopping = threading.Event()

        def go_on(client):
            while not stopping.is_set():
                assert client.check_in()["result"] == "unchanged"

        with ThreadPoolExecutor(4) as pool:
            others = [pool.submit(go_on, client) for client in clients[:4]]
            try:
                for client in clients[4:]:
                    assert client.check_in()["result"] == "unchanged"
                    wipe = service.admin("wipe.request", user="alice-id", deviceTag=client.device)["id"]
                    assert client.check_in()["wipe"] == wipe
            finally:
                stopping.set()
            for one in others:
                one.result()
