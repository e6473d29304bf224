"""MAM_IDENTITY: the identity that a program inherits from the one that started it."""

from __future__ import annotations

from typing import Any

import mam
import pytest
from conftest import ANN, BEN, Office

MULTI = {"MultiIdentity": True, "MultiManagedIdentities": True}


def opened(office: Office, **keys: Any) -> mam.Mam:
    return office.open(settings=MULTI, **keys)


def test_it_is_the_process_identity(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(office) as m:
        m.register_and_enroll(ANN).wait(30)
        assert m.process_identity() is None
    monkeypatch.setenv("MAM_IDENTITY", ANN.upper())
    with opened(office) as m:
        assert m.identities_equal(m.process_identity(), ANN)
        with m.current_policy() as policy:
            assert policy.effective().managed
        m.set_process_identity(BEN)
        assert m.process_identity() == BEN
    monkeypatch.setenv("MAM_IDENTITY", "")
    with opened(office) as m:
        assert m.process_identity() == ""
        with m.current_policy() as policy:
            assert not policy.effective().managed


def test_a_host_that_decides_for_itself(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAM_IDENTITY", ANN)
    with opened(office, inherit_identity=False) as m:
        assert m.process_identity() is None


@pytest.mark.parametrize("name", [" ann", "a\nb", "a" * 65536, b"\xff".decode("utf-8", "surrogateescape")])
def test_an_invalid_name_is_an_error(office: Office, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("MAM_IDENTITY", name)
    with pytest.raises(mam.ArgumentError):
        opened(office)


def test_an_unregistered_name(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAM_IDENTITY", "eve")
    with pytest.raises(mam.NotFoundError):
        opened(office, unknown_identities="error")
    with opened(office) as m:
        assert m.process_identity() == "eve"
