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


def free_port():
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
        f"frame-ancestors {' '.join(('self' if not embed else 'self',)) and ' '.join((chr(39) + 'self' + chr(39), *embed))}",
    ))
