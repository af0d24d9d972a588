"""Ten pages of the built site, as a desk and a phone show them; `make docs` runs this after it has built the site."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.axe import violations

SITE = Path(__file__).parents[1] / "docs" / "_build" / "html"
PAGES = (
    *("index", "get_started", "how_to/index", "how_to/compare_samples", "gallery", "concepts/statistics"),
    *("api/results", "coming_from", "performance/index", "tutorials/01_open_and_look"),
)
pytestmark = [
    *(pytest.mark.docs, pytest.mark.browser),
    pytest.mark.skipif(not SITE.exists(), reason="the site is not built: make docs"),
]


@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_pages_of_the_site_pass_axe_fit_the_width_and_load_nothing_from_elsewhere(
    chromium: Any, width: int, theme: str
) -> None:
    page = chromium.new_page(viewport={"width": width, "height": 900}, color_scheme=theme)
    loaded: list[str] = []
    page.on("request", lambda request: loaded.append(request.url))
    found = {}
    for name in PAGES:
        page.goto((SITE / f"{name}.html").as_uri(), wait_until="domcontentloaded")
        assert page.evaluate("document.documentElement.dataset.theme") == theme
        page.evaluate(
            "document.querySelectorAll('iframe').forEach((one) => one.remove())"
        )  # test_html_file.py has those
        grave = violations(page, "body")
        overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        if grave or overflow > 1:
            found[name] = grave, overflow
    page.close()
    assert found == {}
    assert [one for one in loaded if not one.startswith(("file:", "data:", "blob:"))] == []
