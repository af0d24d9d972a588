"""Pages in the output of a cell: read by an HTML parser, they are the pages that `w.save` writes, over a picture."""

from __future__ import annotations

import base64
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from cxg_widget import CxgWidget
from cxg_widget.errors import ClosedDataset, InvalidValue, UnknownName
from cxg_widget.session.pictures import html_file
from tests.memory import small

STATIC = Path(html_file.__file__).parents[2] / "static"
pytestmark = pytest.mark.skipif(not (STATIC / "file.js").exists(), reason="the bundle is not built: make build")
EVIL = """</iframe></div></script><script>alert(1)</script><!-- <img src=x onerror='alert(2)'> "&amp;"""
N = 2_000


class Elements(HTMLParser):
    """The elements of a fragment in order, each with its attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def of(self, tag):
        (attrs,) = (attrs for name, attrs in self.found if name == tag)
        return attrs


@pytest.fixture
def widget():
    data = small(N)
    data.title = EVIL
    w = CxgWidget(data, color="cell_type", height=480)
    yield w
    w.close()


def test_the_frame_holds_the_page_that_save_writes_whatever_the_names_in_it_are(widget, tmp_path):
    shown = widget.embed(colors=["DENSE"])._repr_mimebundle_()
    widget.save(tmp_path / "page.html", colors=["DENSE"])
    html = Elements(shown["text/html"])
    assert [tag for tag, _ in html.found] == ["div", "style", "img", "iframe"]
    frame = html.of("iframe")
    assert frame["srcdoc"] == (tmp_path / "page.html").read_text(encoding="utf-8")
    assert frame["title"] == html.of("img")["alt"] == EVIL
    assert "height: 480px" in html.of("div")["style"]


def test_a_page_in_a_frame_may_run_its_script_and_has_no_access_to_what_is_around_it(widget):
    frame = Elements(widget.embed()._repr_mimebundle_()["text/html"]).of("iframe")
    assert "allow-scripts" in frame["sandbox"].split()
    assert "allow-same-origin" not in frame["sandbox"].split()
    assert "src" not in frame


def test_beside_the_frame_is_a_picture_for_hosts_without_frames(widget):
    shown = widget.embed()._repr_mimebundle_()
    assert set(shown) == {"text/html", "image/png", "text/plain"}
    picture = Image.open(io.BytesIO(base64.b64decode(shown["image/png"], validate=True)))
    assert picture.format == "PNG"
    assert picture.height > 480
    assert Elements(shown["text/html"]).of("img")["src"] == f"data:image/png;base64,{shown['image/png']}"


def test_it_says_what_it_holds_and_how_many_bytes_it_adds_to_a_notebook(widget):
    page = widget.embed()
    shown = page._repr_mimebundle_()
    n = len(shown["text/html"].encode()) + len(shown["image/png"])
    assert page.n_bytes == n
    assert page.cells == "all 2,000 cells"
    assert repr(page) == shown["text/plain"] == f"<EmbeddedPage {EVIL!r}: all 2,000 cells, {round(n / 1e3)}\u00a0KB>"


def least(widget):
    """The number of bytes that an error says would do."""
    with pytest.raises(InvalidValue, match=r"a page of 1,000 cells takes .*found max_bytes=100,000") as refused:
        widget.embed(1e5)
    return int(re.search(r"max_bytes=([\d,]+) would do", str(refused.value))[1].replace(",", ""))


def test_max_bytes_bounds_page_and_picture_together_and_a_warning_says_what_went(widget):
    whole = widget.embed(colors=["DENSE"]).n_bytes
    with pytest.warns(UserWarning, match=r"^w.embed: Colors left out to limit the file size"):
        assert widget.embed(whole - 1, colors=["DENSE"]).n_bytes < whole
    room = least(widget) + 6_000
    with pytest.warns(UserWarning, match=r"^w.embed: The cells are a random sample of 1,\d\d\d of 2,000 cells"):
        sample = widget.embed(room)
    assert sample.n_bytes <= room
    assert re.fullmatch(r"1,\d\d\d of 2,000 cells", sample.cells)


def test_too_few_bytes_are_refused_with_a_number_that_would_do_to_the_byte(widget):
    would_do = least(widget)
    with pytest.warns(UserWarning, match="random sample of 1,000"):
        assert widget.embed(would_do).n_bytes <= would_do
    with pytest.raises(InvalidValue, match="would do"):
        widget.embed(would_do - 1)


def test_without_max_bytes_what_hosts_show_is_not_exceeded(monkeypatch, widget):
    assert widget.embed().n_bytes < 5_000_000
    asked = []
    monkeypatch.setattr(widget._session, "html", lambda options: asked.append(options) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        widget.embed()
    assert [one.max_bytes for one in asked] == [5_000_000]


@pytest.mark.parametrize(
    ("options", "error"),
    [({"max_bytes": "a lot"}, InvalidValue), ({"colors": "DENSE"}, InvalidValue), ({"colors": ["x"]}, UnknownName)],
)
def test_wrong_options_are_refused_as_those_of_save(widget, tmp_path, options, error):
    with pytest.raises(error) as of_save:
        widget.save(tmp_path / "page.html", **options)
    with pytest.raises(error) as of_embed:
        widget.embed(**options)
    assert str(of_embed.value) == str(of_save.value)


def test_a_closed_widget_embeds_nothing(widget):
    widget.close()
    with pytest.raises(ClosedDataset):
        widget.embed()


def test_a_notebook_holds_it_as_json(widget):
    assert json.loads(json.dumps(widget.embed()._repr_mimebundle_()))["text/html"].startswith("<div")
