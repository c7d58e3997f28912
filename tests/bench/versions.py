"""The tests on every Python that Streamlit Community Cloud offers, and on the lowest versions that we say suffice.

    python tests/bench/versions.py [--only TEXT] [--python 3.13=PATH ...] [--workers 2]

Community Cloud offers every Python that still receives security updates (3.12 unless one chooses another); of those
the lab takes 3.11 and newer. A row is an environment of its own in a temporary folder: what requirements.txt names, in
the lowest versions that it allows or in the newest, and the tests but for those in a browser. PyTorch is installed on
Python 3.11 only; elsewhere pip may bring several GB. What cannot be tried here is named in the table. Ends in 1 where
a row failed.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
# Python, the versions of what requirements.txt names, PyTorch or not
ROWS = (
    ("3.11", "lowest", True), ("3.11", "newest", True), ("3.11", "newest", False), ("3.12", "newest", False),
    ("3.13", "newest", False), ("3.14", "newest", False),
)
BROWSERS = ("playwright", "axe-playwright-python", "ruff")
SHOWN = ("streamlit", "numpy", "pandas", "plotly", "babel", "torch")
FOLDERS = ("tests/core", "tests/ui", "tests/pages")


def names_and_bounds(path):
    """The lines of a requirements file: ("numpy", ">=2.0")."""
    lines = [line.split("#")[0].strip() for line in (ROOT / path).read_text().splitlines()]
    return [re.fullmatch(r"([\w.-]+)(.*)", line).groups() for line in lines if line]


def requirements(versions, torch):
    """What pip is asked for."""
    ours = [(name, bound) for name, bound in names_and_bounds("requirements.txt") if torch or name != "torch"]
    if versions == "lowest":
        ours = [(name, bound.replace(">=", "==")) for name, bound in ours]
    tests = [row for row in names_and_bounds("tests/requirements.txt") if row[0] not in BROWSERS]
    return [name + bound for name, bound in ours + tests]


def find_python(version, named):
    """An interpreter: the one that was named, else one on PATH, else pyenv's; None without one."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    places = [named.get(version), shutil.which(f"python{version}"), sys.executable]
    places += sorted(map(str, root.glob(f"versions/{version}.*/bin/python")))
    say = "import sys; print('%d.%d' % sys.version_info[:2])"
    for place in filter(None, places):
        told = subprocess.run([place, "-c", say], capture_output=True, text=True)
        if told.stdout.strip() == version:
            return place
    return None


def installed(python):
    """Versions of what the table shows."""
    listed = json.loads(subprocess.run(
        [python, "-m", "pip", "list", "--format=json"], capture_output=True, text=True, check=True).stdout)
    found = {row["name"].lower(): row["version"] for row in listed}
    return {name: found.get(name, "none") for name in SHOWN}


def try_row(python, versions, torch, workers):
    """Install and test; return the versions, a sentence with the outcome, and whether all went well."""
    with tempfile.TemporaryDirectory(prefix="lab-versions-") as folder:
        own = str(Path(folder, "env", "Scripts" if os.name == "nt" else "bin", "python"))
        subprocess.run([python, "-m", "venv", Path(folder, "env")], check=True)
        asked = requirements(versions, torch)
        pip = subprocess.run([own, "-m", "pip", "install", "-q", *asked], capture_output=True, text=True)
        if pip.returncode:
            return {}, f"not installed: {(pip.stderr.strip() or pip.stdout).splitlines()[-1]}", False
        command = [own, "-m", "pytest", "-q", "-rfEs", "-p", "no:cacheprovider", "-n", str(workers), *FOLDERS]
        plain = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CI")}
        run = subprocess.run(command, cwd=ROOT, env=plain, capture_output=True, text=True)
        lines = run.stdout.splitlines()
        for line in lines:
            if line.startswith(("FAILED", "ERROR", "SKIPPED")):
                print(f"    {line[:200]}", flush=True)
        return installed(own), lines[-1] if lines else run.stderr[-200:], run.returncode == 0


def main(arguments):
    named = dict(pair.split("=", 1) for pair in arguments.python)
    table, failed = [], 0
    for version, versions, torch in ROWS:
        title = f"{version} {versions} {'with' if torch else 'without'} PyTorch"
        if arguments.only not in title:
            continue
        python, began = find_python(version, named), time.monotonic()
        found, outcome, good = {}, f"no Python {version} on this machine: not tried", None
        if python:
            print(f"{title}: {python}", flush=True)
            found, outcome, good = try_row(python, versions, torch, arguments.workers)
        failed += good is False
        versions_found = " ".join(f"{name} {number}" for name, number in found.items())
        table.append(f"{title:<30}{round(time.monotonic() - began):>5} s  {outcome}\n    {versions_found}")
        print(table[-1], flush=True)
    print("\n" + "\n".join(table))
    return int(failed > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="rows whose title contains this")
    parser.add_argument("--python", action="append", default=[], metavar="3.13=PATH", help="where an interpreter is")
    parser.add_argument("--workers", type=int, default=2)
    sys.exit(main(parser.parse_args()))
