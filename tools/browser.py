"""Find a Chromium to drive, or install one: ``python tools/browser.py [--install]``."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

_COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "{PROGRAMFILES}/Google/Chrome/Application/chrome.exe",
    "{PROGRAMFILES(X86)}/Google/Chrome/Application/chrome.exe",
    "{LOCALAPPDATA}/Google/Chrome/Application/chrome.exe",
    "{PROGRAMFILES(X86)}/Microsoft/Edge/Application/msedge.exe",
)
_BY_HAND = "Install Chromium or Google Chrome, or set CXG_BROWSER to the program's path."

# Each manager's commands, tried in this order.
_INSTALLERS: dict[str, tuple[tuple[str, ...], ...]] = {
    "apt-get": (("update", "-qq"), ("install", "-y", "-qq", "--no-install-recommends", "chromium")),
    "dnf": (("install", "-y", "-q", "chromium"),),
    "pacman": (("-Sy", "--noconfirm", "chromium"),),
    "apk": (("add", "--quiet", "chromium"),),
    "zypper": (("--non-interactive", "--quiet", "install", "chromium"),),
    "brew": (("install", "--cask", "chromium"),),
}


def find() -> str | None:
    """Return the path of a Chromium-like browser, or None."""
    return next(_candidates(), None)


def install() -> str:
    """Return a browser's path, after installing one with the system's package manager if there is none.

    Raises
    ------
    RuntimeError
        One sentence that says why it could not be installed and what to do.
    """
    found = find()
    if found:
        return found
    manager = next((name for name in _INSTALLERS if shutil.which(name)), None)
    if manager is None:
        raise RuntimeError(f"No browser was found, and no known package manager to install one. {_BY_HAND}")
    prefix = [] if manager == "brew" else _as_root()
    if prefix is None:
        raise RuntimeError(f"No browser was found, and installing one with {manager} needs root. {_BY_HAND}")
    for arguments in _INSTALLERS[manager]:
        command = [*prefix, manager, *arguments]
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.stderr.write(done.stdout[-2000:] + done.stderr[-2000:])
            raise RuntimeError(f"'{' '.join(command)}' failed. {_BY_HAND}")
    found = find()
    if found is None:
        raise RuntimeError(f"{manager} installed chromium, but no browser can be found. {_BY_HAND}")
    return found


def _candidates() -> Iterator[str]:
    chosen = os.environ.get("CXG_BROWSER")
    if chosen:
        yield chosen
    for command in _COMMANDS:
        path = shutil.which(command)
        if path:
            yield path
    for place in _PLACES:
        try:
            path = place.format_map(os.environ)
        except KeyError:
            continue
        if Path(path).is_file():
            yield path
    yield from _of_playwright()


def _of_playwright() -> Iterator[str]:
    """Look where ``playwright install chromium`` puts its browsers."""
    caches = {"Darwin": "~/Library/Caches/ms-playwright", "Windows": "~/AppData/Local/ms-playwright"}
    cache = os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or caches.get(platform.system(), "~/.cache/ms-playwright")
    for pattern in (
        "chromium-*/chrome-*/chrome",
        "chromium-*/*/*.app/Contents/MacOS/*",
        "chromium-*/chrome-*/chrome.exe",
    ):
        yield from (str(path) for path in sorted(Path(cache).expanduser().glob(pattern), reverse=True))


def _as_root() -> list[str] | None:
    """Return the prefix that runs a command as root without a password, or None."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return []
    if (
        shutil.which("sudo")
        and subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    ):
        return ["sudo", "-n"]
    return None


def main() -> int:
    """Print the browser's path; return 1 if there is none."""
    try:
        found = install() if "--install" in sys.argv[1:] else find()
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    print(found or f"No browser was found. {_BY_HAND}", file=sys.stdout if found else sys.stderr)
    return 0 if found else 1


if __name__ == "__main__":
    raise SystemExit(main())
