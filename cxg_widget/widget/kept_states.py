"""Saved states of widgets, in the folder of the spatial indexes: one file per widget, named by dataset and notebook.

::

    line 1    JSON: counts of the parts of the state, and checksums; at most 64 KiB
    line 2    JSON: the state, as `w.state` gives it

Names and identities are digests, since URIs may contain secrets.
"""
# Changes with cxg_widget/widget/keeping.py and js/src/panels/offer.js: what is counted of a kept state.

from __future__ import annotations

import json
import logging
import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from cxg_widget.errors import CxgWidgetError, InvalidStore
from cxg_widget.files.workplace import sweep
from cxg_widget.files.writing import writing
from cxg_widget.spatial.cache_folder import cache_bytes, cache_folder

MOST_BYTES = 32 << 20
"""Limit of one state: 250 sets of rows of a million cells each."""
MOST_IN_ALL = 256 << 20
MOST_FILES = 200
MOST_OFFERED = 5
_MOST_HEADER = 64 << 10
_VERSION = 1
_SUFFIX = ".cxgstate"
_NAME = re.compile(r"[0-9a-f]{20}-[0-9a-f]{12}-[0-9a-f]{16}")
COUNTED = ("sets", "labels", "annotations", "gene_sets", "pins", "filters", "panels")

_LOG = logging.getLogger("cxg_widget")


def digest(text: str, n: int = 64) -> str:
    """Return the first hexadecimal digits of the SHA-256 of a text."""
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:n]


@dataclass(frozen=True)
class Header:
    """First line of a saved state.

    Attributes
    ----------
    identity : digest of the dataset's identity
    at : seconds since 1970
    notebook : file name of the notebook; "" if unknown
    counts : number of each of `COUNTED`
    saved : {annotation: digest of its labels when they were last saved to a file}
    unsaved : number of annotations with labels that no file has
    content : digest of the state
    """

    identity: str
    at: float
    notebook: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    saved: Mapping[str, str] = field(default_factory=dict)
    unsaved: int = 0
    content: str = ""


@dataclass(frozen=True)
class KeptState:
    """A saved state whose header was read.

    Attributes
    ----------
    name : name of the file, without its suffix
    is_of_here : whether it belongs to the notebook that looked for it
    """

    name: str
    header: Header
    is_of_here: bool


class KeptStates:
    """The folder of saved states. Its errors are logged once; then nothing is saved or found.

    Parameters
    ----------
    dataset : its URI; the identity in the header distinguishes states of one URI
    notebook : path of the notebook
    """

    _has_complained = False

    def __init__(self, dataset: str, notebook: str) -> None:
        caches = cache_folder()
        self.folder = None if caches is None or cache_bytes() <= 0 else caches / "states"
        self._dataset, self._notebook = digest(dataset, 20), digest(notebook, 12)

    def name(self, token: str) -> str:
        """Return the file name of the state of one widget, given its token of 16 hexadecimal digits."""
        return f"{self._dataset}-{self._notebook}-{token}"

    def find(self) -> list[KeptState]:
        """Return the saved states of the dataset: those of this notebook first, then by date, newest first."""
        found = sorted(self._headers(), key=lambda one: (not one.is_of_here, -one.header.at))
        contents: dict[tuple[str, str], KeptState] = {}
        for one in found:
            contents.setdefault((one.header.identity, one.header.content), one)
        return list(contents.values())

    def read(self, kept: KeptState) -> dict[str, Any]:
        """Return a state.

        Raises
        ------
        InvalidStore
            If the file is gone, was changed since it was written, or belongs to another user.
        """
        header, text = self._read(kept.name, MOST_BYTES)
        try:
            state = json.loads(text)
        except (ValueError, RecursionError):
            state = None
        if not isinstance(state, dict) or header.content != sha256(text).hexdigest():
            raise InvalidStore(f"the saved state in {self.folder} is damaged; nothing was restored")
        return state

    def write(self, name: str, header: Header, state: bytes) -> bool:
        """Save a state, replacing one of the same name; return whether it was saved."""
        if self.folder is None or len(state) > MOST_BYTES:
            return False
        head = json.dumps({"version": _VERSION, **asdict(header)}).encode()
        if len(head) >= _MOST_HEADER:
            return False
        try:
            _make_private(self.folder)
            self._make_room(len(head) + len(state), name)
            with writing(self.folder / f"{name}{_SUFFIX}", replaces=True, private=True) as place:
                place.partial.write_bytes(head + b"\n" + state)
        except (OSError, CxgWidgetError) as error:
            self._complain(error)
            return False
        return True

    def remove(self, name: str) -> None:
        """Delete the state of a name, if there is one."""
        if self.folder is not None:
            with suppress(OSError):
                (self.folder / f"{name}{_SUFFIX}").unlink()

    def _headers(self) -> Iterator[KeptState]:
        if self.folder is None:
            return
        try:
            names = [one.name.removesuffix(_SUFFIX) for one in os.scandir(self.folder) if one.name.endswith(_SUFFIX)]
        except OSError:
            return
        for name in names:
            if _NAME.fullmatch(name) and name.startswith(f"{self._dataset}-"):
                try:
                    header, _ = self._read(name, 0)
                except InvalidStore as error:
                    self._complain(error)
                    continue
                yield KeptState(name, header, name.split("-")[1] == self._notebook)

    def _read(self, name: str, most: int) -> tuple[Header, bytes]:
        """Return the header and the state, which is not read if `most` is 0."""
        path = Path(self.folder or "") / f"{name}{_SUFFIX}"
        try:
            # Do not follow a link, nor wait for a pipe, that somebody has put there.
            flags = (
                os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
            )
            with open(os.open(path, flags), "rb") as file:
                about = os.fstat(file.fileno())
                if not stat.S_ISREG(about.st_mode) or (hasattr(os, "geteuid") and about.st_uid != os.geteuid()):
                    raise InvalidStore(f"{path} belongs to another user and was not read")
                line = file.readline(_MOST_HEADER)
                rest = file.read(most + 1) if most else b""
        except OSError as error:
            raise InvalidStore(f"{path} could not be read: {error.strerror}") from error
        if len(rest) > most:
            raise InvalidStore(f"{path} is larger than a saved state may be and was not read")
        try:
            return _header(json.loads(line)), rest
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
            raise InvalidStore(f"{path} is not a saved state of this version and was not read") from None

    def _make_room(self, size: int, name: str) -> None:
        """Delete the oldest states until one more fits, and leftovers of killed writers."""
        sweep(Path(self.folder or ""))
        kept = []
        for entry in os.scandir(self.folder):
            with suppress(OSError):  # another process may be deleting it
                found = entry.stat(follow_symlinks=False)
                if entry.name.endswith(_SUFFIX) and entry.name != f"{name}{_SUFFIX}":
                    kept.append((found.st_mtime, found.st_size, entry.path))
        most, used = min(MOST_IN_ALL, cache_bytes()), size + sum(one for _, one, _ in kept)
        for number, (_, freed, path) in enumerate(sorted(kept)):
            if used <= most and len(kept) - number < MOST_FILES:
                return
            with suppress(OSError):
                os.unlink(path)
            used -= freed

    def _complain(self, error: Exception) -> None:
        if not KeptStates._has_complained:
            _LOG.info("cannot save or read the state of a widget in %s: %s", self.folder, error)
        KeptStates._has_complained = True


def _header(found: Any) -> Header:
    if found.pop("version") != _VERSION:
        raise ValueError
    header = Header(**found)
    texts = (header.identity, header.notebook, header.content, *header.saved, *header.saved.values())
    numbers = (header.at, header.unsaved, *(header.counts[one] for one in COUNTED))
    if not all(isinstance(one, str) for one in texts) or not all(
        type(one) in (int, float) and 0 <= one < 1e12 for one in numbers
    ):
        raise ValueError
    return header


def _make_private(folder: Path) -> None:
    """Make the folder, or make it private to this user; `OSError` if somebody else owns it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or (hasattr(os, "geteuid") and about.st_uid != os.geteuid()):
        raise PermissionError(f"{folder} belongs to another user")
    if hasattr(os, "geteuid") and stat.S_IMODE(about.st_mode) != 0o700:
        folder.chmod(0o700)


def notebook_path() -> str:
    """Return the path of the notebook as JupyterLab, VS Code or marimo gives it; "" if none does."""
    return _of_vscode() or _of_marimo() or os.environ.get("JPY_SESSION_NAME", "")


def _of_vscode() -> str:
    shell: Any = None
    with suppress(Exception):  # the shell may have any version
        shell = sys.modules["IPython"].get_ipython()
    path = getattr(shell, "user_ns", {}).get("__vsc_ipynb_file__")
    return path if isinstance(path, str) else ""


def _of_marimo() -> str:
    path: Any = None
    with suppress(Exception):  # marimo has no public API for it; without it states belong to no notebook
        path = sys.modules["marimo._runtime.context"].get_context().filename
    return path if isinstance(path, str) else ""
