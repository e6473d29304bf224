"""Enumerations of simulated policies."""

from __future__ import annotations

from .enums import Name


class FindingSeverity(Name):
    """WARNING: it can wipe, or does not do what it appears to do. NOTE: it does nothing."""

    WARNING = "warning"
    NOTE = "note"


class FindingKind(Name):
    """The kind of a finding about a policy: in no table; a value that is not understood, so the most restrictive one
    counts; contradictory; without effect; of another platform; not enforced by this release; an app or assignment that
    reaches no user, or other users than it appears to; it can wipe data."""

    UNKNOWN = "unknown"
    VALUE = "value"
    CONTRADICTORY = "contradictory"
    INEFFECTIVE = "ineffective"
    CROSS_PLATFORM = "crossPlatform"
    NOT_ENFORCED = "notEnforced"
    REACH = "reach"
    WIPE = "wipe"


class Change(Name):
    """The direction of a change. DIFFERENT: there is no order. REASON: only the reason changes."""

    STRICTER = "stricter"
    LOOSER = "looser"
    DIFFERENT = "different"
    REASON = "reason"


class Verdict(Name):
    """The direction of all changes together."""

    SAME = "same"
    STRICTER = "stricter"
    LOOSER = "looser"
    MIXED = "mixed"


class Resolution(Name):
    """How different values of a setting were merged. COMMON: the members that all lists have. LOWEST_ID: there is no
    order."""

    STRICTEST = "strictest"
    COMMON = "common"
    LOWEST_ID = "lowestId"


class Delivery(Name):
    """Why a document reaches a user in an app (the first two), or the obstacle. REPLACED: a default, and another policy
    reaches the user."""

    ASSIGNED = "assigned"
    TENANT_DEFAULT = "tenantDefault"
    NOT_ASSIGNED = "notAssigned"
    EXCLUDED = "excluded"
    NOT_TARGETED = "notTargeted"
    REPLACED = "replaced"
    REFUSED = "refused"


class Effect(Name):
    """The effect of a change on accounts: a policy restricts them now; none does any more; their check-ins fail from then
    on, and apps keep their policies; another change."""

    GAINS = "gains"
    LOSES = "loses"
    REFUSED = "refused"
    CHANGES = "changes"
