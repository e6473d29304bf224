"""Errors about arguments name the parameter as Python has it, and what it takes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import mam
import pytest
from conftest import ANN, Office

Call = Callable[[mam.Mam, Office, Any], object]
LONG = "x" * 300
#: How the message of a call begins.
WRONG_TYPES: dict[str, Call] = {
    r"authority must be a path or a mapping, not NoneType: is MAM_AUTHORITY set\?": lambda m, o, _: mam.open("a", _(None)),
    "authority must be a path or a mapping, not int": lambda m, o, _: mam.open("a", _(5)),
    "app must be str, not bytes": lambda m, o, _: mam.open(_(b"a"), o.authority),
    "app must be str, not NoneType": lambda m, o, _: mam.open(_(None), o.authority),
    "version must be str, not int": lambda m, o, _: o.open(version=5),
    "group must be str, not bytes": lambda m, o, _: o.open(group=b"a"),
    "language must be str, not bytes": lambda m, o, _: o.open(language=b"de"),
    "questions must be str, not int": lambda m, o, _: o.open(questions=5),
    "unknown_identities must be str, not bool": lambda m, o, _: o.open(unknown_identities=True),
    "device must be a mapping, not int": lambda m, o, _: o.open(device=5),
    "settings must be a mapping, not list": lambda m, o, _: o.open(settings=[]),
    "new must be str or bytes, not int": lambda m, o, _: m.pin_set(ANN, _(5)),
    "old must be str or bytes, not int": lambda m, o, _: m.pin_set(ANN, "2580", old=_(5)),
    "pin must be str or bytes, not NoneType": lambda m, o, _: m.pin_verify(ANN, _(None)),
    "upn must be str, not int": lambda m, o, _: m.register_and_enroll(_(5)),
    "account_id must be str, not bytes": lambda m, o, _: m.register_and_enroll(account_id=_(b"x")),
    "protected must be str or bytes, not int": lambda m, o, _: m.unprotect_string(_(5)),
    "plain must be str or bytes, not int": lambda m, o, _: m.protect_string(ANN, _(5)),
}
WRONG_VALUES: dict[str, tuple[str, Call]] = {
    r"there is no action 'Print': did you mean 'print'\?": ("action", lambda m, o, _: m.check(_("Print"), ANN)),
    r"there is no action 'saveto': did you mean 'saveTo'\?": ("action", lambda m, o, _: m.check(_("saveto"), ANN)),
    r"there is no action 'print2'": ("action", lambda m, o, _: m.check_many([{"action": "print2", "account": ANN}])),
    "new: is empty": ("new", lambda m, o, _: m.pin_set(ANN, "")),
    "identities: begins or ends": ("identities", lambda m, o, _: m.set_ui_identity([" a"])),
    "accounts: begins or ends": ("accounts", lambda m, o, _: m.policy_for_accounts([" a"])),
    "upn: is 300 bytes long": ("upn", lambda m, o, _: m.register_and_enroll(LONG)),
    "account_id: is 300 bytes long": ("account_id", lambda m, o, _: m.register_and_enroll(account_id=LONG)),
    "target: is empty": ("target", lambda m, o, _: m.file_export("/x", mam.SaveLocation.OTHER, "")),
    "protected is empty": ("protected", lambda m, o, _: m.unprotect_string("")),
    "app must be 1 to 128": ("", lambda m, o, _: o.open(app="a b")),
    "unknown_identities is ": ("", lambda m, o, _: o.open(unknown_identities="x")),
    "state_directory: x is not": ("state_directory", lambda m, o, _: mam.open("a", o.authority, state_directory="x")),
    "info_plist: ": ("", lambda m, o, _: o.open(info_plist="/no such file")),
}


def as_any(value: object) -> Any:
    return value


@pytest.mark.parametrize("message", WRONG_TYPES)
def test_wrong_types(enrolled: mam.Mam, office: Office, message: str) -> None:
    with pytest.raises(TypeError, match=f"^{message}"):
        WRONG_TYPES[message](enrolled, office, as_any)


@pytest.mark.parametrize("message", WRONG_VALUES)
def test_wrong_values(enrolled: mam.Mam, office: Office, message: str) -> None:
    argument, call = WRONG_VALUES[message]
    with pytest.raises(mam.MamError, match=f"^{message}") as error:
        call(enrolled, office, as_any)
    if argument:
        assert error.value.detail["argument"] == argument


def test_a_wrong_target(enrolled: mam.Mam, tmp_path: Path) -> None:
    with enrolled.policy(ANN) as policy:
        for one in (mam.ShareTarget(scheme="x", identity=LONG), mam.ShareTarget(scheme="x", identity=as_any(5))):
            with pytest.raises(mam.ArgumentError, match=r"^targets\[0\].identity"):
                policy.filter_share_targets([one])
