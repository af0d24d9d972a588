"""Mutated messages to one widget: whatever comes, no exception leaves its handler."""

from __future__ import annotations

import json
import logging
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import numpy as np

from cxg_widget import CxgWidget, errors
from cxg_widget.widget.traits import STATE
from tests.fuzz.mutations import replaced
from tests.fuzz.outcome import Outcome
from tests.fuzz.readout import Readout, _Log
from tests.memory import small

_GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("request.*.json"))
_OURS = {name for name, one in vars(errors).items() if isinstance(one, type)}


class Messages:
    """One widget that is sent mutated requests and settings, each a seed."""

    def __init__(self) -> None:
        self._requests = [json.loads(path.read_text(encoding="utf-8"))["request"] for path in _GOLDEN]
        self._widgets = [CxgWidget(small(300), color="cell_type", render=render) for render in ("points", "raster")]
        self._states = {name: getattr(self._widgets[0], name) for name in STATE}

    def send(self, rng: np.random.Generator) -> Outcome:
        """Send one to three messages; return what came of them."""
        w, out, sent = self._widgets[int(rng.integers(2))], Readout(), []
        w._exchange._send = lambda content, _: sent.append(content)
        log, logger = _Log(out), logging.getLogger("cxg_widget")
        logger.addHandler(log)
        messages = [self._message(rng) for _ in range(int(rng.integers(1, 4)))]
        try:
            for data in messages:
                out.take("message", lambda data=data: w._handle_msg({"content": {"data": data}, "buffers": []}))
            wait([one for one in list(w._exchange.jobs._waiting.values()) if not one.cancelled()])
            for content in sent:
                out.take("answer", lambda content=content: json.dumps(content, allow_nan=False))
                if content["kind"] == "error" and content["type"] not in _OURS:
                    out.foreign.append(str(content)[:300])
        finally:
            logger.removeHandler(log)
        what = json.dumps(messages, default=str)[:200]
        if out.foreign:
            return Outcome("foreign", out.foreign[0], "message", what)
        refused = [content["message"] for content in sent if content["kind"] == "error"]
        return Outcome("clean error" if refused else "unchanged", "; ".join(refused)[:200], "message", what)

    def close(self) -> None:
        """Close the widgets."""
        for w in self._widgets:
            w.close()

    def _message(self, rng: np.random.Generator) -> Any:
        request: Any = self._requests[int(rng.integers(len(self._requests)))]
        data: Any = {"method": "custom", "content": request}
        if rng.random() < 0.3:
            names = list(self._states)
            name = names[int(rng.integers(len(names)))]
            data = {"method": "update", "state": {name: self._states[name]}}
        for _ in range(int(rng.integers(1, 3))):
            data, _ = replaced(data, rng)
        return data
