"""A user who can replace the file of an administered authority does not count as restrained by it: a directory anywhere
above the file that its user can change, a link in one, another authority put there within one session."""

import os
import shutil
import tempfile
from pathlib import Path

from attack import Office, broken, check, held, skip

OTHER = 65534  # the user of the app


class App:
    """The other user's app, in a separate process, with one session. (A fork: the other user may not reach the
    interpreter.)"""

    def __init__(self, folder: Path, authority: Path) -> None:
        state = Path(tempfile.mkdtemp(dir=folder))
        os.chown(state, OTHER, OTHER)
        asked, self.asking = os.pipe()
        self.answers, answering = os.pipe()
        self.child = os.fork()
        if self.child:
            os.close(asked)
            os.close(answering)
            return
        os.close(self.asking)
        os.setgroups([])
        os.setresgid(OTHER, OTHER, OTHER)
        os.setresuid(OTHER, OTHER, OTHER)
        office = Office.__new__(Office)
        office.authority, office.state = authority, state / "state"
        try:
            session = office.session()
            while os.read(asked, 1):
                _, found = session.take("mam_diagnostics")
                os.write(answering, found["authority"]["custody"].encode().ljust(16))
        finally:
            os._exit(0)

    def custody(self) -> str:
        os.write(self.asking, b"?")
        return os.read(self.answers, 16).decode().strip() or broken("the app ended")

    def end(self) -> None:
        os.close(self.asking)
        os.close(self.answers)
        os.waitpid(self.child, 0)


def main() -> None:
    if os.geteuid() != 0:
        skip("only root can own an authority that another user's app reads")
    office = Office()
    for folder in (office.folder, office.folder.parent):
        if folder.stat().st_uid == 0 and folder.stat().st_mode & 0o022 == 0:
            folder.chmod(0o755)  # the other user must reach the file
    place = office.folder / "above" / "directory"
    place.mkdir(parents=True)
    authority = place / "authority.db"
    for beside in office.folder.glob("authority.db*"):
        moved = place / beside.name
        beside.rename(moved)
    authority.chmod(0o644)
    office.authority = authority

    tried = 0

    def expect(custody: str, why: str, path: Path = authority) -> None:
        nonlocal tried
        tried += 1
        app = App(office.folder, path)
        found = app.custody()
        app.end()
        check(found == custody, f"{why}: the custody is {found!r}")

    expect("administered", "root's file in root's directories")
    above = place.parent
    for mode in (0o775, 0o757, 0o777):
        above.chmod(mode)
        expect("development", f"a directory above has mode {mode:o}")
    above.chmod(0o1777)
    expect("administered", "a sticky directory with root's entry")
    os.chown(place, OTHER, OTHER)
    expect("development", "the directory is the app's user's")
    os.chown(place, 0, 0)
    above.chmod(0o755)
    for owner in (OTHER, 4_000_000):
        os.chown(above, owner, owner)
        expect("development", f"a directory above is user {owner}'s")
    os.chown(above, 0, 0)

    links = office.folder / "links"
    links.mkdir()
    (links / "file").symlink_to("../above/directory/authority.db")
    (links / "folder").symlink_to(place)
    (links / "twice").symlink_to("folder/../directory")
    ways = [links / "file", links / "folder" / "authority.db", links / "twice" / "authority.db"]
    for way in ways:
        expect("administered", f"a link of root's: {way.name}", way)
    os.chown(links, OTHER, OTHER)
    for way in ways:
        expect("development", f"a link in the app's user's directory: {way.name}", way)

    # Within one session: the directory above changes its owner, its entry is renamed, and root's lax authority is put there.
    lax = office.folder / "lax"
    shutil.copytree(place, lax)
    app = App(office.folder, authority)
    check(app.custody() == "administered", "the custody before the exchange")
    os.chown(above, OTHER, OTHER)
    check(app.custody() == "development", "within one session: a directory above is the app's user's")
    place.rename(above / "former")
    shutil.copytree(lax, place)
    check(app.custody() == "development", "within one session: another authority at the path")
    os.chown(above, 0, 0)
    check(app.custody() == "administered", "the directory above is root's again")
    app.end()
    office.remove()
    held(f"{tried} ways: a custody of 'administered' needs every directory on the way")


if __name__ == "__main__":
    main()
