"""Fills in nginx.conf: which processes there are, what a page may do, and Streamlit's files, compressed once."""

import base64
import gzip
import hashlib
import re
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).parent
LANGUAGES = ("en", "id")  # pages/ui/language.py; the test of the proxy holds the two together
POWERS = ("accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone",
          "midi", "payment", "usb")
ALPHABET = "3467cdfhjkmnpqrtvwxy"  # of rooms; the test of the proxy holds the two together
ETC = ("/etc/nginx", "/usr/local/etc/nginx", "/opt/homebrew/etc/nginx")
FRAMED = """  proxy_cookie_path / "/; Partitioned";  # Streamlit's own cookie, which uploads need, in a frame too
"""


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


def pack(source, target, quickly=False):
    """Copy Streamlit's files and lay a compressed copy beside each text: compressed once, not for every visitor."""
    shutil.copytree(source, target)
    texts = [path for path in target.rglob("*") if path.suffix in (".js", ".css", ".html", ".json", ".svg")]
    for path in texts:
        if path.stat().st_size > 512:
            Path(f"{path}.gz").write_bytes(gzip.compress(path.read_bytes(), 1 if quickly else 9))
    if brotli() and not quickly:
        subprocess.run(["brotli", "-k", "-q", "9", "--", *map(str, texts)], check=True)


def brotli():
    """Nginx's modules for a better compression, where Debian's libnginx-mod-http-brotli-static and brotli are there."""
    there = sorted(Path("/usr/share/nginx/modules").glob("ngx_http_brotli_static_module.so"))
    return there if shutil.which("brotli") else []


def letters(n, processes):
    """The letters that the codes of the rooms of process n, from 1, begin with (pages/ui/classroom/rooms.py)."""
    return ALPHABET[n - 1::processes]


def names(hosts):
    """Lines of a map that says 1 for a name which the lab does not have; without names every one will do."""
    known = ("localhost", r'"~^[0-9.]+$"', r'"~^\["', *hosts) if hosts else ()
    return "".join(f"    {line};\n" for line in (f"default {int(bool(hosts))}", *(f"{name} 0" for name in known)))


def configuration(folder, ports, listen, embed=(), certificate=None, hosts=()):
    """Fill in nginx.conf; `certificate` is (chain, key) or None, `hosts` are the names that the lab goes by."""
    number = dict(enumerate(ports, 1))
    servers = {n: f"server 127.0.0.1:{port} max_fails=1 fail_timeout=5s;" for n, port in number.items()}
    own = {n: f"server 127.0.0.1:{port} max_fails=0;" for n, port in number.items()}
    spare = {n: line.replace(";", " backup;") for n, line in own.items()}
    page = (streamlit_files() / "index.html").read_text(encoding="utf-8")
    holes = {
        "folder": folder,
        "etc": next((str(etc) for etc in map(Path, ETC) if (etc / "mime.types").exists()), ETC[0]),
        "modules": "\n".join(f"load_module {path};" for path in brotli()),
        "choices": "".join(f"    {n} lab_{n};\n" for n in number),
        "served": "".join(f'    "~127\\.0\\.0\\.1:{port}$" {n};\n' for n, port in number.items()),
        "rooms": "".join(f'    "~*^[{letters(n, len(ports))}]" {n};\n' for n in number),
        "all": " ".join(servers.values()),
        "own": " ".join(own.values()),
        "groups": "\n".join(
            f"  upstream lab_{n} {{ zone lab_{n} 64k; {own[n]} "
            f"{' '.join(line for other, line in spare.items() if other != n)} }}" for n in number
        ),
        "cookie": "SameSite=None; Secure; Partitioned" if embed else f"SameSite=Lax{'; Secure' if certificate else ''}",
        "framed": FRAMED if embed else "",
        "policy": policy(page, embed),
        "powers": ", ".join(f"{power}=()" for power in POWERS),
        "hosts": names(hosts),
        "listen": f"{listen} ssl http2" if certificate else listen,
        "tls": "    ssl_certificate {};\n    ssl_certificate_key {};\n".format(*certificate) if certificate else "",
        "packed": "gzip_static on; brotli_static on;" if brotli() else "gzip_static on;",
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda hole: str(holes[hole[1]]), (HERE / "nginx.conf").read_text(encoding="utf-8"))
