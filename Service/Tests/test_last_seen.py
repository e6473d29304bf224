"""When apps were last seen is stored for many at once: after a second, and before a graceful end. A kill loses that alone."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import Service
from test_mamd import refusal


@pytest.fixture(params=["sqlite", "postgresql"])
def service(request, tmp_path):
    database = [] if request.param == "sqlite" else ["--database", request.getfixturevalue("postgresql").database()]
    running = Service(str(tmp_path / "mamd"), *database).people().start()
    yield running
    running.stop()


def changed(service):
    """Apps on six devices, each of which has reported a newer state."""
    clients = [service.enrolled(device=f"device-{number}") for number in range(6)]
    for number, client in enumerate(clients):
        client.generation, client.head = number + 2, f"head-{number}"
    with ThreadPoolExecutor(6) as pool:
        assert [reply["result"] for reply in pool.map(lambda client: client.check_in(), clients)] == ["unchanged"] * 6
    return clients


def is_stored(service, clients):
    found = {one["deviceTag"]: one for one in service.admin("registration.list")["registrations"]}
    return all(
        found[client.device]["stateGeneration"] == client.generation and found[client.device]["lastSyncDateTime"]
        for client in clients
    )


def test_it_is_stored_while_the_service_runs(service):
    clients = changed(service)
    while not is_stored(service, clients):
        time.sleep(0.05)
    # The next ones bring nothing new, and the former ones are recent.
    with ThreadPoolExecutor(6) as pool:
        assert [reply["result"] for reply in pool.map(lambda client: client.check_in(), clients)] == ["unchanged"] * 6


def test_it_is_stored_at_a_graceful_end(service):
    clients = changed(service)
    service.stop()
    assert is_stored(service, clients)


def test_a_kill_loses_nothing_else(service):
    clients = changed(service)
    wipe = service.admin("wipe.request", user="alice-id", deviceTag="device-0")["id"]
    service.stop(signal.SIGKILL)
    service.start()
    assert clients[0].check_in()["wipe"] == wipe
    # The states that the killed process has received are the newest: former ones are copies.
    for client in clients[1:]:
        assert client.check_in()["result"] == "unchanged"
        client.generation, client.head = 1, "former"
        assert refusal(client.check_in) == "confirm"
