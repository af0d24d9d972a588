"""Whether a page can be used without eyes or hands of the usual kind, as axe-core judges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

AXE = Path(__file__).parents[2] / "js" / "node_modules" / "axe-core" / "axe.min.js"


def violations(page: Any, within: str, *rules: str) -> dict[str, list[str]]:
    """Return the serious and critical violations in an element, shadow roots included: rule -> what breaks it.

    rules : those that are judged, by default all
    """
    if not AXE.exists():
        pytest.skip("axe-core judges: run npm ci in js/")
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text(encoding="utf-8"))
    how = {"resultTypes": ["violations"]} | ({"runOnly": {"type": "rule", "values": list(rules)}} if rules else {})
    found = page.evaluate("([within, how]) => axe.run({ include: [[within]] }, how)", [within, how])
    grave = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]
    return {one["id"]: [f"{node['target']} {node['failureSummary']}" for node in one["nodes"]] for one in grave}
