"""Check-ins that are answered from a replica: what it does not have yet is asked for at the primary."""

import time
from contextlib import contextmanager

import pytest
from client import Problem
from conftest import POLICY
from instances import PlainClient, Standby, instances
from postgresql import ROOTS, PostgreSQL

pytestmark = pytest.mark.skipif(not ROOTS, reason="PostgreSQL's server programs are not installed")
ALICE = "alice@contoso.example"


class Pair:
    """A primary and its standby, an instance that reads from the standby and one that does not."""

    def __init__(self, primary, standby, name, reading, direct):
        self.primary, self.standby, self.name = primary, standby, name
        self.reading, self.direct = reading, direct

    def enrolled(self, **options):
        client = PlainClient(self.reading.settings, [self.reading], **options)
        client.enroll(ALICE, self.direct.invite())
        return client

    def follow(self):
        """Wait until the standby has what the primary has."""
        (now,) = self.primary.sql("postgres", "SELECT pg_current_wal_lsn()")
        while self.standby.sql("postgres", f"SELECT pg_last_wal_replay_lsn() >= '{now}'") != ["t"]:
            time.sleep(0.01)

    def pause(self):
        """The standby receives everything from now on, and shows nothing of it."""
        self.follow()
        self.standby.sql("postgres", "SELECT pg_wal_replay_pause()")
        while self.standby.sql("postgres", "SELECT pg_get_wal_replay_pause_state()") != ["paused"]:
            time.sleep(0.01)

    def resume(self):
        self.standby.sql("postgres", "SELECT pg_wal_replay_resume()")
        self.follow()

    def check_in(self, client, at=None):
        """The result; numbers of changes never fall."""
        client.instances, before = [at or self.reading], client.sequence
        result = client.check_in()["result"]
        assert client.sequence >= before
        return result


@contextmanager
def running(tmp_path):
    primary = PostgreSQL()
    standby = None
    try:
        name = primary.database().split("?")[0].rsplit("/", 1)[-1]
        standby = Standby(primary)
        with instances(tmp_path, primary.url(name), 2) as (reading, direct):
            direct.people()
            reading.stop()
            reading.start("--replica", standby.url(name))
            yield Pair(primary, standby, name, reading, direct)
    finally:
        primary.end()
        if standby:
            standby.end()


def test_a_replica_answers_while_the_primary_is_away(tmp_path):
    with running(tmp_path) as pair:
        client = pair.enrolled()
        pair.follow()
        assert pair.check_in(client) == "unchanged"
        pair.primary.stop()
        assert pair.check_in(client) == "unchanged"
        with pytest.raises(Problem, match="busy"):
            pair.check_in(client, pair.direct)


def test_a_replica_that_is_behind_takes_nothing_back(tmp_path):
    with running(tmp_path) as pair:
        client, other = pair.enrolled(device="one"), pair.enrolled(device="other")
        pair.pause()
        # A registration that it does not have.
        newer = pair.enrolled(device="newer")
        assert pair.check_in(newer) == "unchanged"
        # A policy that it does not have, and a client that does.
        pair.direct.admin("policy.import", document={**POLICY, "id": "more"})
        pair.direct.admin("policy.assign", policy="more", allUsers=True)
        pair.direct.admin("policy.target", policy="more", app="notes")
        assert pair.check_in(client, pair.direct) == "changed"
        assert pair.check_in(client) == "unchanged"
        assert pair.check_in(client, pair.direct) == "unchanged", "the former policy came back"
        # A wipe that a client has received stays; others get it when the replica has it, at the latest.
        for one in (client, other):
            pair.direct.admin("wipe.request", user="alice-id", deviceTag=one.device)
        assert pair.check_in(client, pair.direct) == "wipe"
        assert pair.check_in(client) == "wipe"
        assert pair.check_in(other) in ("unchanged", "changed", "wipe")
        pair.resume()
        assert pair.check_in(other) == "wipe"


def test_without_the_replica_the_primary_answers(tmp_path):
    with running(tmp_path) as pair:
        client = pair.enrolled()
        pair.standby.stop()
        pair.primary.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = ''")
        pair.primary.sql("postgres", "SELECT pg_reload_conf()")
        for _ in range(3):
            assert pair.check_in(client) == "unchanged"
