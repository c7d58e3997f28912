"""What breaks in a lesson, and that it heals: a server restarts, the network goes, the disk is full, a tab too many."""

import os
import resource
import socket
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SEEN = "text => document.querySelector('[data-testid=stMain]')?.innerText.includes(text)"
LOST = "() => document.querySelector('[data-testid=stApp]')?.dataset.testConnectionState !== 'CONNECTED'"
GONE = (  # what the console says of a connection that is lost
    "ERR_", "WebSocket", "when disconnected from server", "in reaching server endpoint", "server is not responding",
)
posix = pytest.mark.skipif(os.name != "posix", reason="limits of a process are set as Linux does")


class Wire:
    """A cable between browser and server that can be pulled: what goes through it is lost, and nobody is told."""

    def __init__(self, server):
        self.to = ("127.0.0.1", int(server.url.rsplit(":", 1)[1]))
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.whole, self.ends, self.text, self.faults = True, [], server.text, server.faults
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                if not self.whole:
                    near.close()
                    continue
                far = socket.create_connection(self.to)
                self.ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one, other):
        with suppress(OSError):
            while data := one.recv(65536):
                if not self.whole:
                    return
                other.sendall(data)
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def pull(self):
        self.whole = False
        for end in self.ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
                end.close()
        self.ends.clear()

    def plug(self):
        self.whole = True


def stop(server):
    server.process.kill()
    server.process.wait(20)


def restart(server):
    """The same server again, on the same port."""
    server.process = subprocess.Popen(
        server.process.args, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=server.log, stderr=subprocess.STDOUT
    )
    server.__enter__()


def healed(tab):
    """Well again; that the connection was refused for a while, the browser's console may tell."""
    tab.complaints[:] = [text for text in tab.complaints if not any(word in text for word in GONE)]
    tab.healthy()


def test_a_server_that_comes_back_finds_the_experiment_in_the_open_page(visitor, new_server):
    """Nobody touches the page meanwhile: its controls are grey. The first click after that counts, a button's too."""
    with new_server() as server:
        tab = visitor(at=server).go("masking", lang="id", mask="causal", query="5")
        tab.click(".st-key-mask [role=radio] >> nth=3", "() => location.search.includes('mask=both')")
        before = tab.text()
        for press in (lambda: tab.page.locator(".st-key-mask [role=radio]").nth(0).click(),
                      lambda: tab.page.locator(".st-key-tries a >> nth=0").click()):
            stop(server)
            tab.page.wait_for_function(LOST)
            restart(server)
            tab.until("() => true")
            assert tab.text() == before and tab.lang == "id"
            where = tab.page.url
            press()
            tab.until("where => location.href !== where", where)
            before = tab.text()
        assert tab.link["lang"] == "id" and tab.exceptions == 0
        healed(tab)
        assert server.faults() == []


def test_a_network_that_was_gone_leaves_the_experiment_and_what_was_typed(visitor, server):
    wire = Wire(server)
    tab = visitor(at=wire).go("qkv", lang="en")
    tab.click(".st-key-token [role=radio] >> nth=0", "() => location.search.includes('token=ikan')")
    cell = tab.page.locator('table[data-matrix=W_V] input[data-at="1.1"]')
    cell.fill("7")
    wire.pull()
    tab.page.wait_for_function(LOST)
    cell.press("Tab")  # it cannot be sent now
    time.sleep(1)  # the outage itself
    wire.plug()
    tab.until("() => location.search.includes('w_v=7')")
    assert tab.link["token"] == "ikan"
    healed(tab)


def test_two_tabs_of_one_person_are_two_experiments(visitor):
    one = visitor().go("scaling", lang="en", seed="5")
    two = type(one)(one.page.context.new_page(), one.server).go("scaling", lang="id", seed="9")
    for tab, seed in ((one, "394"), (two, "398")):
        tab.click(".st-key-another_seed button", "seed => location.search.includes(`seed=${seed}`)", seed)
    one.page.reload()
    assert one.drawn().link == {"lang": "en", "seed": "394"} and two.link == {"lang": "id", "seed": "398"}
    one.healthy()
    two.healthy()


def test_back_and_forward_through_six_changes_of_state(visitor):
    tab, radio = visitor().go("masking", lang="en"), ".st-key-{} [role=radio] >> nth={}"
    links = [tab.link]
    for name, at in (("mask", 1), ("query", 4), ("mask", 2), ("pads", None), ("side", 1), ("mask", 3)):
        before = tab.page.url
        if at is None:
            tab.page.get_by_role("slider", name="Padding").press("ArrowLeft")
        else:
            tab.page.locator(radio.format(name, at)).click()
        tab.until("before => location.href !== before", before)
        links.append(tab.link)
    assert len({str(link) for link in links}) == 7
    shown = {str(links[-1]): tab.text("table[data-matrix=weights]")}
    for link in reversed(links[:-1]):
        tab.page.go_back()
        tab.drawn()
        assert tab.link == link
        shown[str(link)] = tab.text("table[data-matrix=weights]")
    for link in links[1:]:
        tab.page.go_forward()
        tab.drawn()
        assert tab.link == link and tab.text("table[data-matrix=weights]") == shown[str(link)]
    tab.healthy()


@posix
def test_a_full_disk_and_a_home_that_cannot_be_written_stop_no_lesson(visitor, new_server, monkeypatch):
    monkeypatch.setenv("HOME", "/proc/nobody")
    with new_server() as server:
        hard = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (0, hard))  # from now on every write fails
        tab = visitor(at=server).go("verification", lang="en", bench="own")
        tab.page.locator("[data-testid=stFileUploader] input[type=file]").set_input_files(
            {"name": "mine.csv", "mimeType": "text/csv", "buffer": b"1,2,3\n" * 2 + b"#" * 900_000}
        )
        tab.until(SEEN, "none of the classic mistakes")
        tab.click(".st-key-bench [role=radio] >> nth=0", "() => !location.search.includes('bench=')")
        tab.go("scaling", d_k="128")
        tab.healthy()
        assert server.process.poll() is None and server.faults() == []
