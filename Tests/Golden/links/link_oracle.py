"""The rules of docs/policy.md "Links", implemented independently of libmam: an oracle for tests.

Policies are as exported, but for odd values: an unknown name or a wrong type is not this oracle's business.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

Policy = dict[str, Any]

SCHEMES = "skype app-settings itms itmss itms-apps itms-appss itms-services calshow".split()
EXEMPT = [f"{s}://{h}" for h in ("maps.apple.com", "facetime.apple.com") for s in ("http", "https")]
MANAGED = [
    f"{s}://{h}"
    for h in (
        "*.appsplatform.us/* *.onedrive.com/* *.powerapps.cn/* *.powerapps.com/* *.powerapps.us/* *.powerbi.com/* "
        "app.powerbi.cn/* app.powerbi.de/* app.powerbigov.us/* *.service-now.com/* *.sharepoint.com/* "
        "*.sharepoint-df.com/* web.microsoftstream.com/video/* msit.microsoftstream.com/video/* *collab.apps.mil/l/* "
        "*devspaces.skype.com/l/* *teams.microsoft.com/l/* *teams.microsoft.us/l/* *teams-fl.microsoft.com/l/* "
        "*teams.live.com/l/* tasks.office.com/* to-do.microsoft.com/sharing* *.yammer.com/* zoom.us/* *.zoom.us/*"
    ).split()
    for s in ("http", "https")
]
SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,254}):", re.ASCII)
HOST = re.compile(r"(?!.*(?:^|\.)(?:\d+|0[xX][^.]*)$)[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*", re.ASCII)
TEL, SMS = ("tel", "telprompt"), ("sms", "smsto", "mms", "mmsto")


@dataclass(frozen=True)
class Answer:
    """An answer; `refused_by` is None if the link is allowed, "" if no setting refuses it."""

    refused_by: str | None
    instead: tuple[str, ...]


@dataclass(frozen=True)
class Site:
    secure: bool
    host: str
    port: int
    path: str
    plain_host: bool
    plain_path: bool


def scheme_of(url: str) -> str | None:
    found = SCHEME.match(url)
    if found is None or re.search(r"[\x00-\x20\x7f\\]", url):
        return None
    scheme = found[1].lower()
    return None if scheme in ("http", "https") and site_of(url) is None else scheme


def plain(path: str) -> bool:
    if re.search(r"%(?![0-9A-Fa-f]{2})|%(?:[01][0-9A-Fa-f]|20|2[EeFf5]|5[Cc]|3[Bb]|7[Ff])", path):
        return False
    return all(segment.split(";")[0] not in (".", "..") for segment in path.split("/"))


def site_of(url: str) -> Site | None:
    found = re.fullmatch(r"(https?)://([^/?#]*)([^?#]*)(?:[?#].*)?", url, re.IGNORECASE | re.DOTALL)
    if found is None:
        return None
    secure = found[1].lower() == "https"
    _, at, rest = found[2].rpartition("@")
    parts = re.fullmatch(r"(\[[^\]]*\]|[^:\[][^:]*)(?::(\d{0,5}))?", rest, re.ASCII | re.DOTALL)
    if parts is None or int(parts[2] or 0) > 65535:
        return None
    port = int(parts[2]) if parts[2] else (443 if secure else 80)
    return Site(secure, parts[1], port, found[3], not at and HOST.fullmatch(parts[1]) is not None, plain(found[3]))


def listed(entries: list[str], site: Site) -> bool:
    return site.plain_host and any(matches(entry, site) for entry in entries)


def matches(entry: str, site: Site) -> bool:
    star = re.fullmatch(r"(https?)://(\*\.?)?([^/*:]+)(?::(\d+))?([^*]*)(\*?)", entry)
    if star is None:
        return False
    secure, wild, host, path = star[1] == "https", star[2], star[3].lower(), star[5]
    if secure != site.secure or int(star[4] or (443 if secure else 80)) != site.port:
        return False
    asked = site.host.lower()
    below, same = asked.endswith("." + host), asked == host
    if not {None: same, "*.": below, "*": below or same}[wild]:
        return False
    if path in ("", "/"):
        return bool(star[6]) or site.path in ("", "/")
    return site.plain_path and (site.path.startswith(path) if star[6] else site.path == path)


LISTS = {"exemptedAppProtocols": SCHEMES, "exemptedUniversalLinks": EXEMPT, "managedUniversalLinks": MANAGED}


def entries(policy: Policy, name: str) -> list[str]:
    """Return a list of one policy. null is "not configured", which means the default list."""
    stated = policy.get(name)
    if stated is None:
        return LISTS[name]
    return (
        [one.strip().lower() for pair in stated for one in pair["value"].split(";")] if name == "exemptedAppProtocols" else stated
    )


def completed(policies: list[Policy]) -> list[Policy]:
    """Return the policies with shared lists. Graph has the lists only for iOS and the tenant: a policy for Android or Windows gets
    the lists of the policies that restrict by the same settings and can set them."""
    mute = [one for one in policies if re.search(r"\.(android|windows)Managed", str(one.get("@odata.type")))]
    out = []
    for one in policies:
        lent: Policy = {}
        for name in LISTS if one in mute else ():
            others = [
                other
                for other in policies
                if (other not in mute or other.get(name) is not None)
                and (
                    outbound(other) != "allApps"
                    or (name != "exemptedAppProtocols" and other.get("managedBrowserToOpenLinksRequired", False))
                )
            ]
            if one.get(name) is None and others:
                common = [entry for entry in entries(others[0], name) if all(entry in entries(other, name) for other in others)]
                lent[name] = [{"name": "lent", "value": ";".join(common)}] if name == "exemptedAppProtocols" else common
        out.append({**one, **lent})
    return out


def schemes(policy: Policy) -> list[str]:
    return entries(policy, "exemptedAppProtocols")


def outbound(policy: Policy) -> str:
    """Return the level; the caller has replaced Windows' "none" by "organisation"."""
    return str(policy.get("allowedOutboundDataTransferDestinations") or "allApps")


def on(policy: Policy, name: str, site: Site) -> bool:
    """Return whether a site is on an effective list. Windows' level has no exceptions, except for managed apps."""
    closed = ("none",) if name == "managedUniversalLinks" else ("none", "organisation")
    return outbound(policy) not in closed and listed(entries(policy, name), site)


def refusal(policy: Policy, url: str, known: bool) -> str | None:
    """Return the setting of one policy that refuses a link."""
    scheme = scheme_of(url)
    if scheme in ("http", "https"):
        site = site_of(url)
        assert site is not None
        free = not policy.get("managedBrowserToOpenLinksRequired", False)
        return None if free or on(policy, "exemptedUniversalLinks", site) else "managedBrowserToOpenLinksRequired"
    for family, name in ((TEL, "dialerRestrictionLevel"), (SMS, "protectedMessagingRedirectAppType")):
        if scheme in family:
            level = policy.get(name, "allApps")
            fine = level in ("allApps", "anyApp") or (known and level in ("managedApps", "anyManagedApp"))
            return None if fine else name
    managed = known or re.fullmatch(r".+-intunemam", scheme or "") is not None
    exempt = managed or (scheme in schemes(policy) and outbound(policy) != "organisation")
    fine = outbound(policy) == "allApps" or (outbound(policy) != "none" and exempt)
    return None if fine else "allowedOutboundDataTransferDestinations"


def counterpart(url: str) -> str:
    return f"{url.split(':')[0].lower()}-intunemam://{quote(url.encode(), safe='-._~')}"


def answer(policies: list[Policy], url: str, known: bool = False) -> Answer:
    """Return the answer for a link under policies in the order of their ids."""
    scheme = scheme_of(url)
    if scheme is None:
        return Answer("", ())
    policies = completed(policies)
    refusing = [one for one in policies if refusal(one, url, known) is not None]
    if not refusing:
        return Answer(None, ())
    rest = url[len(scheme) :]
    instead: list[str] = []
    if scheme in ("http", "https"):
        site = site_of(url)
        assert site is not None
        if all(on(one, "managedUniversalLinks", site) for one in refusing):
            instead.append(counterpart(url))
        own = [one.get("customBrowserProtocol") for one in refusing]
        if all(own) and not any(one.get("managedBrowser") == "microsoftEdge" for one in refusing):
            instead.append(f"{own[0]}{'s' if scheme == 'https' else ''}{rest}")
        else:
            edge = f"microsoft-edge-{scheme}{rest}"
            instead += [counterpart(edge), edge]
    elif scheme in TEL:
        instead = redirected(refusing, url, rest, "dialerRestrictionLevel", "customApp", "customDialerAppProtocol")
    elif scheme in SMS:
        setting, target = "protectedMessagingRedirectAppType", "messagingRedirectAppUrlScheme"
        instead = redirected(refusing, url, rest, setting, "specificApps", target)
    elif all(outbound(one) in ("managedApps", "organisation") for one in refusing):
        instead = [counterpart(url)]
        if scheme == "mailto":
            instead.append(f"ms-outlook-intunemam://{quote(url.encode(), safe='-._~')}")
    return Answer(refusal(refusing[0], url, known), tuple(instead))


def redirected(refusing: list[Policy], url: str, rest: str, setting: str, specific: str, target: str) -> list[str]:
    if any(one[setting] == "blocked" for one in refusing):
        return []
    chosen = [one.get(target) for one in refusing if one[setting] == specific]
    if not chosen:
        return [counterpart(url)]
    return [chosen[0].rstrip(":/") + rest] if chosen[0] else []


def universal(policies: list[Policy], url: str) -> bool:
    """Return whether an app other than a browser may open a web link."""
    site = site_of(url) if scheme_of(url) in ("http", "https") else None
    if site is None:
        return False
    return all(
        outbound(one) == "allApps" or on(one, "exemptedUniversalLinks", site) or on(one, "managedUniversalLinks", site)
        for one in completed(policies)
    )
