"""The front-end's second module, which draws its panels: sent over the comm when one of them first opens."""

from __future__ import annotations

import zlib
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np

from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

_FILE = Path(__file__).parents[1] / "static" / "panels.js"


def module_frame(known: list[str]) -> Frame:
    """Return the module, without its code where its hash is among those that a page has."""
    code, name = _read(_FILE.stat().st_mtime_ns)
    return Frame(p.Module(name), {"code": np.frombuffer(b"" if name in known else code, dtype=np.uint8)})


@lru_cache(maxsize=1)
def _read(_: int) -> tuple[bytes, str]:
    """Return the code, deflated, and its hash; read anew where the file has another time, as while it is edited."""
    code = _FILE.read_bytes()
    return zlib.compress(code, 9), sha256(code).hexdigest()[:16]
