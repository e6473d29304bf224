"""No way to leave a service and to come back opens data whose wipe was requested, or reports a wipe that was not carried out."""

import pytest
from app import ALICE, App, needs_mamctl

pytestmark = needs_mamctl


def protected(app):
    """A container of the account."""
    path = app.folder / "sealed"
    status, _, errors = app.run("protect", "--account", ALICE, "--output", str(path), data="secret")
    assert status == 0, errors
    return path


def opened(app, path):
    with path.open("rb") as sealed:
        return app.start("unprotect", stdin=sealed).communicate()[0]


LEAVING = {
    "the authority is given up": [("authority", "forget")],
    "the account is unenrolled": [("unenroll", ALICE)],
    "both": [("unenroll", ALICE), ("authority", "forget")],
}


@pytest.mark.parametrize("is_renamed", (False, True), ids=("", "renamed"))
@pytest.mark.parametrize("is_before", (True, False), ids=("before", "after"))
@pytest.mark.parametrize("leave", LEAVING)
def test_a_wipe_is_not_escaped(service, tmp_path, leave, is_before, is_renamed):
    """A wipe is requested before or after an account leaves; it is enrolled again with a new invitation."""
    if is_before and leave != "the authority is given up":
        pytest.skip("an account that leaves is wiped then")
    app = App(tmp_path / "app", service.settings)
    assert app.enroll(service.invite())[0] == 0
    sealed = protected(app)
    if is_before:
        wipe = service.admin("wipe.request", user="alice-id")["id"]
    for command in LEAVING[leave]:
        assert app.run(*command)[0] == 0
    name = "alice.new@contoso.example" if is_renamed else ALICE
    if is_renamed:
        service.admin("user.set", user="alice-id", upn=name)
    if not is_before:
        wipe = service.admin("wipe.request", user="alice-id")["id"]

    # A renamed account may need a second invitation, since the first request did not know what the state has.
    for _ in range(3):
        (app.folder / "code").write_text(service.invite(name))
        said = app.run("enroll", name, "--invite", str(app.folder / "code"))
        if "wipeReceived" in said[1] + said[2]:
            break
    else:
        pytest.fail(str(said))
    assert opened(app, sealed) == ""
    done = {one["id"]: (one["pending"], one["done"]) for one in service.admin("wipe.list")["wipes"]}
    assert done[wipe][0] == 0
    if is_before:
        assert done[wipe] == (0, 1)
    (app.folder / "code").write_text(service.invite(name))
    status, _, errors = app.run("enroll", name, "--invite", str(app.folder / "code"))
    assert status == 0, errors
    assert app.run("check-in")[0] == 0 and opened(app, sealed) == ""


@pytest.mark.parametrize("leave", LEAVING)
def test_without_a_wipe_the_data_is_there_again(service, tmp_path, leave):
    """An account leaves and is enrolled again: wipes of others, and of another app, are not its own."""
    service.admin("user.add", upn="bob@contoso.example", accountId="bob-id")
    app = App(tmp_path / "app", service.settings)
    assert app.enroll(service.invite())[0] == 0
    sealed = protected(app)
    for command in LEAVING[leave]:
        assert app.run(*command)[0] == 0
    service.admin("wipe.request", user="bob-id")
    service.admin("wipe.request", user="alice-id", app="elsewhere", force=True)
    assert app.enroll(service.invite())[0] == 0
    assert opened(app, sealed) == "secret"
