"""Two processes behind the proxy of `.deploy/`: what it sends, and what a reader sees when a page's process dies."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from websockets.sync.client import connect

from pages.ui.classroom.codes import ALPHABET
from pages.ui.language import LANGUAGES
from tests.browser.conftest import ROOT

ALIVE = "() => document.querySelector('[data-testid=stApp]').dataset.testConnectionState === 'CONNECTED'"
BROKEN = ALIVE.replace("===", "!==")


def module(name):
    """A module of the folder `.deploy`, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / ".deploy" / f"{name}.py")
    loaded = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


@pytest.fixture(scope="module")
def host():
    if not shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin"):
        pytest.skip("nginx is missing: install it (Debian: apt-get install nginx-light)")
    with module("host").Host(processes=2, quickly=True, hosts=("lab.example",)) as running:
        yield running


def until(condition, seconds=30):
    """Wait for something that no other process tells of."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def ask(host, path, **headers):
    request = urllib.request.Request(f"{host.url}{path}", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, answer.headers, answer.read()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers, b""


def test_the_proxy_knows_every_language_and_every_letter_of_a_room():
    conf = module("nginx_conf")
    assert set(conf.LANGUAGES) == set(LANGUAGES) and conf.ALPHABET == ALPHABET
    assert sorted(conf.letters(1, 3) + conf.letters(2, 3) + conf.letters(3, 3)) == sorted(ALPHABET)


def test_a_link_into_a_room_leads_to_the_process_that_holds_the_room(host):
    for number in (1, 2):
        code = f"{module('nginx_conf').letters(number, 2)[3]}pqrt"
        cookie = ask(host, f"/scaling?lang=en&room={code.upper()}", Cookie="lab_process=9")[1]["Set-Cookie"]
        assert cookie.startswith(f"lab_process={number};")
    assert ask(host, "/scaling?room=<script>")[1]["Set-Cookie"] is None


def test_the_proxy_names_a_process_once_compresses_and_keeps_to_itself_what_no_browser_needs(host):
    firsts = [ask(host, "/_stcore/health")[1].get_all("Set-Cookie") for _ in range(4)]
    cookies = [next(cookie for cookie in first if cookie.startswith("lab_process=")) for first in firsts]
    assert {cookie[:13] for cookie in cookies} == {"lab_process=1", "lab_process=2"}
    assert all("HttpOnly" in cookie and "SameSite" in cookie for cookie in cookies)
    for number in "12":
        again = ask(host, "/_stcore/health", Cookie=f"lab_process={number}")[1].get_all("Set-Cookie")
        assert not any(cookie.startswith("lab_process") for cookie in again)

    status, headers, page = ask(host, "/scaling?d_k=128")
    assert status == 200 and b"<div id=\"root\">" in page and headers["Cache-Control"] == "no-cache"
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'self'" in policy and "unsafe-eval" not in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Content-Type-Options"] == "nosniff"
    script = page.decode().split('crossorigin src=".')[1].split('"')[0]
    _, plain, whole = ask(host, script)
    _, packed, part = ask(host, script, **{"Accept-Encoding": "gzip"})
    assert packed["Content-Encoding"] == "gzip" and len(part) < len(whole) / 2 and "immutable" in plain["Cache-Control"]
    for path in ("/_stcore/metrics", "/_stcore/agent/interact", "/static/js/none.js", "/../nginx.conf"):
        assert ask(host, path)[0] in (400, 404), path


def test_another_sites_name_for_this_machine_leads_nowhere(host):
    for path in ("/", "/_stcore/health", "/_stcore/stream", "/static/js/none.js"):
        assert ask(host, path, Host="evil.example", Origin="http://evil.example")[0] == 421, path
    for name in ("lab.example", "LAB.example:8080", "192.168.1.5:8080", "[::1]:8080", "localhost"):
        assert ask(host, "/_stcore/health", Host=name)[0] == 200, name
    conf = module("nginx_conf")
    assert conf.names(()).split() == ["default", "0;"]  # without --host, any name


def test_a_link_may_be_as_long_as_a_process_would_take(host):
    assert ask(host, f"/scaling?why={'x' * 60_000}")[0] == 200
    assert ask(host, f"/scaling?why={'x' * 70_000}")[0] == 414


def test_a_port_that_is_taken_is_an_error_and_no_lab(host):
    command = [sys.executable, ".deploy/host.py", "--address", "127.0.0.1", "--port", str(host.port)]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=20)
    assert told.returncode == 1 and told.stdout == "" and f"port {host.port}: Address already in use" in told.stderr
    other = module("host").Host(processes=1, port=host.port)
    assert host.listens() and not other.listens()  # whoever answers there
    other.__exit__()


HOSTS = """
import sys, time
sys.path.insert(0, ".deploy")
from host import Host
with Host(processes=1, quickly=True) as host:
    print(host.folder, host.proxy.pid, host.running[0].pid, flush=True)
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with the one that started it")
def test_nothing_outlives_a_host_that_is_killed(host):
    with subprocess.Popen([sys.executable, "-c", HOSTS], cwd=ROOT, stdout=subprocess.PIPE, text=True) as doomed:
        try:
            folder, *pids = doomed.stdout.readline().split()
            assert all(os.path.exists(f"/proc/{pid}") for pid in pids) and len(pids) == 2
        finally:
            doomed.kill()
    until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in pids), 10)
    shutil.rmtree(folder)


def cookie(tab):
    return next(one["value"] for one in tab.page.context.cookies() if one["name"] == "lab_process")


def kill_under(tab, host):
    """Kill the process that a tab stands on, and wait until the tab has come back."""
    number = cookie(tab)
    os.kill(host.running[int(number) - 1].pid, signal.SIGKILL)
    tab.page.wait_for_function(BROKEN, polling=10)
    tab.page.wait_for_function(ALIVE, polling=50)
    tab.drawn()
    assert cookie(tab) != number


def test_a_process_dies_and_its_page_comes_back_with_what_was_typed(host, visitor):
    tab = visitor(at=host).go("scaling", lang="en", d_k="128")
    tab.click("[data-testid=stSidebar] a[href*=qkv]", "() => location.pathname === '/qkv'")
    cells = [tab.page.locator(f'table[data-matrix=W_V] input[data-at="{at}"]') for at in ("1.1", "1.2", "2.1")]
    cells[0].fill("2,5")
    cells[1].fill("dua")  # unreadable, and kept as it was typed
    cells[1].press("Tab")
    tab.until("() => document.querySelector('table[data-matrix=W_V] input[aria-invalid=true]')")
    shown, link = tab.text(), tab.link
    cells[2].fill("7.2")  # half typed: the field has the focus
    kill_under(tab, host)
    tab.until("() => document.querySelector('table[data-matrix=W_V] input[aria-invalid=true]')")
    assert tab.link == link and tab.text() == shown
    assert [cell.input_value() for cell in cells] == ["2.5", "dua", "7.2"]
    cells[2].press("Tab")  # the first act after the return is not lost
    tab.until("() => location.search.includes('7.2')")
    tab.click("[data-testid=stSidebar] a[href*=scaling]", "() => location.pathname === '/scaling'")
    assert tab.link["d_k"] == "128"  # the other pages' experiments are still there
    tab.healthy()


def test_after_a_crash_all_of_a_session_stays_with_one_process(host, visitor):
    until(lambda: host.answers(0) and host.answers(1))
    host.running[0].kill()
    host.running[0].wait()
    failed, own = time.monotonic(), {"Cookie": "lab_process=1"}
    assert "lab_process=2;" in str(ask(host, "/_stcore/health", **own)[1])  # its tabs go to the other
    for path in ("/media/x.png", "/component/x/y.js", "/_stcore/upload_file/x/y"):
        assert "lab_process" not in str(ask(host, path, **own)[1]), path  # and nothing but a session's start says so
    until(lambda: host.answers(0))
    time.sleep(max(0, failed + 5.5 - time.monotonic()))  # nginx lets one request try a failed process
    stream = f"{host.url.replace('http', 'ws')}/_stcore/stream"
    with connect(stream, subprotocols=["streamlit"], additional_headers=own, max_size=None):
        assert "lab_process" not in str(ask(host, "/_stcore/health", **own)[1])
        tab = visitor(at=host)
        tab.page.context.add_cookies([{"name": "lab_process", "value": "1", "url": host.url}])
        tab.go("verification", lang="en", bench="own")
        with tab.page.expect_response(lambda answer: "/upload_file/" in answer.url) as upload:
            tab.page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(
                {"name": "mine.csv", "mimeType": "text/csv", "buffer": b"1,2,3\n"})
        assert upload.value.status == 204
        tab.drawn()
        tab.click("[data-testid=stSidebar] a[href*=scaling]", "() => location.pathname === '/scaling'")
        with tab.page.expect_response(lambda answer: "/media/" in answer.url) as media:
            with tab.page.expect_download() as download:
                tab.page.locator(".st-key-keep button").click()
        assert media.value.status == 200 and download.value.suggested_filename == "scaling.html"
        assert cookie(tab) == "1"
        tab.healthy()
