"""Hosts the lab for a class: N Streamlit processes behind one nginx, each looked after; stops what it started.

    python .deploy/host.py [--processes 2] [--address 0.0.0.0] [--port 8080] [--host lab.example]
        [--certificate chain.pem --key key.pem] [--embed https://lms.example] [--print] [--pack FOLDER]

Linux or macOS, with nginx on the path (Debian: apt-get install nginx-light). Sessions stay with their process by a
cookie of the proxy's own; a process that dies is started anew, and its sessions come back on another at once.
All end with host.py, on Linux even when that is killed outright (SIGKILL); on macOS they are then left to end by hand.
`--embed` names the sites that may show the lab in a frame; they need https, and so does the lab then. `--print` writes
the nginx configuration for processes that something else starts, on the ports from 8501 up, and `--pack` the files that
it serves, for /var/lib/lab. `.deploy/nginx.conf` says why each of its lines is there.
"""

import argparse
import contextlib
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from host_parts import claim, draw, follow, free_port
from nginx_conf import configuration, letters, pack, streamlit_files

ROOT = Path(__file__).parents[1]
SETTINGS = {
    "server.headless": "true",
    "server.fileWatcherType": "none",
    "server.address": "127.0.0.1",  # only the proxy is reached from outside
    "server.enableXsrfProtection": "true",
    "server.enableCORS": "true",  # the protection, not the permission: a websocket from another site is refused
    "server.disconnectedSessionTTL": "120",  # s; a phone that slept longer is restored from its link
    "server.enableWebsocketCompression": "true",  # the proxy cannot: it does not look into a websocket
    "browser.gatherUsageStats": "false",
}


class Host:
    """Processes, proxy and what looks after them: `with Host(processes=2) as host: ... host.url`.

    `quickly` is for a test: up sooner, but with files compressed less, and pages that the first visitor waits for.
    """

    def __init__(self, processes=2, address="127.0.0.1", port=None, embed=(), certificate=None, own_certificate=False,
                 quickly=False, hosts=()):
        self.nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
        if not self.nginx:
            raise RuntimeError("nginx is missing: install it (Debian: apt-get install nginx-light)")
        self.folder = Path(tempfile.mkdtemp(prefix="lab-host-"))
        self.quickly, self.address = quickly, address
        self.folder.chmod(0o755)  # nginx drops its rights, and has to read the static files
        self.ports, self.port = [free_port() for _ in range(processes)], port or free_port()
        self.running, self.missed, self.proxy = [None] * processes, [0] * processes, None
        self.cold, self.warm = set(range(processes)), threading.Event()  # which have not drawn their pages yet
        self.ending, self.watch = threading.Event(), threading.Thread(target=self.look_after, daemon=True)
        certificate = self.make_certificate() if own_certificate else certificate
        reached = "127.0.0.1" if address == "0.0.0.0" else address
        self.url = f"{'https' if certificate else 'http'}://{reached}:{self.port}"
        self.environment = os.environ | {"STREAMLIT_SERVER_COOKIE_SECRET": os.environ.get(  # one for all processes
            "STREAMLIT_SERVER_COOKIE_SECRET") or secrets.token_hex()}
        self.settings = SETTINGS | ({"server.xsrfCookieSameSite": "none"} if embed else {})
        listen = f"{address}:{self.port}"
        (self.folder / "nginx.conf").write_text(
            configuration(self.folder, self.ports, listen, embed, certificate, hosts), encoding="utf-8")

    def make_certificate(self):
        """A certificate for a measurement on this machine; no browser trusts it."""
        paths = self.folder / "chain.pem", self.folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                        "/CN=127.0.0.1", "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
        return paths

    def start(self, n):
        """Start process n, or start it anew."""
        flags = [f"--{name}={value}" for name, value in (self.settings | {"server.port": self.ports[n]}).items()]
        with open(self.folder / f"lab-{n + 1}.log", "ab") as log:
            self.running[n] = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", "app.py", *flags], cwd=ROOT,
                env=self.environment | {"LAB_LETTERS": letters(n + 1, len(self.ports))},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, preexec_fn=follow,
            )
        self.missed[n] = -30  # it may take half a minute to come up

    def answers(self, n, timeout=3.0):
        """Say whether process n can take a visitor."""
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[n]}/_stcore/health", timeout=timeout) as answer:
                return answer.status == 200
        return False

    def listens(self):
        """Say whether it is the proxy that has the port: nginx writes this file once it has it."""
        return (self.folder / "nginx.pid").exists()

    def warm_up(self, n):
        """Let a new process draw every page, so that no visitor waits for its first imports."""
        if self.warm.is_set():
            self.ending.wait(20)  # those who come back from a dead process need the processor first
        pages = ["", *sorted(path.stem for path in (ROOT / "pages").glob("*.py"))]
        with contextlib.suppress(Exception):  # it may end meanwhile, or a page may fail: then a visitor sees it
            for page in pages:
                draw(self.ports[n], page)
        self.cold.discard(n)
        if not self.cold:
            self.warm.set()

    def look_after(self):
        """Once a second: start what died; end what has not answered for half a minute, which starts it anew."""
        while not self.ending.wait(1):
            for n, process in enumerate(self.running):
                if process.poll() is not None:
                    print(f"process {n + 1} ended with {process.returncode}: started anew", flush=True)
                    self.start(n)
                    continue
                new, self.missed[n] = self.missed[n] < 0, 0 if self.answers(n) else self.missed[n] + 1
                if new and not self.missed[n] and not self.quickly:
                    threading.Thread(target=self.warm_up, args=(n,), daemon=True).start()
                if self.missed[n] > 10:
                    process.kill()

    def __enter__(self):
        try:
            claim(self.address, self.port)
            for n in range(len(self.running)):
                self.start(n)
            pack(streamlit_files(), self.folder / "static", self.quickly)
            self.proxy = subprocess.Popen([self.nginx, "-p", self.folder, "-c", self.folder / "nginx.conf"],
                                          preexec_fn=follow)
            end = time.monotonic() + 60
            while not (all(map(self.answers, range(len(self.running)))) and self.listens()):
                if time.monotonic() > end or self.proxy.poll() is not None:
                    raise RuntimeError(f"the lab did not come up:\n{self.logs()}")
                time.sleep(0.1)  # a server has no other way to say that it is up
        except BaseException:
            self.__exit__()
            raise
        self.watch.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        if self.watch.ident:
            self.watch.join()  # else it might start one more
        started = [process for process in (self.proxy, *self.running) if process]
        for process in started:
            process.terminate()
        end = time.monotonic() + 3
        for process in started:
            try:
                process.wait(max(0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def logs(self):
        """What the processes and the proxy wrote, the end of it."""
        return "\n".join(path.read_text(errors="replace")[-2000:] for path in sorted(self.folder.glob("*.log")))


def arguments():
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="one a core")
    parser.add_argument("--address", default="0.0.0.0", help="where visitors reach the proxy")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--host", action="append", default=[], metavar="NAME", help="the lab's name; refuse others")
    parser.add_argument("--certificate", help="file with the chain, for https")
    parser.add_argument("--key", help="file with its key")
    parser.add_argument("--embed", action="append", default=[], metavar="ORIGIN", help="a site that may frame the lab")
    parser.add_argument("--print", action="store_true", help="write the configuration and start nothing")
    parser.add_argument("--pack", metavar="FOLDER", help="write Streamlit's files, compressed, and start nothing")
    wanted = parser.parse_args()
    if not all(re.fullmatch(r"[\w.-]+", name) for name in wanted.host):
        parser.error("--host takes a name, such as lab.example, without https:// or a port")
    if bool(wanted.certificate) != bool(wanted.key):
        parser.error("--certificate and --key come together")
    if wanted.embed and not wanted.certificate and not wanted.print:
        parser.error("--embed needs https (--certificate, --key): without it a browser keeps no cookie in a frame")
    return wanted


def stop(*_):
    """End in good order; being told twice changes nothing."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(0)


def main():
    """Host the lab until told to stop."""
    wanted = arguments()
    certificate = (Path(wanted.certificate).resolve(), Path(wanted.key).resolve()) if wanted.certificate else None
    if wanted.pack:
        return pack(streamlit_files(), Path(wanted.pack) / "static")
    if wanted.print:
        ports = range(8501, 8501 + wanted.processes)
        listen = f"{wanted.address}:{wanted.port}"
        print(configuration("/var/lib/lab", ports, listen, wanted.embed, certificate, wanted.host))
        return None
    signal.signal(signal.SIGTERM, stop)
    try:
        with Host(wanted.processes, wanted.address, wanted.port, wanted.embed, certificate, hosts=wanted.host) as host:
            print(f"The lab is up, with {wanted.processes} processes: {host.url}", flush=True)
            return f"nginx ended with {host.proxy.wait()}, and the lab with it"
    except KeyboardInterrupt:
        return None
    except RuntimeError as error:
        return str(error)


if __name__ == "__main__":
    sys.exit(main())
