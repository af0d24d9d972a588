"""The second module on its way into a page: in each host, once a page, from no network, and where it is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import tiledb

from cxg_widget.display.settings import Settings
from cxg_widget.session.session import Session
from tests.browser.axe import violations
from tests.browser.engine import packed
from tests.browser.panels_page import expect
from tests.hosts.notebooks import needs, open_in
from tests.memory import small
from tools.lab import new_page

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

STATIC = Path(__file__).parents[2] / "cxg_widget" / "static"
if not (STATIC / "panels.js").exists():
    pytest.skip("the bundles are not built: make build", allow_module_level=True)


def columns_of(folder: Path) -> dict[str, set[str]]:
    """Return the columns and the donors of the demo, read with plain tiledb."""
    with tiledb.open(str(folder / "small.cxg" / "obs")) as array:
        schema = json.loads(array.meta["cxg_schema"])
        columns = {array.attr(i).name for i in range(array.nattr)} - {schema["index"]}
    return {"columns": columns, "donor": set(schema["donor"]["categories"])}


@pytest.fixture(scope="module")
def truth(folder: Path) -> dict[str, set[str]]:
    return columns_of(folder)


SHOW = "from cxg_widget import CxgWidget\nw = CxgWidget({path!r}, color='cell_type')\nw"


@pytest.mark.parametrize("host", ["jupyterlab", "notebook", "voila"])  # marimo: test_marimo.py
def test_the_columns_open_and_color_in_every_host_and_nothing_is_fetched(
    host: str, request: pytest.FixtureRequest, chromium: Any, lab: Any, truth: dict[str, set[str]]
) -> None:
    needs(host)
    code = SHOW.format(path=str(lab.root / "small.cxg"))
    if host == "jupyterlab":
        open_and_color(request.getfixturevalue("show_in_lab")(code).page, truth)
    else:
        page = open_in(host, chromium, lab, code)
        open_and_color(page, truth)
        page.context.close()


def open_and_color(page: Any, truth: dict[str, set[str]]) -> None:
    """Open the panel and color by a click; assert that nothing is fetched meanwhile."""
    asked: list[str] = []
    hear = lambda request: asked.append(request.url)  # noqa: E731
    page.on("request", hear)
    widget = page.locator(".cxg-widget").first
    button = widget.get_by_role("button", name="Columns", exact=True)
    widget.get_by_role("toolbar").first.wait_for()
    if not button.is_visible():  # narrow hosts have the panels in a menu
        widget.get_by_role("button", name="Analysis").click()
    button.click()
    panel = widget.get_by_role("complementary", name="Columns")
    expect(panel.get_by_label("Find a column")).to_be_focused()
    assert set(panel.locator(".column .label").all_text_contents()) == truth["columns"]
    panel.get_by_role("button", name="Color by donor").click()
    expect(widget.get_by_role("heading", name="donor")).to_be_visible()
    assert set(widget.get_by_role("option").locator(".label").all_text_contents()) == truth["donor"]
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    page.remove_listener("request", hear)
    assert {urlsplit(url).hostname for url in asked if url.startswith("http")} <= {"127.0.0.1"}
    assert not [url for url in asked if "panels" in url]


TWO = """from cxg_widget import CxgWidget
import ipywidgets
one, other = (CxgWidget("small.cxg", open_panels=["columns"], height=300) for _ in range(2))
ipywidgets.VBox([one, other])"""
FORGET_AND_COUNT = """() => {
    const ours = Object.keys(globalThis).filter((name) => /^cxg(-widget.panels|[0-9a-f]{12})$/.test(name));
    for (const name of ours) delete globalThis[name];
    globalThis.modules = [];
    globalThis.makeUrl ??= URL.createObjectURL;
    URL.createObjectURL = (blob) => (modules.push(blob), makeUrl.call(URL, blob));
}"""
TEXTS = """() => {
    URL.createObjectURL = makeUrl;
    return Promise.all(modules.map((one) => (one.type === "text/javascript" ? one.text() : "")));
}"""


def test_two_widgets_of_a_page_import_it_once(show_in_lab: Any) -> None:
    stage = show_in_lab("1", wait=False)
    stage.page.evaluate(FORGET_AND_COUNT)
    stage.show(TWO)
    expect(stage.page.get_by_role("complementary", name="Columns")).to_have_count(2)
    panels = (STATIC / "panels.js").read_text(encoding="utf-8")
    assert [text == panels for text in stage.page.evaluate(TEXTS)].count(True) == 1


PAGE = """
import widget from "/widget.js";
const listeners = new Map();
const values = JSON.parse(document.getElementById("traits").textContent);
const fire = (event, ...args) => (listeners.get(event) ?? []).forEach((listener) => listener(...args));
const model = {
  get: (name) => values[name],
  set: (name, value) => { values[name] = value; fire(`change:${name}`); },
  save_changes() {},
  on: (event, listener) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
  off() {},
  async send(content) {
    const view = (one) => new DataView(Uint8Array.from(atob(one), (c) => c.charCodeAt(0)).buffer);
    for (const [reply, buffers] of await askKernel(content)) fire("msg:custom", reply, buffers.map(view));
  },
};
const made = widget();
made.initialize({ model });
made.render({ model, el: document.getElementById("el") });
"""


@pytest.fixture
def page_of(chromium: Any) -> Any:
    """Opens a page that a server sends with a security policy; a session in this process answers it."""
    opened = []

    def build(policy: str) -> Any:
        from cxg_widget.wire.parsing import parse

        session = Session(small(300), Settings(embedding="umap", color="cell_type"))
        traits = {name: getattr(session.settings, name) for name in vars(session.settings)}
        traits |= {"n_selected": 0, "steps": {"undo": "", "redo": "", "n": 0}}
        body = f"<!doctype html><title>x</title><script type=application/json id=traits>{json.dumps(traits)}</script>"
        body += "<div id=el></div><script type=module src=/page.js></script>"

        def answer(content: dict[str, Any]) -> list[list[Any]]:
            request_id, message = parse(content)
            return packed(session.answer(message), request_id)

        def serve(route: Any) -> None:
            path = urlsplit(route.request.url).path
            headers = {"Content-Security-Policy": policy}
            if path == "/":
                route.fulfill(body=body, content_type="text/html", headers=headers)
            elif path == "/page.js":
                route.fulfill(body=PAGE, content_type="text/javascript")
            elif path == "/widget.js":
                route.fulfill(path=STATIC / "widget.js", content_type="text/javascript")
            else:
                route.abort()

        page = new_page(chromium, width=1000, height=700)
        opened.append(page)
        page.expose_function("askKernel", answer)
        page.route("**/*", serve)
        page.goto("http://127.0.0.1/")
        page.locator(".cxg-widget[data-cxg-state=ready]").wait_for()
        return page

    yield build
    for page in opened:
        page.context.close()


def test_a_page_whose_policy_refuses_it_says_so_in_one_sentence_and_all_else_works(page_of: Any) -> None:
    page = page_of("script-src 'self'")
    page.get_by_role("button", name="Columns", exact=True).click()
    told = page.locator(".notice")
    expect(told).to_contain_text("Panels cannot load: this page's security policy blocks scripts from blob: URLs.")
    expect(page.get_by_role("complementary", name="Columns")).to_be_hidden()
    expect(page.get_by_role("button", name="Columns", exact=True)).to_have_attribute("aria-expanded", "false")
    assert violations(page, "#el") == {}
    page.get_by_role("combobox", name="Color by").fill("n_genes")
    page.get_by_role("option", name="n_genes").wait_for()


def test_a_page_whose_policy_allows_it_shows_the_panel(page_of: Any) -> None:
    page = page_of("script-src 'self' blob:")
    page.get_by_role("button", name="Columns", exact=True).click()
    panel = page.get_by_role("complementary", name="Columns")
    expect(panel.get_by_role("listitem")).to_have_count(5)
