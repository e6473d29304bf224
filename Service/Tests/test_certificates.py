"""The server's certificate while the service runs."""

import datetime
import http.client
import ssl

import pytest
from conftest import Service
from cryptography import x509


def served(service):
    """The certificate that a new connection gets."""
    der = ssl.get_server_certificate(("localhost", service.port))
    return x509.load_pem_x509_certificate(der.encode())


def test_it_is_renewed_while_the_service_runs_and_connections_are_kept(tmp_path):
    service = Service(str(tmp_path / "mamd")).people()
    service.start(MAMD_CERTIFICATE_LIFETIME="PT15S")
    try:
        client = service.enrolled()
        kept = http.client.HTTPSConnection("localhost", service.port, context=client.context, timeout=60)
        first, seen, now = served(service), set(), datetime.datetime.now(datetime.UTC)
        assert first.not_valid_after_utc - now < datetime.timedelta(seconds=16)
        while len(seen) < 3:
            kept.request("GET", "/healthz")
            assert kept.getresponse().read() == b"ok\n"
            certificate = served(service)
            seen.add(certificate.serial_number)
            # Never one that has ended: the client checks it too.
            assert client.check_in()["result"] == "unchanged"
        kept.close()
    finally:
        service.stop()
    assert "the server certificate was renewed" in service.log()


def test_the_first_start_with_another_lifetime_or_host_renews(service):
    first = served(service)
    service.stop()
    service.start()
    assert served(service).serial_number == first.serial_number
    service.stop()
    service.start(MAMD_PUBLIC_URL=f"https://localhost:{service.port},https://mam.example.org")
    second = served(service)
    names = second.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost", "mam.example.org"]


@pytest.mark.parametrize("broken", ["server.pem", "server-key.pem"])
def test_a_kill_between_its_two_files_is_mended_at_the_next_start(service, tmp_path, broken):
    client = service.enrolled()
    other = Service(str(tmp_path / "other"))
    service.stop()
    service.path(broken).write_bytes(other.path(broken).read_bytes())
    service.start()
    assert client.check_in()["result"] == "unchanged"
