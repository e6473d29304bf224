"""The list of properties: its statements about functions, values and policies hold."""

from __future__ import annotations

import header
import mam
from conftest import POLICY
from mam._names import python_name

ALL = {one.property: one for one in mam.policy_properties()}


def test_the_functions_that_show_a_property_exist() -> None:
    for one in ALL.values():
        assert set(one.shown_by) <= {python_name(one) for one in header.FUNCTIONS}, one.property
        assert bool(one.shown_by) is (one.status == "enforced"), one.property
        assert bool(one.waits_for) is (one.status == "notEnforced"), one.property
        assert one.note or one.status == "descriptive", one.property


def test_lint_knows_the_same_properties() -> None:
    """No property of the list is unknown, and the strictest value of each is understood."""
    for one in ALL.values():
        (linted,) = mam.lint({one.property: one.strictest}, type="linux")
        assert not {"unknown", "value"} & {found.kind for found in linted.findings}, one.property
    assert POLICY.keys() - {"@odata.type"} <= ALL.keys()


def test_entries() -> None:
    printing = ALL["printBlocked"]
    assert (printing.neutral, printing.strictest, printing.absent) == (False, True, False)
    assert printing.platforms == ("ios", "android", "windows", "linux", "default")
    assert printing.shown_by == ("Policy.is_print_allowed",)
    assert ALL["allowedInboundDataTransferSources"].names == ("allApps", "managedApps", "none")
    assert ALL["periodOfflineBeforeAccessCheck"].absent == "PT12H"
    assert ALL["connectToVpnOnLaunch"].platforms == ("android", "default")
