"""Look the pinned versions up among known vulnerabilities, as far as the package index knows any.

    python .ci/audit.py

A known vulnerability fails. Where the index keeps no advisories, or no index answers, that is said
and passes; `tox -e audit` fails there.
"""

import json
import subprocess
import sys

OPTIONS = ["--format", "json", "--progress-spinner", "off", "--disable-pip", "--no-deps"]
UNREACHABLE = ("ConnectionError", "ProxyError", "Timeout")


def main() -> int:
    command = [sys.executable, "-m", "pip_audit", "--requirement", "constraints.txt", *OPTIONS]
    audit = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        pins = json.loads(audit.stdout)["dependencies"]
    except ValueError:
        if any(name in audit.stderr for name in UNREACHABLE):
            print("no package index answers: nothing was audited")
            return 0
        print(audit.stderr, file=sys.stderr)
        return 1
    vulnerable = [pin for pin in pins if pin.get("vulns")]
    for pin in vulnerable:
        for known in pin["vulns"]:
            fixed = ", ".join(known["fix_versions"]) or "no version"
            print(f"{pin['name']} {pin['version']}: {known['id']}, mended in {fixed}")
    unknown = sum("skip_reason" in pin for pin in pins)
    print(f"{len(pins) - unknown} pins audited, {unknown} unknown to the package index")
    return 1 if vulnerable else 0


if __name__ == "__main__":
    sys.exit(main())
