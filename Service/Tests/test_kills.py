"""Kills and full disks: what was answered lasts, and what is repeated has one effect. MAM_KILLS sets the number of kills."""

import http.client
import os
import random
import resource
import signal
import subprocess
import threading

import pytest
from client import Problem
from conftest import Service

KILLS = int(os.environ.get("MAM_KILLS", "20"))
ALICE = "alice@contoso.example"


class Killer:
    """Kills the service once during each call, at a random time, and repeats the call until it is answered."""

    def __init__(self, service):
        self.service, self.random = service, random.Random(os.environ.get("MAM_SEED", "1"))
        self.repeated = 0

    def __call__(self, call, *arguments, **keywords):
        timer = threading.Timer(self.random.uniform(0, 0.03), self.service.process.kill)
        timer.start()
        try:
            result = call(*arguments, **keywords)
        except (OSError, ValueError, http.client.HTTPException):
            timer.join()
            self.restart()
            self.repeated += 1
            return call(*arguments, **keywords)
        timer.join()
        self.restart()
        return result

    def restart(self):
        self.service.stop(signal.SIGKILL)
        self.service.start()


def test_kills_at_any_time(service):
    kill, clients, wipes, kept = Killer(service), [], [], []
    for turn in range(KILLS):
        match turn % 4:
            case 0:
                client = service.client(device=f"device-{turn}")
                code = service.invite()
                kill(client.enroll, ALICE, code)
                clients.append(client)
            case 1:
                kill(clients[-1].check_in)
            case 2:
                reply = kill(service.ask, "wipe.request", user="alice-id", deviceTag=clients[-1].device)
                wipes.append(reply["reply"]["id"])
            case 3:
                client = clients[-1]
                before = client.sequence
                wipe = client.check_in()["wipe"]
                assert wipe >= wipes[-1] and client.sequence >= before
                if turn % 8 == 3:
                    kill(client.report_wipe, wipe)
                    assert client.check_in()["wipe"] == wipe
                else:
                    kept.append((client, wipe))
    listed = service.admin("registration.list")["registrations"]
    tags = [one["deviceTag"] for one in listed]
    assert len(tags) == len(set(tags)), "a registration is doubled"
    for client, wipe in kept:
        assert tags.count(client.device) == 1
        assert client.check_in()["wipe"] == wipe, "a wipe is lost"
        # Nor does another enrollment escape it.
        again = service.client(device=client.device)
        assert again.enroll(ALICE, service.invite(), client.wipe_mark)["wipe"] == wipe
    known = {one["id"] for one in service.admin("wipe.list")["wipes"]}
    assert known >= set(wipes), "a wipe that was acknowledged is lost"
    assert kill.repeated > 0, "no kill came before an answer"


class Disk:
    """A full disk under the service."""

    def __init__(self, folder):
        self.service = Service(str(folder / "mamd")).people().start()

    def end(self):
        self.service.stop()


class SmallFiles(Disk):
    """No file may grow, as with a quota."""

    def fill(self):
        resource.prlimit(self.service.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))

    def free(self):
        resource.prlimit(self.service.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)


class SmallDisk(Disk):
    """A small file system in memory."""

    def __init__(self, folder):
        self.mount = folder / "disk"
        self.mount.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=16m,mode=700", "mam-test", str(self.mount)]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            pytest.skip("nothing can be mounted here")
        super().__init__(self.mount)

    def fill(self):
        with open(self.mount / "filler", "wb", buffering=0) as filler:
            try:
                while filler.write(bytes(4096)):
                    pass
            except OSError:
                pass

    def free(self):
        (self.mount / "filler").unlink()

    def end(self):
        super().end()
        subprocess.run(["umount", str(self.mount)], check=True)


@pytest.mark.parametrize("kind", [SmallFiles, SmallDisk])
def test_what_a_full_disk_does_not_take_is_not_acknowledged(tmp_path, kind):
    disk = kind(tmp_path)
    service = disk.service
    try:
        live = service.enrolled(device="live")
        codes = [service.invite() for _ in range(40)]
        clients = [service.client(device=f"device-{number}") for number in range(40)]
        disk.fill()
        acknowledged, refused = [], []
        for client, code in zip(clients, codes, strict=True):
            try:
                client.enroll(ALICE, code)
                acknowledged.append(client)
            except Problem as problem:
                assert (problem.status, problem.name) == (503, "busy")
                refused.append((client, code))
        assert refused, "the disk was not full"
        answer = service.ask("wipe.request", user="alice-id", deviceTag="live")
        assert "error" in answer
        # Requests that need no disk are answered.
        assert live.check_in()["result"] == "unchanged"
        service.process.kill()
        disk.service.stop(signal.SIGKILL)
        if kind is SmallDisk:
            disk.free()
        service.start()
        tags = {one["deviceTag"] for one in service.admin("registration.list")["registrations"]}
        assert tags == {"live"} | {client.device for client in acknowledged}
        assert service.admin("wipe.list")["wipes"] == []
        for client in acknowledged:
            assert client.check_in()["result"] == "unchanged"
        for client, code in refused:
            client.enroll(ALICE, code)
    finally:
        disk.end()


def test_a_disk_that_has_space_again_needs_no_restart(tmp_path):
    disk = SmallFiles(tmp_path)
    try:
        client, code = disk.service.client(), disk.service.invite()
        disk.fill()
        with pytest.raises(Problem, match="busy"):
            client.enroll(ALICE, code)
        disk.free()
        client.enroll(ALICE, code)
        assert client.check_in()["result"] == "unchanged"
    finally:
        disk.end()
