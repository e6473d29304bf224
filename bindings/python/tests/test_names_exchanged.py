"""Two accounts exchange their UPNs: data follows its account, and the name of one that leaves is never the other one's again."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import mam
import pytest
from conftest import ANN, BEN, Office

LEAVE: dict[str, Callable[[Office, mam.Mam], object]] = {
    "wiped by the host": lambda office, m: m.wipe_account(BEN).wait(30),
    "wiped by the administrator": lambda office, m: (office.authority.request_wipe(BEN), m.check_in().wait(30)),
    "unenrolled": lambda office, m: m.deregister_and_unenroll(BEN).wait(30),
}


def exchange(office: Office, m: mam.Mam) -> None:
    for name, upn in ((ANN, "other@contoso.example"), (BEN, ANN), ("other@contoso.example", BEN)):
        office.authority.set_user(name, upn=upn)
    assert m.check_in().wait(30).succeeded


def test_databases_follow_their_accounts(office: Office, m: mam.Mam, tmp_path: Path) -> None:
    for upn in (ANN, BEN):
        assert m.register_and_enroll(upn).wait(30).succeeded
        with contextlib.closing(m.connect_sqlite(tmp_path / upn, account=upn)) as database:
            database.execute("CREATE TABLE t AS SELECT ?", [upn])
            database.commit()
    exchange(office, m)
    for upn, former in ((ANN, BEN), (BEN, ANN)):
        with contextlib.closing(m.connect_sqlite(tmp_path / former, account=upn)) as database:
            assert database.execute("SELECT * FROM t").fetchone() == (former,)
        with pytest.raises(sqlite3.OperationalError, match="is data of") as refused:
            m.connect_sqlite(tmp_path / upn, account=upn)
        assert getattr(refused.value, "user_message", "")


@pytest.mark.parametrize("leave", LEAVE.values(), ids=LEAVE)
@pytest.mark.parametrize("order", [(ANN, BEN), (BEN, ANN)], ids=["first", "second"])
def test_the_name_of_one_that_left_is_retired(
    office: Office, order: tuple[str, str], leave: Callable[[Office, mam.Mam], object]
) -> None:
    with office.open() as m:
        for upn in order:
            assert m.register_and_enroll(upn).wait(30).succeeded
        ids = {account.upn: account.account_id for account in m.enrolled_accounts()}
        exchange(office, m)
        assert {account.upn: account.account_id for account in m.enrolled_accounts()} == {ANN: ids[BEN], BEN: ids[ANN]}
        sealed = m.protect(ANN, b"of the one that stays")
        leave(office, m)
        m.run_due()
    with office.open() as m:
        (left,) = m.enrolled_accounts()
        assert (left.account_id, left.upn) == (ids[BEN], ANN)
        assert m.unprotect(sealed) == b"of the one that stays"
        assert m.former_account(BEN) is not None
        registered = m.registered_account(BEN)
        assert registered is None or registered.account_id != ids[BEN]
        for call in (lambda: m.check_name(BEN), lambda: m.protect(BEN, b"x")):
            with pytest.raises(mam.NotEnrolledError):
                call()
