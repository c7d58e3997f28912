"""Hosts the lab for a class: N Streamlit processes behind one nginx, each looked after; stops what it started.

    python .deploy/host.py [--processes 2] [--address 0.0.0.0] [--port 8080]
        [--certificate chain.pem --key key.pem] [--embed https://lms.example] [--print]

Linux or macOS, with nginx on the path (Debian: apt-get install nginx-light). Sessions stay with their process by a
cookie of the proxy's own; a process that dies is started anew, and its sessions come back on another at once.
`--embed` names the sites that may show the lab in a frame; they need https, and so does the lab then. `--print` writes
the nginx configuration for processes that something else starts, on the ports from 8501 up. `.deploy/nginx.conf` says
why each of its lines is there.
"""

import argparse
import base64
import contextlib
import gzip
import hashlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
LANGUAGES = ("en", "id")  # pages/ui/language.py; the test of the proxy holds the two together
SETTINGS = {
    "server.headless": "true",
    "server.fileWatcherType": "none",
    "server.address": "127.0.0.1",  # only the proxy is reached from outside
    "server.enableXsrfProtection": "true",
    "server.enableCORS": "true",  # the protection, not the permission: a websocket from another site is refused
    "server.maxUploadSize": "2",  # MB; pages take 1
    "server.maxMessageSize": "20",  # MB; the largest picture has 0.2
    "server.maxWidgetStateSize": "2",  # MB; all that a reader can type is below 0.1
    "server.disconnectedSessionTTL": "120",  # s; a phone that slept longer is restored from its link
    "server.enableWebsocketCompression": "true",  # the proxy cannot: it does not look into a websocket
    "browser.gatherUsageStats": "false",
}
POWERS = ("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone",
          "midi", "payment", "usb")


ETC = ("/etc/nginx", "/usr/local/etc/nginx", "/opt/homebrew/etc/nginx")


def free_port():
    """A loopback port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def streamlit_files():
    """Folder of the page and the scripts that Streamlit serves to browsers."""
    import streamlit

    return Path(streamlit.__file__).parent / "static"


def digest(script):
    """How a policy names one script that stands in a page: by the hash of its text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def policy(page, embed=()):
    """The Content-Security-Policy: the smallest under which every page of the lab runs.

    Scripts come from the server or are one of these: the one that stands in Streamlit's page, the one that tells the
    browser the language (pages/ui/frame.py), and components, which Streamlit loads from a blob. Styles have to be
    'unsafe-inline': Streamlit's emotion, Plotly and the lab's own style sheets write them into the page.
    """
    inside = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    inside += [f"document.documentElement.lang = '{lang}'" for lang in LANGUAGES]
    return "; ".join((
        "default-src 'self'",
        f"script-src 'self' blob: {' '.join(map(digest, inside))}",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        " ".join(("frame-ancestors 'self'", *embed)),
    ))


def draw(port, page):
    """Visit a page as a browser does, and wait until it is drawn."""
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from websockets.sync.client import connect

    ask = BackMsg()
    ask.rerun_script.page_name = page
    address = f"ws://127.0.0.1:{port}/_stcore/stream"
    with connect(address, subprotocols=["streamlit"], max_size=None, open_timeout=30) as socket:
        socket.send(ask.SerializeToString())
        while ForwardMsg.FromString(socket.recv(timeout=60)).WhichOneof("type") != "script_finished":
            pass


def pack(source, target):
    """Copy Streamlit's files and lay a compressed copy beside each text: compressed once, not for every visitor."""
    shutil.copytree(source, target)
    texts = [path for path in target.rglob("*") if path.suffix in (".js", ".css", ".html", ".json", ".svg")]
    for path in texts:
        if path.stat().st_size > 512:
            Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes(), 9))
    if brotli():
        subprocess.run(["brotli", "-k", "-q", "9", "--", *map(str, texts)], check=True)


def brotli():
    """Nginx's modules for a better compression, where Debian's libnginx-mod-http-brotli-static and brotli are there."""
    there = sorted(Path("/usr/share/nginx/modules").glob("ngx_http_brotli_static_module.so"))
    return there if shutil.which("brotli") else []


def configuration(folder, ports, listen, embed=(), certificate=None):
    """Fill in nginx.conf; `certificate` is (chain, key) or None."""
    number = dict(enumerate(ports, 1))
    servers = {n: f"server 127.0.0.1:{port} max_fails=1 fail_timeout=5s;" for n, port in number.items()}
    spare = {n: line.replace(";", " backup;") for n, line in servers.items()}
    page = (streamlit_files() / "index.html").read_text(encoding="utf-8")
    holes = {
        "folder": folder,
        "etc": next((str(etc) for etc in map(Path, ETC) if (etc / "mime.types").exists()), ETC[0]),
        "modules": "\n".join(f"load_module {path};" for path in brotli()),
        "choices": "".join(f"    {n} lab_{n};\n" for n in number),
        "served": "".join(f'    "~127\\.0\\.0\\.1:{port}$" {n};\n' for n, port in number.items()),
        "all": " ".join(servers.values()),
        "groups": "\n".join(
            f"  upstream lab_{n} {{ zone lab_{n} 64k; {servers[n]} "
            f"{' '.join(line for other, line in spare.items() if other != n)} }}" for n in number
        ),
        "cookie": "SameSite=None; Secure; Partitioned" if embed else f"SameSite=Lax{'; Secure' if certificate else ''}",
        "policy": policy(page, embed),
        "powers": ", ".join(f"{power}=()" for power in POWERS),
        "listen": f"{listen} ssl http2" if certificate else listen,
        "tls": "    ssl_certificate {};\n    ssl_certificate_key {};\n".format(*certificate) if certificate else "",
        "packed": "gzip_static on; brotli_static on;" if brotli() else "gzip_static on;",
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda hole: str(holes[hole[1]]), (HERE / "nginx.conf").read_text(encoding="utf-8"))


class Host:
    """Processes, proxy and what looks after them: `with Host(processes=2) as host: ... host.url`."""

    def __init__(self, processes=2, address="127.0.0.1", port=None, embed=(), certificate=None, own_certificate=False):
        self.nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
        if not self.nginx:
            raise RuntimeError("nginx is missing: install it (Debian: apt-get install nginx-light)")
        self.folder = Path(tempfile.mkdtemp(prefix="lab-host-"))
        self.folder.chmod(0o755)  # nginx drops its rights, and has to read the static files
        self.ports, self.port = [free_port() for _ in range(processes)], port or free_port()
        self.running, self.missed, self.proxy = [None] * processes, [0] * processes, None
        self.cold, self.warm = set(range(processes)), threading.Event()  # which have not drawn their pages yet
        self.ending, self.watch = threading.Event(), threading.Thread(target=self.look_after, daemon=True)
        certificate = self.make_certificate() if own_certificate else certificate
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"
        self.environment = os.environ | {"STREAMLIT_SERVER_COOKIE_SECRET": os.environ.get(  # one for all processes
            "STREAMLIT_SERVER_COOKIE_SECRET") or secrets.token_hex()}
        listen = f"{address}:{self.port}"
        (self.folder / "nginx.conf").write_text(
            configuration(self.folder, self.ports, listen, embed, certificate), encoding="utf-8")

    def make_certificate(self):
        """A certificate for a measurement on this machine; no browser trusts it."""
        paths = self.folder / "chain.pem", self.folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                        "/CN=127.0.0.1", "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
        return paths

    def start(self, n):
        """Start process n, or start it anew."""
        flags = [f"--{name}={value}" for name, value in (SETTINGS | {"server.port": self.ports[n]}).items()]
        with open(self.folder / f"lab-{n + 1}.log", "ab") as log:
            self.running[n] = subprocess.Popen(
                [sys.executable, "-m", "streamlit", "run", "app.py", *flags], cwd=ROOT, env=self.environment,
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )
        self.missed[n] = -30  # it may take half a minute to come up

    def answers(self, n, timeout=3.0):
        """Say whether process n can take a visitor."""
        with contextlib.suppress(OSError):
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ports[n]}/_stcore/health", timeout=timeout) as answer:
                return answer.status == 200
        return False

    def warm_up(self, n):
        """Let a new process draw every page, so that no visitor waits for its first imports."""
        if self.warm.is_set():
            self.ending.wait(20)  # those who come back from a dead process need the processor first
        pages = ["", *sorted(path.stem for path in (ROOT / "pages").glob("*.py"))]
        with contextlib.suppress(OSError, RuntimeError, ValueError):  # it may end meanwhile
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
                if new and not self.missed[n]:
                    threading.Thread(target=self.warm_up, args=(n,), daemon=True).start()
                if self.missed[n] > 10:
                    process.kill()

    def __enter__(self):
        try:
            for n in range(len(self.running)):
                self.start(n)
            pack(streamlit_files(), self.folder / "static")
            self.proxy = subprocess.Popen([self.nginx, "-p", self.folder, "-c", self.folder / "nginx.conf"])
            end = time.monotonic() + 60
            while not all(self.answers(n) for n in range(len(self.running))):
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
        for process in started:
            try:
                process.wait(10)
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
    parser.add_argument("--certificate", help="file with the chain, for https")
    parser.add_argument("--key", help="file with its key")
    parser.add_argument("--embed", action="append", default=[], metavar="ORIGIN", help="a site that may frame the lab")
    parser.add_argument("--print", action="store_true", help="write the configuration and start nothing")
    wanted = parser.parse_args()
    if bool(wanted.certificate) != bool(wanted.key):
        parser.error("--certificate and --key come together")
    if wanted.embed and not wanted.certificate and not wanted.print:
        parser.error("--embed needs https (--certificate, --key): without it a browser keeps no cookie in a frame")
    return wanted


def main():
    """Host the lab until told to stop."""
    wanted = arguments()
    certificate = (Path(wanted.certificate).resolve(), Path(wanted.key).resolve()) if wanted.certificate else None
    if wanted.print:
        ports = range(8501, 8501 + wanted.processes)
        print(configuration("/var/lib/lab", ports, f"{wanted.address}:{wanted.port}", wanted.embed, certificate))
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with Host(wanted.processes, wanted.address, wanted.port, wanted.embed, certificate) as host:
        print(f"The lab is up, with {wanted.processes} processes: {host.url}", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            host.proxy.wait()


if __name__ == "__main__":
    main()
