"""Pages of HTML that need no kernel: read by an HTML parser, zlib and numpy, what is on show, and nothing that runs."""

from __future__ import annotations

import base64
import errno
import json
import re
import resource
import struct
import zlib
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.errors import DamagedStore, InvalidValue, TargetNotWritten, UnknownName
from cxg_widget.session.pictures import html_file
from cxg_widget.session.pictures.save_options import HtmlOptions
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset, small

STATIC = Path(html_file.__file__).parents[2] / "static"
pytestmark = pytest.mark.skipif(not (STATIC / "file.js").exists(), reason="the bundle is not built: make build")
EVIL = '</script><script>alert(1)</script><!-- <img src=x onerror=alert(2)> "&amp;'
N = 2_000
TAGS = {
    "html", "head", "meta", "title", "style", "body", "main", "p", "noscript", "footer", "h1", "time", "details",
    "summary", "ul", "li", "script",
}  # fmt: skip


class Parsed(HTMLParser):
    """What a page is for a parser: its elements in order, and the text of those with an id, or of their kind."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._at = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._at = dict(attrs).get("id") or tag

    def handle_endtag(self, tag):
        self._at = ""

    def handle_data(self, data):
        if self._at:
            self.texts[self._at] = self.texts.get(self._at, "") + data

    @property
    def about(self):
        return json.loads(self.texts["about"])

    def piece(self, name):
        return zlib.decompress(base64.b64decode(self.texts[name], validate=True))

    def frames(self, name):
        """Messages of a piece with their arrays."""
        data = self.piece(name)
        (length,) = struct.unpack("<I", data[:4])
        at, found = -(-(4 + length) // 4) * 4, []
        for content in json.loads(data[4 : 4 + length]):
            arrays = {}
            for one in content.pop("arrays"):
                count = int(np.prod(one["shape"]))
                arrays[one["name"]] = np.frombuffer(data, one["dtype"], count, at).reshape(one["shape"])
                at += -(-arrays[one["name"]].nbytes // 4) * 4
            found.append((content, arrays))
        assert at == len(data)
        return found

    def points(self, panel=0):
        """Coordinates of the cells."""
        frames = self.frames(self.about["parts"][f"points {panel}"])
        x0, x1, y0, y1 = frames[0][0]["extent"]
        codes = np.concatenate([arrays["xy"] for _, arrays in frames]).astype(float)
        return [x0, y0] + codes / 65_534 * [x1 - x0, y1 - y0]

    def names(self):
        pieces = [name for key, name in self.about["parts"].items() if key.startswith("names ")]
        return [name for piece in pieces for name in json.loads(self.piece(piece))]

    def color(self, spec):
        (found,) = (one for one in self.about["colors"] if one["spec"] == spec)
        (legend, more), *chunks = self.frames(found["part"])
        return legend, more, chunks


def rows_of(names):
    return np.array([int(name.removeprefix("cell ")) for name in names])


@pytest.fixture(scope="module")
def data():
    return small(N)


@pytest.fixture
def save(data, tmp_path):
    widgets = []

    def write(source=data, *, options=None, before=None, **settings):
        widgets.append(w := CxgWidget(source, **settings))
        if before is not None:
            before(w)
        w.save(tmp_path / "a.html", **(options or {}))
        return Parsed(tmp_path / "a.html")

    yield write
    for w in widgets:
        w.close()


def test_it_holds_places_names_and_colors_as_the_dataset_has_them(save, data):
    page = save(color="cell_type", pinned_genes=["MS4A1"], options={"colors": ["n_counts"]})
    rows = rows_of(page.names())
    assert sorted(rows) == list(range(N))
    xy = data.embedding("umap")
    np.testing.assert_allclose(page.points(), xy[rows], atol=np.ptp(xy, axis=0).max() / 65_534)
    legend, _, chunks = page.color("obs:cell_type")
    codes = np.concatenate([arrays["codes"] for _, arrays in chunks]).astype(int)
    expected = data.codes("cell_type")
    assert legend["categories"] == list(expected.categories)
    assert legend["counts"] == [int((expected.codes == i).sum()) for i in range(3)]
    np.testing.assert_array_equal(np.where(codes == 255, -1, codes), expected.codes[rows])
    for spec, values in (("obs:n_counts", data.numbers("n_counts")), ("var:MS4A1", data.vector("MS4A1").dense(N))):
        legend, _, chunks = page.color(spec)
        found = dense(chunks, N)
        lo, hi = np.nanmin(values), np.nanmax(values)
        assert (legend["lo"], legend["hi"]) == pytest.approx((lo, hi))
        np.testing.assert_array_equal(found == 65_535, np.isnan(values[rows]))
        np.testing.assert_allclose(
            np.where(found == 65_535, np.nan, lo + found / 65_534 * (hi - lo)), values[rows], atol=(hi - lo) / 65_534
        )


def dense(chunks, n):
    """Codes of numbers, however they travel."""
    found = np.zeros(n, dtype=np.int64)
    for content, arrays in chunks:
        if content["kind"] == "values":
            found[content["start"] : content["stop"]] = arrays["values"]
        elif content["kind"] == "nonzeros":
            found[content["start"] : content["stop"]] = content["fill"]
            starts = np.repeat(content["start"] + 65_536 * np.arange(arrays["counts"].size), arrays["counts"])
            found[starts + arrays["offsets"]] = arrays["values"]
    return found


def test_it_is_colored_by_what_is_on_show_at_hand_or_asked_for_and_by_nothing_else(save):
    def before(w):
        list(w._session.answer(p.AskColumns(["obs:donor name"])))

    page = save(
        color="is_doublet", pinned_genes=["CD3E"], hover=["n_genes"], panels=[{}, {"color": "DENSE"}], before=before,
        options={"colors": [["CD3E", "MS4A1"], "pair"]},
    )  # fmt: skip
    specs = [one["spec"] for one in page.about["colors"]]
    assert specs == ["obs:is_doublet", "var:DENSE", "", "mean:CD3E,MS4A1", "set:pair", "var:CD3E", "obs:donor name",
                     "obs:n_genes"]  # fmt: skip
    assert [page.about["colors"][i]["spec"] for i in page.about["fields"]] == ["obs:n_genes"]
    assert "Colors: is_doublet, DENSE, mean of 2 genes, pair, CD3E, donor name and n_genes." in (page.about["notes"])
    with pytest.raises(UnknownName, match="nothing"):
        save(options={"colors": ["nothing"]})
    with pytest.raises(InvalidValue, match="colors must be a list of names"):
        save(options={"colors": "CD3E"})


def test_nothing_in_it_is_asked_for_elsewhere_and_its_policy_lets_nothing_in(save):
    page = save(color="cell_type")
    assert not [(tag, attrs) for tag, attrs in page.tags if {"src", "href", "srcset", "action"} & attrs.keys()]
    assert {tag for tag, _ in page.tags} <= TAGS
    assert not re.search(r"url\(|@import", page.texts["style"])
    (policy,) = (attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    script = (STATIC / "file.js").read_bytes()
    digest = base64.b64encode(sha256(script).digest()).decode()
    assert rules.pop("script-src") == f"'sha256-{digest}' blob:"
    assert not {"http", "unsafe-eval", "*"} & set(re.split(r"[\s:]+", " ".join(rules.values())))
    assert page.texts["script"].encode() == script
    assert page.piece("code-widget") == (STATIC / "widget.js").read_bytes()
    assert page.piece("code-panels") == (STATIC / "panels.js").read_bytes()


def test_names_from_data_are_text_whatever_they_hold(save):
    codes = Codes(np.array([0, 1, 0, 1], dtype=np.int8), (EVIL, "b"))
    obs = {EVIL: codes}
    data = MemoryDataset(obs, np.eye(4, dtype=np.float32), [EVIL, "B", "C", "D"], {"umap": np.eye(4, 2)})
    data.title = EVIL
    plain = save(color="cell_type")
    page = save(data, color=f"obs:{EVIL}", hidden=[EVIL], pinned_genes=[EVIL])
    assert page.texts["title"] == page.texts["h1"] == EVIL
    scripts = [sum(tag == "script" and "id" not in attrs for tag, attrs in one.tags) for one in (plain, page)]
    assert scripts == [1, 1]
    assert {tag for tag, _ in page.tags} == {tag for tag, _ in plain.tags}
    assert page.about["traits"]["hidden"] == [EVIL]
    assert [one["label"] for one in page.about["colors"]] == [EVIL, "", EVIL]
    assert page.color(f"obs:{EVIL}")[0]["categories"] == [EVIL, "b"]
    assert not re.search(r"[<>&]", page.texts["about"])


@pytest.mark.parametrize("grey", [False, True], ids=["left out", "in grey"])
def test_cells_that_do_not_pass_are_left_out_as_on_the_screen(save, data, grey):
    filtered = "grey" if grey else "hide"
    page = save(color="cell_type", filtered=filtered, hidden=["T cell"], before=lambda w: w.filter("n_genes > 2000"))
    passes = data.numbers("n_genes") > 2000
    rows, start = rows_of(page.names()), page.frames(page.about["parts"]["start"])
    ((_, arrays),) = ((content, one) for content, one in start if content["kind"] == "filter")
    legend, _, _ = page.color("obs:cell_type")
    codes = data.codes("cell_type").codes
    assert page.about["traits"]["hidden"] == ["T cell"]  # it can be shown again
    if grey:
        assert rows.size == N
        bits = np.unpackbits(arrays["bits"], bitorder="little")[:N].astype(bool)
        np.testing.assert_array_equal(bits, passes[rows])
        assert page.about["traits"]["filters"] == [{"query": "n_genes > 2000"}]
    else:
        assert sorted(rows) == np.flatnonzero(passes).tolist()
        assert arrays["bits"].size == 0
        assert legend["counts"] == [int((codes[passes] == i).sum()) for i in range(3)]
        assert f"The cells are those that pass the filters: {passes.sum():,} of 2,000 cells." in page.about["notes"]


def test_selected_cells_are_so_in_the_file_and_counted_in_each_legend(save, data):
    page = save(color="cell_type", options={"colors": ["n_counts"]}, before=lambda w: w.select({"is_doublet": True}))
    chosen, rows = np.asarray(data.obs(["is_doublet"])["is_doublet"], dtype=bool), rows_of(page.names())
    start = page.frames(page.about["parts"]["start"])
    ((content, arrays),) = ((content, one) for content, one in start if content["kind"] == "selection")
    assert content["n_selected"] == chosen.sum()
    np.testing.assert_array_equal(np.unpackbits(arrays["bits"], bitorder="little")[:N].astype(bool), chosen[rows])
    content, arrays = page.color("obs:cell_type")[2][-1]
    codes = data.codes("cell_type").codes[chosen]
    assert arrays["counts"].tolist() == [int((codes == i).sum()) for i in range(3)]
    content, arrays = page.color("obs:n_counts")[2][-1]
    values = data.numbers("n_counts")
    expected, _ = np.histogram(values[chosen & np.isfinite(values)], 64, (np.nanmin(values), np.nanmax(values)))
    np.testing.assert_array_equal(arrays["counts"][:64], expected)


def test_of_more_cells_than_a_page_holds_it_has_a_random_sample_and_says_so(save, data, monkeypatch):
    monkeypatch.setattr(html_file, "MOST_POINTS", 300)
    with pytest.warns(UserWarning, match=r"'a.html': The cells are a random sample of 300 of 2,000 cells\."):
        page = save(color="cell_type", options={"colors": ["n_counts"]})
    rows = rows_of(page.names())
    assert len(set(rows.tolist())) == rows.size == 300
    assert np.ptp(rows) > 1_500
    np.testing.assert_allclose(page.points(), data.embedding("umap")[rows], atol=1e-3)
    legend, more, _ = page.color("obs:n_counts")
    values = data.numbers("n_counts")
    assert (legend["lo"], legend["hi"]) == pytest.approx((np.nanmin(values), np.nanmax(values)))  # the scale of all
    of_these = values[rows][np.isfinite(values[rows])]
    expected, _ = np.histogram(of_these, 64, (np.nanmin(values), np.nanmax(values)))
    np.testing.assert_array_equal(more["histogram"], expected)
    assert legend["n_missing"] == 300 - of_these.size
    assert "300 of 2,000 cells" in page.texts["p"]


def test_max_bytes_takes_away_what_is_at_hand_then_cells_and_says_what(save, data, tmp_path):
    data.hold(list(data.obs_columns))  # both saves know the same columns to be constant, which are not at hand
    whole = save(color="cell_type", pinned_genes=["DENSE"], options={"colors": ["n_counts"]})
    size = (tmp_path / "a.html").stat().st_size
    with pytest.warns(UserWarning, match="Colors left out to limit the file size: ") as told:
        fewer = save(
            color="cell_type", pinned_genes=["DENSE"], options={"colors": ["n_counts"], "max_bytes": size - 2_000}
        )
    kept = [one["spec"] for one in fewer.about["colors"]]
    assert kept == [one["spec"] for one in whole.about["colors"]][: len(kept)]
    assert {"obs:cell_type", "obs:n_counts", "var:DENSE"} <= set(kept)
    assert "random" not in str(told[0].message)
    assert len(fewer.names()) == N
    room = size - 25_000
    with pytest.warns(UserWarning, match="a random sample of 1,"):
        sample = save(color="cell_type", pinned_genes=["DENSE"], options={"colors": ["n_counts"], "max_bytes": room})
    assert (tmp_path / "a.html").stat().st_size <= room
    assert {"obs:cell_type", "obs:n_counts"} <= {one["spec"] for one in sample.about["colors"]}
    before = (tmp_path / "a.html").read_bytes()
    with pytest.raises(InvalidValue, match=r"a page of 1,000 cells takes .*found max_bytes=100,000") as refused:
        save(color="cell_type", options={"max_bytes": 1e5})
    assert (tmp_path / "a.html").read_bytes() == before
    would_do = int(re.search(r"max_bytes=([\d,]+) would do", str(refused.value))[1].replace(",", ""))
    with pytest.warns(UserWarning, match="random sample"):
        save(color="cell_type", options={"max_bytes": would_do})
    assert (tmp_path / "a.html").stat().st_size <= would_do


def test_what_cannot_be_read_is_left_out_and_said_unless_it_is_on_show(save, tmp_path):
    broken = small(100, broken=("X/CD3E", "obs/n_genes", "obs/cell_id"))
    with pytest.warns(UserWarning, match=r"Colors left out because they could not be read: CD3E and n_genes\."):
        page = save(broken, color="cell_type", pinned_genes=["CD3E", "MS4A1"])
    assert "var:MS4A1" in [one["spec"] for one in page.about["colors"]]
    assert sorted(page.names(), key=len)[0] in {f"row {row}" for row in range(10)}
    before = (tmp_path / "a.html").read_bytes()
    with pytest.raises(DamagedStore, match="X/CD3E cannot be read"):
        save(broken, color="cell_type", options={"colors": ["CD3E"]})
    assert (tmp_path / "a.html").read_bytes() == before


@pytest.mark.parametrize(
    ("name", "options", "says"),
    [
        ("a.html", {"dpi": 300}, "dpi= and legend= do not apply"),
        ("a.html", {"legend": False}, "dpi= and legend= do not apply"),
        ("a.html", {"max_bytes": "a lot"}, "max_bytes must be a number of bytes"),
        ("a.html", {"max_bytes": float("nan")}, "max_bytes must be a number of bytes"),
        ("a.png", {"max_bytes": 1e6}, r"max_bytes= and colors= apply to pages; save a \.html"),
        ("a.svg", {"colors": []}, r"leave them out for \.svg"),
    ],
)
def test_options_that_a_file_cannot_have_are_refused(data, tmp_path, name, options, says):
    w = CxgWidget(data, color="cell_type")
    with pytest.raises(InvalidValue, match=says):
        w.save(tmp_path / name, **options)
    assert list(tmp_path.iterdir()) == []
    w.close()


def test_where_the_disk_takes_no_more_the_file_that_was_there_stays(data, tmp_path):
    w = CxgWidget(data, color="cell_type")
    target = tmp_path / "a.html"
    target.write_text("before")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))  # a write that fails after a part of it
    try:
        with pytest.raises(TargetNotWritten, match="no file may be as large there") as refused:
            w.save(target)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert refused.value.__cause__.errno == errno.EFBIG
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]
    w.close()


def test_the_page_of_a_kernel_is_given_it_in_parts(data):
    w = CxgWidget(data, color="cell_type")
    frames = list(w._session.answer(p.AskFigure("html", 400, 300, False)))
    assert [frame.message.part for frame in frames] == list(range(frames[0].message.parts))
    assert b"".join(frame.arrays["file"].tobytes() for frame in frames).startswith(b"<!doctype html>")
    w.close()


def test_saving_changes_nothing_of_what_is_on_show(data):
    w = CxgWidget(data, color="cell_type", max_points=500)
    state, session = w.state, w._session
    before = session.display.now()[2]
    session.html(HtmlOptions())
    assert w.state == state
    assert session.display.now()[2] == before
    assert session.streams is not None
    w.close()
