"""A PostgreSQL server in a temporary folder, on a Unix socket, as a user without privileges."""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

ROOTS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name), reverse=True)


class PostgreSQL:
    """One server; each database of it is made for one test."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="mamd-postgresql-"))
        self.numbers = itertools.count(1)
        # It does not run as root.
        self.user = None
        if os.geteuid() == 0:
            names = [user.pw_name for user in pwd.getpwall()]
            self.user = "postgres" if "postgres" in names else "nobody"
            shutil.chown(self.folder, self.user)
        self.run("initdb", "--pgdata", "data", "--username", "mamd", "--auth", "trust", "--encoding", "UTF8", "--no-sync")
        self.start()

    def run(self, program, *arguments, check=True):
        return subprocess.run(
            [ROOTS[0] / program, *arguments],
            cwd=self.folder,
            user=self.user,
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"},
            capture_output=True,
            text=True,
            check=check,
        )

    def start(self):
        # Processes are killed here, computers are not: nothing has to reach the disk.
        options = f"-k {self.folder} -c listen_addresses= -c fsync=off -c max_connections=60"
        with open(os.devnull, "w") as nothing:
            subprocess.run(
                [ROOTS[0] / "pg_ctl", "start", "--wait", "--pgdata", "data", "--log", "log", "-o", options],
                cwd=self.folder,
                user=self.user,
                stdout=nothing,
                stderr=nothing,
                check=True,
            )

    def stop(self, mode="fast"):
        self.run("pg_ctl", "stop", "--wait", "--pgdata", "data", "--mode", mode)

    def kill(self):
        """Kill the server and all its processes, and start it again."""
        parent = int((self.folder / "data/postmaster.pid").read_text().split()[0])
        os.kill(parent, signal.SIGKILL)
        self.run("pg_ctl", "stop", "--wait", "--pgdata", "data", "--mode", "immediate", check=False)

    def database(self):
        """The address of a new database."""
        name = f"mamd{next(self.numbers)}"
        self.sql("postgres", f"CREATE DATABASE {name}")
        return self.url(name)

    def url(self, name):
        return f"postgresql://mamd@/{name}?host={self.folder}"

    def sql(self, database, statement):
        """The rows of a statement, their columns separated by |."""
        name = database.split("?")[0].rsplit("/", 1)[-1]
        arguments = ["-h", str(self.folder), "-U", "mamd", "-At", "-v", "ON_ERROR_STOP=1", "-c", statement, name]
        return self.run("psql", *arguments).stdout.splitlines()

    def end(self):
        self.run("pg_ctl", "stop", "--wait", "--pgdata", "data", "--mode", "immediate", check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
