"""A private system bus with python-dbusmock's logind on it, for /usr/bin/python3, which has that package.

Takes the session as JSON, prints the bus's address, and runs until its standard input ends. Each line of it has properties that
the session gets, as JSON, and is answered by a line.
"""

# mypy: ignore-errors
# dbus and dbusmock belong to another Python.

import json
import os
import subprocess
import sys

import dbus
import dbusmock

LOGIND = "org.freedesktop.login1"
ROOT = "/org/freedesktop/login1"
NONE = 'raise dbus.exceptions.DBusException("none", name="org.freedesktop.login1.%s")'


class Bus(dbusmock.DBusTestCase):
    """Has start_system_bus and spawn_server_template."""


def mocked(bus, path):
    return dbus.Interface(bus.get_object(LOGIND, path), dbusmock.MOCK_IFACE)


def fill(logind, session):
    """Add the session, and return it. Its "at" is "pid" (of the process), "display" (the user's) or missing (there is none)."""
    place, properties = session.get("at"), session["properties"]
    of_process = f'ret = "{ROOT}/session/c1"' if place == "pid" else NONE % "NoSessionForPID"
    of_user = f'ret = "{ROOT}/user/%d" % args[0]' if place == "display" else NONE % "NoSuchUser"
    manager = dbus.Interface(logind, dbusmock.MOCK_IFACE)
    manager.AddMethod(LOGIND + ".Manager", "GetSessionByPID", "u", "o", of_process)
    manager.AddMethod(LOGIND + ".Manager", "GetUser", "u", "o", of_user)
    if place is None:
        return None
    bus = Bus.get_dbus(system_bus=True)
    path = manager.AddSession("c1", "seat0", dbus.UInt32(session["uid"]), "ann", True)
    mocked(bus, path).UpdateProperties(LOGIND + ".Session", {k: v for k, v in properties.items() if k != "CanLock"})
    if "CanLock" in properties:
        mocked(bus, path).AddProperty(LOGIND + ".Session", "CanLock", properties["CanLock"])
    if place == "display":
        display = dbus.Struct(("c1", dbus.ObjectPath(path)), signature="so")
        user = bus.get_object(LOGIND, f"{ROOT}/user/{session['uid']}")
        dbus.Interface(user, dbus.PROPERTIES_IFACE).Set(LOGIND + ".User", "Display", display)
    return mocked(bus, path)


Bus.start_system_bus()
try:
    server, logind = Bus.spawn_server_template("logind", {}, stdout=subprocess.DEVNULL)
    try:
        session = fill(logind, json.loads(sys.argv[1]))
        print(os.environ["DBUS_SYSTEM_BUS_ADDRESS"], flush=True)
        for line in sys.stdin:
            session.UpdateProperties(LOGIND + ".Session", json.loads(line))
            print("done", flush=True)
    finally:
        server.terminate()
        server.wait()
finally:
    Bus.tearDownClass()
