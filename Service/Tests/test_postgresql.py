"""mamd on PostgreSQL: the same promises as on SQLite, with several instances, and a server that goes away."""

import contextlib
import json
import re
import shutil
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from client import Problem
from conftest import MAMD, POLICY, Service, free_port
from test_mamd import (  # noqa: F401
    challenged,
    refusal,
    test_a_renewal_is_for_its_registration_and_keeps_its_wipe,
    test_a_state_that_is_a_copy_needs_a_person_and_a_new_tag,
    test_an_enrollment_without_a_member_is_malformed,
    test_an_unknown_registration_is_gone,
    test_exchange_keys_are_for_the_registration_alone,
    test_from_the_invitation_to_the_wipe,
    test_leaving_twice_and_asking_then,
    test_nothing_acknowledged_is_lost_by_a_kill,
    test_the_clock,
    test_the_same_request_again_has_the_same_effect,
    test_when_an_app_was_last_seen_is_recorded,
)

ALICE = "alice@contoso.example"


def made(tmp_path, url):
    return Service(str(tmp_path / "mamd"), "--database", url)


@pytest.fixture
def url(postgresql):
    return postgresql.database()


@pytest.fixture
def service(tmp_path, url):
    running = made(tmp_path, url).people().start()
    yield running
    running.stop()


@pytest.fixture
def pair(tmp_path, url):
    """Two instances over one database."""
    first = made(tmp_path, url).people()
    second = Service.__new__(Service)
    second.folder, second.process, second.port = first.folder + "-2", None, free_port()
    second.settings = {**first.settings, "url": f"https://localhost:{second.port}"}
    path = first.path("mamd.json")
    settings = json.loads(path.read_text())
    settings["publicURL"] += [second.settings["url"]]
    path.write_text(json.dumps(settings))
    shutil.copytree(first.folder, second.folder)
    second.path("mamd.json").write_text(json.dumps({**settings, "listen": f"127.0.0.1:{second.port}"}))
    first.start()
    second.start()
    yield first, second
    first.stop()
    second.stop()


def persistently(call, *arguments):
    """The reply to a call, asked again while the service asks for patience or its connection ends."""
    while True:
        try:
            return call(*arguments)
        except Problem as problem:
            if problem.name != "busy":
                raise
        time.sleep(0.05)


def test_the_folder_has_no_database_and_the_tables_have_no_secret(service, postgresql, url):
    client = service.enrolled()
    assert not service.path("mamd.db").exists()
    assert postgresql.sql(url, "SELECT number, oldest FROM schema_version")[0].endswith("|1")
    client.discover()
    key = client.exchange_keys()[0][2]
    dump = postgresql.run("pg_dump", "-h", str(postgresql.folder), "-U", "mamd", url.split("?")[0].rsplit("/", 1)[-1]).stdout
    assert key.hex() not in dump


def test_a_second_service_in_a_database_is_refused(service, tmp_path, url):
    assert (
        "has the tables of a service already"
        in service.finished(["init", str(tmp_path / "other"), "--database", url], False).stderr
    )


def test_a_password_in_a_setting_is_refused(tmp_path):
    url = "postgresql://mamd:s3cret@localhost/mamd"
    done = subprocess.run([MAMD, "init", str(tmp_path / "x"), "--database", url], capture_output=True, text=True, check=False)
    assert done.returncode and "--database: has a password" in done.stderr and "s3cret" not in done.stderr


def test_a_backup_is_the_databases_own(service):
    assert "pg_dump" in service.run("backup", service.folder + ".copy", check=False).stderr


def test_an_older_dump_does_not_answer_until_it_is_accepted(service, postgresql, url):
    client, name = service.enrolled(), url.split("?")[0].rsplit("/", 1)[-1]
    place = ["-h", str(postgresql.folder), "-U", "mamd"]
    postgresql.run("pg_dump", *place, "-Fc", "-f", "dump", name)
    service.admin("wipe.request", user="alice-id")
    assert client.check_in()["result"] == "wipe"
    service.stop()
    postgresql.run("pg_restore", *place, "--clean", "-d", name, "dump")
    service.start()
    with pytest.raises(Problem, match="busy"):
        client.check_in()
    assert client.exchange("GET", service.settings["url"] + "/readyz")[0] == 503
    service.run("restore", "--accept")
    assert client.check_in()["result"] == "unchanged"


def test_one_key_at_two_instances_is_one_registration(pair):
    for turn in range(5):
        clients = [service.client(device=f"device-{turn}") for service in pair]
        clients[1].key, clients[1].seal_key, clients[1].head = clients[0].key, clients[0].seal_key, clients[0].head
        code = pair[0].invite()
        with ThreadPoolExecutor(2) as pool:
            replies = list(pool.map(lambda client: client.enroll(ALICE, code), clients))
        assert replies[0]["registration"] == replies[1]["registration"]
    assert len(pair[0].admin("registration.list")["registrations"]) == 5


def test_keys_of_one_device_at_two_instances_leave_one_registration(pair):
    clients = [pair[number % 2].client(device="laptop") for number in range(8)]
    for client in clients:
        client.head = "of one state"
    codes = [pair[0].invite() for _ in clients]
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda client, code: client.enroll(ALICE, code), clients, codes))
    # Each counts as a change of its own.
    assert len({reply["wipeMark"] for reply in replies}) == 8
    (live,) = pair[1].admin("registration.list")["registrations"]
    latest = max(range(8), key=lambda number: replies[number]["wipeMark"])
    assert live["id"] == replies[latest]["registration"]
    for number, client in enumerate(clients):
        if number == latest:
            assert client.check_in()["result"] == "unchanged"
        else:
            assert refusal(client.check_in) == "gone"


def test_one_invitation_at_two_instances_enrolls_one(pair):
    clients = [pair[number % 2].client(device=f"device-{number}") for number in range(6)]
    code = pair[0].invite()

    def enroll(client):
        try:
            client.enroll(ALICE, code)
        except Problem as problem:
            return problem.name
        return "enrolled"

    with ThreadPoolExecutor(6) as pool:
        assert sorted(pool.map(enroll, clients)) == ["enrolled", *["needsToken"] * 5]


def test_a_check_in_without_news_costs_one_statement(tmp_path, postgresql, url):
    name = url.split("?")[0].rsplit("/", 1)[-1]
    postgresql.sql("postgres", f"ALTER DATABASE {name} SET log_statement = 'all'")
    service = made(tmp_path, url).people().start()
    clients = [service.enrolled(device=f"device-{number}") for number in range(6)]
    # A new policy and a wipe are told by the next check-in, whatever was read before.
    service.admin("policy.import", document={**POLICY, "pinRequired": True}, replace=True)
    assert [client.check_in()["result"] for client in clients] == ["changed"] * 6
    assert clients[0].check_in()["result"] == "unchanged"
    before = len((postgresql.folder / "log").read_text())
    with ThreadPoolExecutor(6) as pool:
        replies = list(pool.map(lambda client: client.check_in()["result"], clients))
    statements = re.findall(r"LOG:  (?:execute [^:]+|statement): (.*)", (postgresql.folder / "log").read_text()[before:])
    service.admin("wipe.request", user="alice-id", deviceTag="device-3")
    assert [client.check_in()["result"] for client in clients] == ["unchanged" if n != 3 else "wipe" for n in range(6)]
    service.admin("device.block", deviceTag="device-4")
    assert refusal(clients[4].check_in) == "deviceBlocked"
    service.admin("user.set", user="alice-id", enabled=False)
    assert clients[5].check_in()["isDisabled"]
    service.stop()
    assert replies == ["unchanged"] * 6
    reads = [text for text in statements if text.startswith("SELECT i.registration")]
    assert 1 <= len(reads) <= 6
    # The rest is "last seen", which is stored once a second, for all in one statement.
    rest = [text for text in statements if text not in reads]
    assert all(re.search(r"registrations SET last_sync = (v\.seen|\$2)", text) for text in rest), rest


def test_a_wipe_at_one_instance_is_ordered_by_the_other(pair):
    first, second = pair
    client = second.enrolled()
    wipe = first.admin("wipe.request", user="alice-id")["id"]
    assert client.check_in()["wipe"] == wipe
    client.report_wipe(wipe)
    assert first.admin("wipe.list")["wipes"][0]["done"] == 1


def test_a_policy_and_a_key_at_one_instance_count_at_the_other(pair):
    first, second = pair
    client = second.enrolled()
    first.admin("policy.import", document={**POLICY, "pinRequired": True}, replace=True)
    assert client.check_in()["result"] == "changed"
    first.keys("rotate", "--recovery", str(first.path("recovery.key")))
    assert client.check_in()["result"] == "unchanged"
    assert client.statement == 1


@contextlib.contextmanager
def holding(postgresql, name, statement):
    """A program that has run a statement in a transaction, and waits for COMMIT on its standard input."""
    with subprocess.Popen(
        ["psql", "-h", str(postgresql.folder), "-U", "mamd", "-q", name], stdin=subprocess.PIPE, text=True
    ) as other:
        other.stdin.write(f"BEGIN; {statement}\n")
        other.stdin.flush()
        idle = f"SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = '{name}'"
        until(lambda: postgresql.sql(name, idle))
        yield other


def test_a_conflict_is_repeated(service, postgresql, url):
    client = service.enrolled()
    name = url.split("?")[0].rsplit("/", 1)[-1]
    with holding(postgresql, name, f"UPDATE generations SET head = 'other' WHERE device_tag = '{client.device}';") as other:
        client.generation, client.head = 2, "newer"
        with ThreadPoolExecutor(1) as pool:
            reply = pool.submit(client.check_in)
            until(lambda: postgresql.sql(name, "SELECT 1 FROM pg_locks WHERE NOT granted"))
            other.stdin.write("COMMIT;\n")
            other.stdin.close()
            assert reply.result()["result"] == "unchanged"
    assert postgresql.sql(url, "SELECT generation, head FROM generations") == ["2|newer"]
    assert "could not serialize" in (postgresql.folder / "log").read_text()


def test_a_transaction_that_waits_holds_up_nobody_else(service, postgresql, url):
    waiting, others = service.enrolled(), [service.enrolled(device=f"device-{number}") for number in range(3)]
    name = url.split("?")[0].rsplit("/", 1)[-1]
    held = f"SELECT 1 FROM generations WHERE device_tag = '{waiting.device}' FOR UPDATE \\g /dev/null"
    with holding(postgresql, name, held) as other:
        waiting.generation, waiting.head = 2, "newer"
        with ThreadPoolExecutor(1) as pool:
            reply = pool.submit(waiting.check_in)
            until(lambda: postgresql.sql(name, "SELECT 1 FROM pg_locks WHERE NOT granted"))
            for client in others:
                client.generation, client.head = 2, "newer"
                assert client.check_in()["result"] == "unchanged"
            service.enrolled(device="another")
            assert not reply.done()
            other.stdin.write("COMMIT;\n")
            other.stdin.close()
            assert reply.result()["result"] == "unchanged"


def until(condition):
    while not condition():
        time.sleep(0.02)


def test_without_the_server_the_service_asks_for_patience(service, postgresql):
    client = service.enrolled()
    ready = service.settings["url"] + "/readyz"
    assert client.exchange("GET", ready)[0] == 200
    postgresql.stop()
    try:
        for _ in range(2):
            with pytest.raises(Problem, match="busy") as refused:
                client.check_in()
            assert refused.value.status == 503
        assert client.exchange("GET", ready)[0] == 503
        assert client.exchange("GET", service.settings["url"] + "/healthz")[0] == 200
    finally:
        postgresql.start()
    assert persistently(client.check_in)["result"] == "unchanged"
    assert client.exchange("GET", ready)[0] == 200
    # A connection that was ended between two requests is made again unnoticed.
    postgresql.sql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mamd'")
    assert client.check_in()["result"] == "unchanged"


def test_kills_of_the_server_lose_nothing_acknowledged(pair, postgresql):
    first, second = pair
    done, stopping = [], threading.Event()

    def live(number):
        turn = 0
        while codes and not stopping.is_set():
            turn += 1
            device = f"device-{number}-{turn}"
            client = pair[number % 2].client(device=device)
            client.enroll_reply = persistently(client.enroll, ALICE, codes.pop())
            assert persistently(client.check_in)["result"] in ("unchanged", "changed")
            if turn % 2:
                persistently(client.unenroll)
            done.append((device, client.registration, turn % 2))

    codes = [first.ask("invitation.create", user="alice-id")["reply"]["code"] for _ in range(200)]
    with ThreadPoolExecutor(4) as pool:
        lives = [pool.submit(live, number) for number in range(4)]
        for round_ in range(6):
            before = len(done)
            until(lambda: len(done) > before or any(one.done() for one in lives))
            if round_ % 2:
                postgresql.kill()
                postgresql.start()
            else:
                postgresql.sql("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mamd'")
        stopping.set()
        for one in lives:
            one.result()
    listed = {one["deviceTag"]: one["id"] for one in first.admin("registration.list")["registrations"]}
    assert listed == {device: registration for device, registration, left in done if not left}
    wipe = second.admin("wipe.request", user="alice-id")["id"]
    assert wipe > max(len(done), 10)


def test_a_service_moves_to_postgresql(tmp_path, postgresql):
    service = Service(str(tmp_path / "mamd")).people()
    url, taken = postgresql.database(), postgresql.database()
    postgresql.sql(taken, "CREATE TABLE schema_version (one BIGINT)")
    service.start()
    client, leaving = service.enrolled(), service.enrolled(device="other")
    wipe = service.admin("wipe.request", user="alice-id", deviceTag="other")["id"]
    before = service.admin("authority.show")
    assert "stop it first" in service.run("migrate", "--database", url, check=False).stderr
    service.stop()
    assert "already" in service.run("migrate", "--database", taken, check=False).stderr
    assert service.path("mamd.db").exists()
    assert "rows are at postgresql:///" in service.run("migrate", "--database", url)
    assert not service.path("mamd.db").exists()
    assert service.path("mamd.json").stat().st_mode & 0o777 == 0o600
    service.start()
    after = service.admin("authority.show")
    assert {**after, "path": ""} == {**before, "path": ""}
    assert client.check_in()["result"] == "unchanged"
    assert leaving.check_in()["wipe"] == wipe
    leaving.report_wipe(wipe)
    # New rows have numbers of their own, and changes are counted on.
    assert service.enrolled(device="third").check_in()["result"] == "unchanged"
    service.admin("user.add", upn="bob@contoso.example")
    assert service.admin("wipe.request", user="alice-id")["id"] > wipe
    service.stop(signal.SIGTERM)
