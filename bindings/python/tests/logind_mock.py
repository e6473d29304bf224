"""A system bus of its own with python-dbusmock's logind on it, for /usr/bin/python3, which has that package.

Takes the session as JSON, prints the bus's address, and goes on until its standard input ends.
"""

import json
import sys

import dbus
import dbusmock

session = json.loads(sys.argv[1])
MANAGER, SESSION = "org.freedesktop.login1.Manager", "org.freedesktop.login1.Session"


class Bus(dbusmock.DBusTestCase):
    """start_system_bus and spawn_server_template belong to it."""


Bus.start_system_bus()
server, logind = Bus.spawn_server_template("logind", {})
if session.get("at") == "display":  # the process is in none, its user looks at one
    code = 'raise dbus.exceptions.DBusException("none", name="org.freedesktop.login1.NoSessionForPID")'
elif session.get("at"):
    code = 'ret = "/org/freedesktop/login1/session/c1"'
else:
    code = 'raise dbus.exceptions.DBusException("none", name="org.freedesktop.login1.NoSessionForPID")'
logind.AddMethod(MANAGER, "GetSessionByPID", "u", "o", code, dbus_interface=dbusmock.MOCK_IFACE)
nobody = 'raise dbus.exceptions.DBusException("none", name="org.freedesktop.login1.NoSuchUser")'
user = 'ret = "/org/freedesktop/login1/user/%d" % args[0]'
logind.AddMethod(
    MANAGER, "GetUser", "u", "o", user if session.get("at") == "display" else nobody, dbus_interface=dbusmock.MOCK_IFACE
)
if session.get("at"):
    path = logind.AddSession("c1", "seat0", dbus.UInt32(session["uid"]), "ann", True, dbus_interface=dbusmock.MOCK_IFACE)
    bus = Bus.get_dbus(system_bus=True)
    mocked = dbus.Interface(bus.get_object("org.freedesktop.login1", path), dbusmock.MOCK_IFACE)
    mocked.UpdateProperties(SESSION, {key: value for key, value in session["properties"].items() if key != "CanLock"})
    if "CanLock" in session["properties"]:
        mocked.AddProperty(SESSION, "CanLock", session["properties"]["CanLock"])
    if session["at"] == "display":
        owner = bus.get_object("org.freedesktop.login1", f"/org/freedesktop/login1/user/{session['uid']}")
        dbus.Interface(owner, dbusmock.MOCK_IFACE).UpdateProperties(
            "org.freedesktop.login1.User",
            {"Display": dbus.Struct(("c1", dbus.ObjectPath(path)), signature="so")},
        )
import os

print(os.environ["DBUS_SYSTEM_BUS_ADDRESS"], flush=True)
sys.stdin.read()
server.terminate()
server.wait()
Bus.tearDownClass()
