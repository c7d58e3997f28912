"""What breaks in a lesson, and that it heals: the server restarts, the network goes, the disk is full, a tab too many."""

import os
import resource
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SEEN = "text => document.querySelector('[data-testid=stMain]')?.innerText.includes(text)"
LOST = "() => document.querySelector('[data-testid=stApp]')?.dataset.testConnectionState !== 'CONNECTED'"
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


def stop(server, kill=False):
    (server.process.kill if kill else server.process.terminate)()
    server.process.wait(20)


def restart(server):
    """The same server again, on the same port."""
    server.process = subprocess.Popen(
        server.process.args, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=server.log, stderr=subprocess.STDOUT
    )
    server.__enter__()


def slide(tab, name, key="ArrowRight"):
    tab.page.get_by_role("slider", name=name).press(key)


def healed(tab):
    """Well again; that the connection was refused for a while, the browser's console may tell."""
    tab.complaints[:] = [text for text in tab.complaints if "ERR_" not in text and "WebSocket" not in text]
    tab.healthy()


@pytest.mark.parametrize("kill", [False, True], ids=["ends", "is killed"])
def test_a_server_that_comes_back_finds_the_experiment_in_the_open_page(visitor, new_server, kill):
    with new_server() as server:
        tab = visitor(at=server).go("masking", lang="id", mask="causal", query="5")
        tab.click(".st-key-mask [role=radio] >> nth=3", "() => location.search.includes('mask=both')")
        before = tab.text()
        stop(server, kill)
        tab.page.wait_for_function(LOST)
        restart(server)
        tab.until("() => true")
        assert tab.text() == before and tab.link == {"lang": "id", "mask": "both", "query": "5"}
        tab.click(".st-key-mask [role=radio] >> nth=0", "() => !location.search.includes('mask=')")
        assert tab.link == {"lang": "id", "query": "5"} and tab.lang == "id"
        healed(tab)
        assert server.faults() == []
