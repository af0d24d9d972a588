"""A JupyterLab server for one test or demo, separate from the user's own."""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

_SETTINGS: dict[str, dict[str, object]] = {
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
    # Running a notebook in a test must not change its file.
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
}

# TCP holds back a small packet while another is on its way (Nagle), and the receiver acknowledges it late.
_AT_ONCE = """
from tornado.iostream import IOStream

set_nodelay = IOStream.set_nodelay
IOStream.set_nodelay = lambda stream, _: set_nodelay(stream, True)  # which Tornado calls for each request
"""


class JupyterLab:
    """A JupyterLab server on a free loopback port, with settings of its own; stops when the context ends.

    Parameters
    ----------
    root : the folder it serves
    theme : "light" or "dark"
    settings : further JupyterLab settings, plugin id -> values
    env : further environment variables for the server and its kernels
    start_s : seconds it may take to start
    extensions : whether an extension that is installed is used, of the server (a module) or of its page (@owner/name)
    at_once : whether pages are sent each message at once; as the server comes, one waits up to 40 ms for what the page
        says of the one before
    python : the interpreter whose packages the server and its kernels use; default: this one
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        theme: Literal["light", "dark"] = "light",
        settings: Mapping[str, dict[str, object]] | None = None,
        env: Mapping[str, str] | None = None,
        start_s: float = 60,
        extensions: Mapping[str, bool] | None = None,
        at_once: bool = False,
        python: str | os.PathLike[str] = sys.executable,
    ) -> None:
        self.root = Path(root).resolve()
        self.token = secrets.token_hex(16)
        self.url = ""
        self._settings = {
            **_SETTINGS,
            "@jupyterlab/apputils-extension:themes": {
                "theme": f"JupyterLab {theme.capitalize()}",
                "adaptive-theme": False,
            },
            **(settings or {}),
        }
        self._env = dict(env or {})
        self._start_s = start_s
        self._extensions = dict(extensions or {})
        self._at_once = at_once
        self._python = python
        self._own = tempfile.TemporaryDirectory(prefix="cxg-lab-", ignore_cleanup_errors=True)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> str:
        """The output of the server so far."""
        return (Path(self._own.name) / "log").read_text(errors="replace")

    def __enter__(self) -> Self:
        own = Path(self._own.name)
        config = own / "config" / "labconfig"
        config.mkdir(parents=True)
        (config / "default_setting_overrides.json").write_text(json.dumps(self._settings))
        of_page = {name: not is_used for name, is_used in self._extensions.items() if name.startswith("@")}
        (config / "page_config.json").write_text(json.dumps({"disabledExtensions": of_page}))
        of_server = {name: is_used for name, is_used in self._extensions.items() if not name.startswith("@")}
        server_config = {"ServerApp": {"jpserver_extensions": of_server}}
        (config.parent / "jupyter_server_config.json").write_text(json.dumps(server_config))
        if self._at_once:
            (own / "config" / "jupyter_server_config.py").write_text(_AT_ONCE)
        port = _free_port()
        self.url = f"http://127.0.0.1:{port}"
        with open(own / "log", "wb") as log:
            self._process = subprocess.Popen(
                [self._python, "-m", "jupyterlab", *self._arguments(port)],
                cwd=self.root,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End the server and its kernels, and remove its settings."""
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self._own.cleanup()

    def notebook_url(self, path: str) -> str:
        """Return the address of a notebook, given relative to `root`, in a fresh workspace."""
        return f"{self.url}/lab/workspaces/{secrets.token_hex(4)}/tree/{quote(path)}?token={self.token}"

    def set(self, plugin: str, values: Mapping[str, object]) -> None:
        """Change the settings of a plugin, as its user would, for pages opened later."""
        body = json.dumps({"raw": json.dumps(values)}).encode()
        address = f"{self.url}/lab/api/settings/{plugin}?token={self.token}"
        with urlopen(Request(address, body, method="PUT"), timeout=10):
            pass

    def _arguments(self, port: int) -> list[str]:
        return [
            "--no-browser",
            "--allow-root",
            # Makes `window.jupyterapp`: its commands work while a kernel connects; key presses can be lost.
            "--expose-app-in-browser",
            f"--IdentityProvider.token={self.token}",
            "--ServerApp.ip=127.0.0.1",
            f"--ServerApp.port={port}",
            "--ServerApp.port_retries=0",
            f"--ServerApp.root_dir={self.root}",
            "--ServerApp.terminals_enabled=False",
            "--LabApp.extension_manager=readonly",
        ]

    def _environment(self) -> dict[str, str]:
        own = Path(self._own.name)
        places = {name: str(own / name.lower()) for name in ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
        places["JUPYTER_CONFIG_DIR"] = str(own / "config")
        places["JUPYTER_PREFER_ENV_PATH"] = "1"
        # Before that of the environment, where packages enable their extensions.
        own_first = (places["JUPYTER_CONFIG_DIR"], os.environ.get("JUPYTER_CONFIG_PATH"))
        places["JUPYTER_CONFIG_PATH"] = os.pathsep.join(filter(None, own_first))
        return {**os.environ, **places, **self._env}

    def _wait(self) -> None:
        assert self._process is not None
        end = time.monotonic() + self._start_s
        while time.monotonic() < end:
            if self._process.poll() is not None:
                raise RuntimeError(f"JupyterLab ended with code {self._process.returncode} at its start:\n{self.log}")
            try:
                with urlopen(f"{self.url}/api/status?token={self.token}", timeout=2):
                    return
            except (URLError, OSError):
                time.sleep(0.1)
        raise RuntimeError(f"JupyterLab did not start within {self._start_s} s:\n{self.log}")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port
