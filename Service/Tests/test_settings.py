"""Settings and their sources, logs, figures."""

import json
import os
import re
import subprocess
import urllib.request

import pytest
from conftest import MAMD, Service, free_port


def written(service, **settings):
    path = service.path("mamd.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))


def failing(service, *options, **environment):
    done = subprocess.run(
        [MAMD, "serve", service.folder, *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode != 0
    return done.stderr


@pytest.fixture
def stopped(tmp_path):
    made = Service(str(tmp_path / "mamd"))
    yield made
    made.stop()


def test_an_option_counts_before_the_environment_and_that_before_the_file(stopped):
    by_file, by_environment, by_option = free_port(), free_port(), free_port()
    written(stopped, listen=f"127.0.0.1:{by_file}")
    variable = {"MAMD_LISTEN": f"127.0.0.1:{by_environment}"}
    for options, environment, expected in [
        ([], {}, by_file),
        ([], variable, by_environment),
        (["--listen", f"127.0.0.1:{by_option}"], variable, by_option),
    ]:
        stopped.start(*options, **environment)
        assert stopped.listening.endswith(f":{expected}")
        stopped.stop()


@pytest.mark.parametrize(
    "settings, named",
    [
        ({"listn": "127.0.0.1:1"}, "listn"),
        ({"listen": 8443}, "listen"),
        ({"listen": "8443"}, "listen: 8443"),
        ({"tls": "yes"}, "tls"),
        ({"publicURL": []}, "publicURL"),
        ({"publicURL": ["http://localhost"]}, "publicURL: http://localhost"),
        ({"logFormat": "xml"}, "logFormat: xml"),
        ({"copies": "forget"}, "copies: forget"),
        ({"replica": "postgresql://localhost/mamd"}, "replica: is of a PostgreSQL database, which database has to name"),
        ({"replica": "postgresql://mamd:s3cret@localhost/mamd"}, "replica: has a password"),
        ({"logLevel": "loud"}, "logLevel: loud"),
        ({"adminGroup": "no-such-group"}, "adminGroup: no-such-group"),
        ({"certificateLifetime": "PT1H"}, "certificateLifetime: PT1H"),
        ({"requestTimeout": "soon"}, "requestTimeout: soon"),
        ({"requestsUnderWay": 0}, "requestsUnderWay: 0"),
        ({"requestsUnderWay": "many"}, "requestsUnderWay"),
        ({"metrics": "everywhere"}, "metrics: everywhere"),
        ({"signIn": "https://login.example.org"}, "signIn: has to be an object"),
        ({"signIn": {"issuer": "http://login.example.org"}}, "signIn: signIn.issuer"),
        ({"signIn": {"isuer": "https://login.example.org"}}, "signIn: signIn"),
    ],
)
def test_a_wrong_setting_is_named_with_its_file(stopped, settings, named):
    written(stopped, **settings)
    assert f"mamd.json: {named}" in failing(stopped)


def test_a_wrong_variable_is_named(stopped):
    assert "MAMD_LISTN" in failing(stopped, MAMD_LISTN="127.0.0.1:1")
    assert "MAMD_LOG_FORMAT: xml" in failing(stopped, MAMD_LOG_FORMAT="xml")
    assert "MAMD_SIGN_IN: signIn.issuer" in failing(stopped, MAMD_SIGN_IN="{}")
    assert "MAMD_SIGN_IN: not valid JSON" in failing(stopped, MAMD_SIGN_IN="https://login.example.org")
    assert "MAMD_PUBLIC_URL: http://a" in failing(stopped, MAMD_PUBLIC_URL="https://b,http://a")


def test_without_tls_only_loopback(stopped):
    written(stopped, tls=False, listen="0.0.0.0:8443")
    assert "loopback" in failing(stopped)


def figures(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as reply:
        assert reply.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        text = reply.read().decode()
    assert all(
        re.fullmatch(r"# TYPE mamd_\w+ (counter|gauge|histogram)|mamd_\w+(\{[^}]*\})? [0-9.e+-]+", line)
        for line in text.splitlines()
    )
    return text, dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


def test_figures_count_requests_and_name_nobody(service):
    service.stop()
    port = free_port()
    service.start("--metrics", f"127.0.0.1:{port}")
    client = service.enrolled()
    for _ in range(3):
        client.check_in()
    service.admin("wipe.request", user="alice-id")
    text, values = figures(port)
    assert values['mamd_requests_total{call="enroll",outcome="ok"}'] == "1"
    assert values['mamd_requests_total{call="check-in",outcome="unchanged"}'] == "3"
    assert values['mamd_request_seconds_bucket{call="check-in",le="+Inf"}'] == "3"
    assert values['mamd_request_seconds_count{call="check-in"}'] == "3"
    assert (values["mamd_ready"], values["mamd_registrations"], values["mamd_registrations_to_wipe"]) == ("1", "1", "1")
    client.report_wipe(client.check_in()["wipe"])
    text, values = figures(port)
    assert values['mamd_requests_total{call="check-in",outcome="wipe"}'] == "1"
    assert values["mamd_registrations_to_wipe"] == "0"
    for secret in ("alice", client.registration, client.device):
        assert secret not in text
    # Not where apps ask.
    assert client.exchange("GET", service.settings["url"] + "/metrics")[0] == 404


@pytest.mark.parametrize("form", ["lines", "json"])
def test_log_lines_name_nobody(service, form):
    service.stop()
    service.start("--log-format", form, "--log-level", "info")
    client = service.enrolled()
    url = service.settings["url"] + "/.well-known/mam-authority"
    request = client.exchange("GET", url)[1]["MAM-Request"]
    service.stop()
    text = service.log()
    (line,) = [line for line in text.splitlines() if request in line]
    if form == "json":
        logged = [json.loads(line) for line in text.splitlines()]
        (found,) = [one for one in logged if one.get("request") == request]
        assert (found["call"], found["outcome"], found["status"], found["level"]) == ("discovery", "ok", "200", "info")
    else:
        assert "info request call=discovery ms=" in line and f"outcome=ok request={request} status=200" in line
    for name in ("alice", "Strict"):
        assert name not in text


def test_faults_are_logged_on_one_line(service):
    client = service.enrolled()
    copy = service.folder + ".copy"
    service.run("backup", copy)
    service.admin("wipe.request", user="alice-id")
    client.check_in()
    service.put_back(copy)
    with pytest.raises(Exception, match="busy"):
        client.check_in()
    service.stop()
    (line,) = service.log().splitlines()
    assert " error the database is older than a client has seen" in line
