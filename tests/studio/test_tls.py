"""The server for other machines: with a certificate, or with a word that it is not safe."""

import http.client
import shutil
import ssl
import subprocess
import sys

import numpy as np
import pytest

from lapoleaf.studio.serving import make_server

ROWS = np.arange(12.0).reshape(6, 2)


@pytest.fixture
def certificate(tmp_path):
    """Return the files of a certificate for this machine, and of its key."""
    if shutil.which("openssl") is None:
        pytest.skip("a certificate needs openssl")
    files = tmp_path / "certificate.pem", tmp_path / "key.pem"
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
            "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]  # fmt: skip
    subprocess.run(
        [*make, "-out", str(files[0]), "-keyout", str(files[1])], check=True, capture_output=True
    )
    return files


def test_a_page_over_tls(tmp_path, certificate):
    server = make_server(
        ROWS, project=tmp_path / "a.lapoleaf", certificate=certificate[0], key=certificate[1]
    )
    server.start()
    host, _, path = server.url.removeprefix("https://").partition("/")
    trusted = ssl.create_default_context(cafile=certificate[0])
    connection = http.client.HTTPSConnection(host, timeout=60, context=trusted)
    try:
        connection.request("GET", f"/{path}")
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 303
        # The cookie is never sent without TLS.
        assert "Secure" in answer.getheader("set-cookie")
    finally:
        connection.close()
        server.close()


def test_another_host_needs_a_certificate_or_a_word(tmp_path):
    with pytest.raises(ValueError, match="insecure=True if you trust that network"):
        make_server(ROWS, project=tmp_path / "a.lapoleaf", host="0.0.0.0")
    with pytest.raises(ValueError, match="needs a certificate, too"):
        make_server(ROWS, project=tmp_path / "a.lapoleaf", key=tmp_path / "key.pem")
    server = make_server(ROWS, project=tmp_path / "a.lapoleaf", host="0.0.0.0", insecure=True)
    assert server.url.startswith("http://")
    server.start()
    server.close()


def test_without_tls_the_command_says_what_that_means(tmp_path):
    np.savetxt(tmp_path / "rows.csv", ROWS, delimiter=",", header="a,b", comments="")
    command = [sys.executable, "-m", "lapoleaf.cli", "studio", str(tmp_path / "rows.csv")]
    for options, words in ([], "The studio is at"), (["--host", "0.0.0.0"], "Without TLS, others"):
        process = subprocess.Popen(
            [*command, "--no-browser", "--insecure", *options], stdout=subprocess.PIPE, text=True
        )
        try:
            assert process.stdout.readline().startswith(words)
        finally:
            process.terminate()
            process.wait(60)
            process.stdout.close()


def test_what_cannot_be_listened_with_is_refused_before_the_address_is_known(tmp_path):
    project = tmp_path / "a.lapoleaf"
    (tmp_path / "certificate.pem").write_text("no certificate")
    for options, words in [
        ({"port": 65_536}, "port=65536 must be a number from 0 to 65535"),
        ({"n_jobs": 0}, "n_jobs=0 must be"),
        ({"certificate": tmp_path / "missing.pem"}, "missing.pem': No such file"),
        ({"certificate": tmp_path / "certificate.pem"}, "certificate and key cannot be used"),
    ]:
        with pytest.raises(ValueError, match=words):
            make_server(ROWS, project=project, **options)
    assert not list(tmp_path.glob(".*lock"))


def test_the_command_names_its_options(tmp_path):
    np.savetxt(tmp_path / "rows.csv", ROWS, delimiter=",", header="a,b", comments="")
    command = [sys.executable, "-m", "lapoleaf.cli", "studio", str(tmp_path / "rows.csv")]
    for options, words in (
        (["--host", "0.0.0.0"], "pass --certificate and --key"),
        (["--host", "0.0.0.0"], "or --insecure if you trust that network"),
        (["--port", "99999"], "--port 99999 must be"),
        (["--key", "k.pem"], "--key 'k.pem' needs a certificate"),
    ):
        done = subprocess.run(
            [*command, "--no-browser", *options], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert words in done.stderr
