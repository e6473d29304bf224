"""App configuration from Python; the C tests cover the answers themselves."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import mam
import pytest
from conftest import ANN, APP, BEN, EVE, Office, in_child
from mam import BooleanQuery, OrderedQuery


def target(office: Office, id: str, **settings: str) -> None:
    document = {
        "@odata.type": "#microsoft.graph.targetedManagedAppConfiguration",
        "id": id,
        "displayName": id.upper(),
        "customSettings": [{"name": name, "value": value} for name, value in settings.items()],
    }
    office.authority.import_configuration(document)
    if settings.get("__IsDefault") != "true":
        office.authority.assign_configuration(id, all_users=True)
        office.authority.target_configuration(id, APP)


@pytest.fixture
def enrolled(office: Office) -> Any:
    target(office, "d", __IsDefault="true", region="eu")
    target(office, "t1", limit="5", sync="TRUE", n="1.0", word="é")
    target(office, "t2", limit="20", sync="false", n="7")
    with office.open() as session:
        session.register_and_enroll(ANN).wait(30)
        yield session


def test_every_query(enrolled: mam.Mam) -> None:
    with enrolled.app_config(ANN) as config:
        assert config.number("limit", OrderedQuery.MIN) == 5
        assert config.integer("limit", OrderedQuery.MAX) == 20
        assert type(config.number("n")) is float
        assert config.boolean("sync", BooleanQuery.OR) is True
        assert config.boolean("sync", BooleanQuery.AND) is False
        assert config.string("word") == "é"
        assert config.string("region") == "eu"
        assert config.string("nothing") is None and config.number("word") is None and config.boolean("limit") is None
        assert config.all_numbers("n") == (1.0, 7)
        assert config.all_integers("n") == (7,)
        assert config.all_booleans("sync") == (True, False)
        assert config.all_strings("limit") == ("5", "20")
        assert config.has_conflict("limit") and not config.has_conflict("region")


def test_dictionaries_and_conflicts(enrolled: mam.Mam) -> None:
    with enrolled.app_config() as config:
        assert [(one.id, one.name, one.channel) for one in config.full_data()] == [
            ("t1", "T1", "targeted"),
            ("t2", "T2", "targeted"),
            ("d", "D", "tenantDefault"),
        ]
        assert config.full_data()[2].values == {"region": "eu"}
        conflicts = config.conflicts()
        assert [one.key for one in conflicts] == ["limit", "n", "sync"]
        assert [(one.id, one.value) for one in conflicts[0].values] == [("t1", "5"), ("t2", "20")]


def test_only_of_enrolled_accounts(enrolled: mam.Mam) -> None:
    for nobody in (EVE, "", [], [ANN, BEN], BEN.encode()):
        with pytest.raises(mam.NotEnrolledError):
            enrolled.app_config(nobody)
    with enrolled.app_config([ANN, ANN.encode()]) as config:
        assert config.integer("limit") == 5


def test_wrong_arguments(enrolled: mam.Mam) -> None:
    with enrolled.app_config() as config:
        for bad in ("a\0b", "\ud800"):
            with pytest.raises(mam.ArgumentError):
                config.string(bad)
        wrong: Any = [(config.boolean, OrderedQuery.MIN), (config.number, 1), (config.string, BooleanQuery.OR)]
        for method, query in wrong:
            with pytest.raises(TypeError):
                method("limit", query)
        missing: Any = None
        with pytest.raises(TypeError):
            config.string(missing)


def test_the_event(enrolled: mam.Mam, office: Office) -> None:
    def waiting() -> list[str]:
        kinds = []
        with suppress(mam.TimeoutError):
            while True:
                kinds.append(enrolled.next_event(0).kind)
        return kinds

    assert mam.EventKind.APP_CONFIG_CHANGED in waiting()
    enrolled.check_in(ANN).wait(30)
    assert mam.EventKind.APP_CONFIG_CHANGED not in waiting()
    target(office, "t2", limit="6")
    enrolled.check_in(ANN).wait(30)
    assert mam.EventKind.APP_CONFIG_CHANGED in waiting()


def test_a_closed_configuration(enrolled: mam.Mam) -> None:
    config = enrolled.app_config()

    def forked() -> str:
        for call in (lambda: config.string("limit"), lambda: config.has_conflict("limit"), config.full_data):
            with pytest.raises(mam.ForkedError):
                call()
        return "forked"

    assert in_child(forked) == "forked"
    enrolled.close()
    for call in (lambda: config.string("limit"), lambda: config.has_conflict("limit"), config.conflicts):
        with pytest.raises(mam.ClosedError):
            call()
    config.close()
    config.close()
    with pytest.raises(mam.ClosedError):
        config.all_strings("limit")
