"""Installs what Home Assistant would fetch by itself at its first start, in its own Python: it is run without a network.

Which integrations load is read from its own lists and manifests: those that always load, every kind of entity, and MQTT.
"""
import json
import pathlib
import re
import subprocess
import sys
import sysconfig

from homeassistant.const import Platform

HOME = pathlib.Path(sysconfig.get_path("purelib"), "homeassistant")
WANTED = ("mqtt", "http", "api", "auth", "config", "websocket_api", "onboarding", "frontend", "hassio")  # MQTT reads hassio's
LISTS = ("CORE_INTEGRATIONS", "DEFAULT_INTEGRATIONS", "DEFAULT_INTEGRATIONS_RECOVERY_MODE")


def always_loaded(bootstrap):
    """The strings in those sets of bootstrap.py."""
    for name in LISTS:
        found = re.search(rf"^{name}\b[^=]*= *\{{(.*?)\n?\}}", bootstrap, re.DOTALL | re.MULTILINE)
        if found:
            yield from re.findall(r'"([a-z0-9_]+)"', re.sub(r"#.*", "", found.group(1)))


def manifest(domain):
    try:
        return json.loads((HOME / "components" / domain / "manifest.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}


def main():
    waiting = [*WANTED, *(kind.value for kind in Platform), *always_loaded((HOME / "bootstrap.py").read_text(encoding="utf-8"))]
    seen, needed = set(), set()
    while waiting:
        domain = waiting.pop()
        if domain in seen:
            continue
        seen.add(domain)
        found = manifest(domain)
        needed.update(found.get("requirements", []))
        waiting += found.get("dependencies", [])
    print(f"{len(seen)} integrations need {len(needed)} packages", flush=True)
    return subprocess.run([sys.executable, "-m", "pip", "--no-cache-dir", "install", "--constraint",
                           str(HOME / "package_constraints.txt"), *sorted(needed)], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
