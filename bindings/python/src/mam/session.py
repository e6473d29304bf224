"""`mam.open` and what it returns."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ._call import Names, domain_names, json_text, names
from ._records import iso_duration, present
from .apps import AppCalls
from .configuration import ConfigurationCalls
from .decisions import DecisionCalls
from .diagnostics import DiagnosticCalls, LogCallable
from .dispatch import DispatchCalls
from .enrollment import EnrollmentCalls
from .exchange import ExchangeCalls
from .health import HealthCalls
from .identity import IdentityCalls
from .launch import LaunchCalls
from .owners import OwnerCalls
from .pin import PINCalls
from .policy import PolicyCalls
from .protection import ProtectionCalls
from .questions import Delegate, QuestionHandler
from .sqlite import SQLiteCalls
from .telemetry import TelemetryCallable, TelemetryCalls

if TYPE_CHECKING:
    import logging


class Mam(
    EnrollmentCalls,
    IdentityCalls,
    PolicyCalls,
    DecisionCalls,
    AppCalls,
    LaunchCalls,
    HealthCalls,
    PINCalls,
    ConfigurationCalls,
    ProtectionCalls,
    OwnerCalls,
    ExchangeCalls,
    SQLiteCalls,
    DispatchCalls,
    DiagnosticCalls,
    TelemetryCalls,
):
    """One session of one app with its state and its authority; `mam.open` returns it.

    Every method may be called from any thread at the same time. A call blocks only its own thread. After os.fork the
    child's calls raise ForkedError; open a new session there. A session left open is closed when it is collected and at
    the interpreter's end; a `with` block closes it at a defined time.
    """


def _path(path: str | bytes | os.PathLike[str] | None) -> str | None:
    """An absolute path: a relative one refers to the process, not to the library."""
    if path is None:
        return None
    text = os.fsdecode(path)
    return os.path.abspath(text) if text else text


def open(
    app: str,
    authority: str | bytes | os.PathLike[str] | Mapping[str, Any],
    *,
    version: str | None = None,
    group: str | None = None,
    extensions: Names[str] | None = None,
    state_directory: str | bytes | os.PathLike[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    info_plist: str | bytes | os.PathLike[str] | None = None,
    test_policy: str | bytes | os.PathLike[str] | None = None,
    device: Mapping[str, Any] | None = None,
    worker: bool = True,
    unknown_identities: str | None = None,
    organization_domains: Names[str] | None = None,
    additional_organization_domains: Names[str] = (),
    questions: str | None = None,
    question_timeout: timedelta | float | str | None = None,
    restart_on_first_policy: bool | None = None,
    language: str | None = None,
    inherit_identity: bool = True,
    delegate: Delegate | None = None,
    on_question: Mapping[Any, QuestionHandler[Any, Any]] | None = None,
    log: LogCallable | logging.Logger | None = None,
    telemetry: TelemetryCallable | None = None,
) -> Mam:
    """Open a session: find or create the state, finish the work of a killed process (a wipe above all).

    app                      the app's id, as in "com.example.notes", with its `version` and `group`: apps of one group
                             share a state database, never keys
    extensions               ids of the programs that use this app's accounts, policy and keys when they are opened with
                             {"ContainingAppBundleId": app}; None keeps the former list
    authority                path of an embedded authority's file, or the whole object: {"type": "embedded", "path": ...},
                             or what `mamd init` printed for a service: {"type": "https", "url": ..., "keys": [...]}
    state_directory          default $XDG_STATE_HOME/libmam; absolute and local; only this user may write to it, and nobody else
                             has access to the folder of the app's group in it
    settings                 IntuneMAMSettings keys: {"MultiManagedIdentities": True}
    info_plist               path of an Info.plist with more of them; `settings` overrides it
    test_policy              path of a policy for development, which requires {"DebugSettingsEnabled": True}
    device                   {"platform", "version", "model", "lock", "health", "mdmAccountId", "managedAppConfig"}
    worker                   False: nothing happens outside the host's calls, and `run_due` does what is due
    unknown_identities       "unmanaged" (the default) or "error"
    organization_domains     domains whose unknown names are refused for storing data, also misspelt ones, in the place
                             of the accounts' own; None: those of the accounts, also of ones that have left
    additional_organization_domains
                             such domains beside these
    questions                "delegate" (the default) or "events"
    question_timeout         seconds, a timedelta or ISO 8601
    restart_on_first_policy  whether restartApplication is asked
    language                 the language of messages for people, as in LANGUAGE ("de_AT:de"); None: the environment's
    inherit_identity         act for the account of MAM_IDENTITY, if the environment has it (`mamctl run`); an invalid
                             account is an error, as with `Mam.set_process_identity`
    on_question              handlers by kind, set before the first question: {mam.WIPE_DATA: forget}; see `on_question`
    delegate, log, telemetry `set_delegate`, `set_log` and `set_telemetry` at once

    Raises JSONError (a key has the wrong type), ArgumentError (a value is out of its range), PermissionError (others
    can read the state, or own it), KeyUnavailableError (sealed state without its root key), VersionError (a newer
    libmam's state), TamperedError, StorageError, NoSpaceError, InputOutputError, UnsupportedError (a network file
    system), NotFoundError (no such property list), AlreadyError and DeniedError (the account of the test policy is
    enrolled, or may not be managed here), DeniedError (an extension that its containing app does not list). Mirrors the
    start-up of the Intune App SDK and its IntuneMAMSettings dictionary.
    """
    texts = {"version": version, "group": group, "unknown_identities": unknown_identities, "questions": questions,
             "language": language}  # fmt: skip
    for argument, value in [("app", app), *texts.items()]:
        if not isinstance(value, str) and (value is not None or argument == "app"):
            raise TypeError(f"{argument} must be str, not {type(value).__name__}")
    for argument, keys in [("device", device), ("settings", settings)]:
        if keys is not None and not isinstance(keys, Mapping):
            raise TypeError(f"{argument} must be a mapping, not {type(keys).__name__}")
    if not isinstance(authority, (str, bytes, os.PathLike, Mapping)):
        more = ": is MAM_AUTHORITY set?" if authority is None else ""
        raise TypeError(f"authority must be a path or a mapping, not {type(authority).__name__}{more}")
    if not isinstance(authority, Mapping):
        path = os.fsdecode(authority)
        authority = {"type": "embedded", "path": os.path.abspath(path) if path else path}
    request = present(
        app=present(
            id=app,
            version=version,
            group=group,
            extensions=None if extensions is None else names(extensions, "extensions"),
        ),
        state_directory=None if state_directory is None else os.fsdecode(state_directory),
        authority=dict(authority),
        device=None if device is None else dict(device),
        settings=None if settings is None else dict(settings),
        info_plist=_path(info_plist),
        test_policy=_path(test_policy),
        worker=worker,
        unknown_identities=unknown_identities,
        organization_domains=None if organization_domains is None else domain_names(organization_domains, "organization_domains"),
        additional_organization_domains=domain_names(additional_organization_domains, "additional_organization_domains"),
        questions=questions,
        question_timeout=None if question_timeout is None else iso_duration(question_timeout),
        language=language,
        restart_on_first_policy=restart_on_first_policy,
    )
    session = Mam(json_text(request, "settings"), worker=worker)
    try:
        inherited = os.environb.get(b"MAM_IDENTITY") if inherit_identity else None
        if inherited is not None:
            session.set_process_identity(inherited)
        if log is not None:
            session.set_log(log)
        if telemetry is not None:
            session.set_telemetry(telemetry)
        if on_question:
            session.set_handlers(on_question)
        if delegate is not None:
            session.set_delegate(delegate)
    except BaseException:
        session.close()
        raise
    return session
