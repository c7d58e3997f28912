"""Ask whether anything installed has a known vulnerability: one fails; where nobody can be asked, a line says so.

    python .ci/audit.py PIP_AUDIT SITE_PACKAGES
"""

import json
import subprocess
import sys

SERVICES = ("pypi", "osv")
TOOLS = {"pip", "setuptools", "wheel"}  # of the virtual environment itself: the lab never runs them
SECONDS = 300


def asked(command: str, folder: str, service: str) -> list[dict]:
    """Return what a service says of each package; nothing where it gives no answer."""
    try:
        done = subprocess.run(
            [command, "--path", folder, "--vulnerability-service", service, "--format", "json", "--progress-spinner",
             "off", "--timeout", "15"], capture_output=True, text=True, timeout=SECONDS, check=False,
        )
        return json.loads(done.stdout)["dependencies"]
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError):
        return []


def report(found: list[dict], service: str) -> tuple[str, bool]:
    """Say in a line or more what was found, and whether it is well.

    >>> report([{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "not on PyPI"}], "pypi")
    ('audit: 1 packages asked about (pypi), none has a known vulnerability; 1 could not be asked about: b', True)
    """
    known = [each for each in found if "vulns" in each]
    unknown = [each["name"] for each in found if "vulns" not in each]
    lines = [
        f"audit: {each['name']} {each['version']}: {flaw['id']}, mended in {', '.join(flaw['fix_versions']) or 'none'}"
        for each in known for flaw in each["vulns"]
    ]
    well = not any(each["vulns"] for each in known if each["name"].lower() not in TOOLS)
    verdict = "none has" if well else "some have"
    line = f"audit: {len(known)} packages asked about ({service}), {verdict} a known vulnerability"
    line += f"; {len(unknown)} could not be asked about: {', '.join(unknown)}" if unknown else ""
    return "\n".join([*lines, line]), well


def main() -> int:
    """Ask one service after the other until one answers."""
    for service in SERVICES:
        found = asked(*sys.argv[1:3], service)
        if any("vulns" in each for each in found):
            text, well = report(found, service)
            print(text)
            return 0 if well else 1
    print(f"audit: not done, no vulnerability service ({', '.join(SERVICES)}) answers from here")
    return 0


if __name__ == "__main__":
    sys.exit(main())
