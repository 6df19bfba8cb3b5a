# shellcheck shell=bash
# For: browsers that nobody sees, driven by Python. Sourced by tools, after packages.sh; not run.
#
#   provide_browsers ROOT   Debian's Chromium, and a Python below ROOT/.build that drives it: $browsing_python

provide_browsers() { # ROOT
    ensure_packages chromium chromium-driver python3 python3-venv
    browsing_python=$1/.build/browsers/bin/python
    if ! "$browsing_python" -c 'import selenium, axe_selenium_python, cryptography, aiohttp' 2>/dev/null; then
        mkdir -p "$1/.build"
        quietly python3 -m venv "$1/.build/browsers" || die 69 "Python makes no environment; its message is above"
        quietly "$1/.build/browsers/bin/pip" --disable-pip-version-check install \
            'selenium>=4.20,<5' 'axe-selenium-python>=2.1.6,<3' 'cryptography>=42' 'aiohttp>=3.9,<4' ||
            die 69 "selenium cannot be had here; its message is above"
    fi
}
