"""Several instances of mamd on one PostgreSQL database, and what stands before them."""

import http.client
import os
import random
import shutil
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from client import Client, Problem
from conftest import MAMD, POLICY, Service, free_port
from postgresql import PostgreSQL


class Instance(Service):
    """One process, with a folder of its own: the settings and the store key."""

    def __init__(self, first, number):
        self.folder, self.process, self.port = f"{first.folder}-{number}", None, free_port()
        self.settings = first.settings
        shutil.copytree(first.folder, self.folder)

    def start(self, *options, **environment):
        return super().start("--listen", f"127.0.0.1:{self.port}", *options, **environment)

    def reply(self, action, **keys):
        """The reply to an administrator; None where there is none."""
        try:
            return self.ask(action, **keys).get("reply")
        except (OSError, ValueError):
            return None


class PlainClient(Client):
    """A client that asks one instance after another, without TLS."""

    def __init__(self, settings, instances, **options):
        super().__init__(settings, context=object(), **options)
        self.instances = list(instances)

    def exchange(self, method, url, fields=(), body=None):
        self.instances.append(self.instances.pop(0))
        parts = urlsplit(url)
        connection = http.client.HTTPConnection("127.0.0.1", self.instances[-1].port, timeout=60)
        try:
            connection.request(method, parts.path, body=body, headers={**dict(fields), "Host": parts.netloc})
            reply = connection.getresponse()
            if reply.status in (429, 503) and "Signature" not in reply.headers:
                # While the database is away, an instance signs 100 refusals a second, and admits as many requests as it can answer.
                raise ConnectionError(f"{reply.status}, to be repeated")
            return reply.status, reply.headers, reply.read()
        finally:
            connection.close()


@contextmanager
def instances(folder, database, count, url="https://localhost:8443"):
    """Instances that run, in folders of their own."""
    first = Service(str(folder / "mamd"), "--proxy", "--url", url, "--database", database)
    made = [Instance(first, number) for number in range(count)]
    try:
        yield [one.start() for one in made]
    finally:
        for one in made:
            if one.process:
                one.process.kill()
                one.process.wait()
                one.process.stdout.close()


class Changes:
    """Changes of an administrator, in one instance or another, and those that were acknowledged."""

    def __init__(self, made):
        self.instances, self.random = made, random.Random(os.environ.get("MAM_SEED", "1"))
        self.acknowledged, self.number = [], 0

    def one_more(self):
        self.number += 1
        name = f"change-{self.number}@mam.invalid"
        if self.random.choice(self.instances).reply("user.add", upn=name):
            self.acknowledged.append(name)


class People:
    """Clients that enroll one after another and go on checking in, each with the instance that answers, on a thread of their
    own. Every third one is ordered to wipe. Acknowledged requests are remembered."""

    upn = "people@mam.invalid"  # a load takes the service for its own

    def __init__(self, made):
        self.instances = made
        self.enrolled, self.wipes = [], {}
        self.stopping, self.failure = threading.Event(), None
        self.thread = threading.Thread(target=self.go_on)

    def __enter__(self):
        self.persistently("user.add", upn=self.upn, accountId="people-id")
        self.persistently("policy.import", document={**POLICY, "id": "people"})
        self.persistently("policy.assign", policy="people", allUsers=True)
        self.persistently("policy.target", policy="people", app="people")
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        self.thread.join()

    def persistently(self, action, **keys):
        """The reply to an action that may be repeated, of any instance."""
        while True:
            for instance in self.instances:
                reply = instance.reply(action, **keys)
                if reply is not None:
                    return reply
            time.sleep(0.05)

    def answer(self, call, *arguments):
        """The reply to a request, repeated until it is answered."""
        while True:
            try:
                return call(*arguments)
            except (OSError, http.client.HTTPException):
                pass
            except Problem as problem:
                if problem.name != "busy":
                    raise
            time.sleep(0.05)

    def go_on(self):
        try:
            while not self.stopping.is_set():
                client = PlainClient(self.instances[0].settings, self.instances, app="people")
                self.answer(client.enroll, self.upn, self.persistently("invitation.create", user=self.upn)["code"])
                self.enrolled.append(client)
                if len(self.enrolled) % 3 == 0:
                    wipe = self.persistently("wipe.request", user=self.upn, deviceTag=client.device)
                    self.wipes[client.device] = wipe["id"]
                for other in self.enrolled[-3:]:
                    result = self.answer(other.check_in)
                    # The load targets an app of its own at some time, which every client hears of once.
                    expected = ["wipe"] if other.device in self.wipes else ["unchanged", "changed"]
                    assert result["result"] in expected, result
        except BaseException as error:
            self.failure = error

    def assert_right_state(self, instance):
        """Each client has its registration and the policy, or carries out the wipe that was ordered and has then none."""
        assert self.failure is None, self.failure
        assert len(self.enrolled) > 3 and self.wipes
        for client in self.enrolled:
            client.instances = [instance]
            self.answer(client.check_in)
            reply = self.answer(client.check_in)
            if client.device not in self.wipes:
                assert reply["result"] == "unchanged" and client.tags[0], (client.device, reply)
                client.tags = (None, None)
                assert [one["id"] for one in client.check_in()["policies"]] == ["people"]
                continue
            # A request that was not answered was repeated, and made another wipe.
            assert reply["result"] == "wipe" and reply["wipe"] >= self.wipes[client.device]
            client.report_wipe(reply["wipe"])
            again = PlainClient(client.settings, [instance], app="people", device=client.device)
            assert again.enroll(self.upn, instance.invite(self.upn), reply["wipe"])["registration"]
        tags = {one["deviceTag"] for one in instance.admin("registration.list", user=self.upn)["registrations"]}
        assert tags == {client.device for client in self.enrolled}


def run_load(folder, *options):
    """mamd load, in the background."""
    words = [MAMD, "load", "run", folder, "--json", *options]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


class Standby(PostgreSQL):
    """A copy of a server that follows it. Once it does, the first one acknowledges nothing that the copy does not have."""

    def __init__(self, first):
        self.folder, self.user = Path(tempfile.mkdtemp(prefix="mamd-standby-")), first.user
        if self.user:
            shutil.chown(self.folder, self.user)
        words = ["--host", str(first.folder), "--username", "mamd", "--pgdata", "data", "--write-recovery-conf"]
        self.run("pg_basebackup", *words, "--checkpoint", "fast", "--no-sync")
        self.start()
        first.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
        first.sql("postgres", "SELECT pg_reload_conf()")
        while first.sql("postgres", "SELECT sync_state FROM pg_stat_replication") != ["sync"]:
            time.sleep(0.01)

    def promote(self):
        self.run("pg_ctl", "promote", "--wait", "--pgdata", "data")


@contextmanager
def pgbouncer(server, folder):
    """PgBouncer before a server, in transaction mode, with fewer connections to it than programs have, each of which gets the next
    transaction in turn: the folder of its socket."""
    place = Path(tempfile.mkdtemp(prefix="mamd-pool-"))
    path = place / "pgbouncer.ini"
    path.write_text(
        f"""[databases]
* = host={server.folder} user=mamd
[pgbouncer]
unix_socket_dir = {place}
listen_addr =
auth_type = any
pool_mode = transaction
server_round_robin = 1
default_pool_size = 3
max_client_conn = 100
logfile = {place}/log
"""
    )
    if server.user:
        shutil.chown(place, server.user)
    with open(folder / "pgbouncer.log", "w") as log:
        process = subprocess.Popen(["pgbouncer", str(path)], user=server.user, stdout=log, stderr=log)
    try:
        while not list(place.glob(".s.PGSQL.*")):
            assert process.poll() is None, (folder / "pgbouncer.log").read_text()
            time.sleep(0.01)
        yield place
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(place)
