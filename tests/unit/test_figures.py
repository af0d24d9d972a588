"""Figures as PNG, SVG and PDF: other programs read in them what is on show, as text and as pixels."""

from __future__ import annotations

import base64
import errno
import io
import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from cxg_widget import CxgWidget
from cxg_widget.color.palettes import category_palette
from cxg_widget.datasets.base.dataset import Codes
from cxg_widget.draw.pages.axes import ticks_between
from cxg_widget.errors import ClosedDataset, InvalidValue, MissingDependency, ProtocolError, TargetNotWritten
from cxg_widget.wire import protocol as p
from tests.memory import MemoryDataset, small

TICKS = json.loads((Path(__file__).parents[1] / "ticks.json").read_text(encoding="utf-8"))
SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
ODD = "$x_1$ <b>&amp;"


def lattice() -> MemoryDataset:
    """Nine cells far from each other, three of each of three categories, one of which is named as no markup is."""
    place = np.stack(np.meshgrid([0.0, 10.0, 20.0], [0.0, 10.0, 20.0]), axis=2).reshape(-1, 2)
    codes = Codes((np.arange(9) % 3).astype(np.int8), ("left", ODD, "right"))
    obs = {"kind": codes, "x": place[:, 0] * 1000, "y": place[:, 1]}
    return MemoryDataset(
        obs, np.arange(18, dtype=np.float32).reshape(9, 2), ["A", "B"], {"umap": place.astype(np.float32)}
    )


@pytest.fixture
def w():
    widget = CxgWidget(lattice(), color="kind", point_size=9, height=300)
    yield widget
    widget.close()


def texts(svg: Path) -> list[str]:
    root = ElementTree.parse(svg).getroot()
    return ["".join(one.itertext()).strip() for one in root.iter(f"{SVG}text")]


def images(svg: Path) -> list[np.ndarray]:
    found = [one.get(f"{XLINK}href") for one in ElementTree.parse(svg).getroot().iter(f"{SVG}image")]
    return [np.asarray(Image.open(io.BytesIO(base64.b64decode(one.split(",")[1]))).convert("RGBA")) for one in found]


def read(pdf: Path):
    return pytest.importorskip("pypdf", reason="PDF is read with pypdf").PdfReader(pdf).pages[0]


def on_white(rgba: np.ndarray) -> np.ndarray:
    share = rgba[..., 3:] / 255
    return rgba[..., :3] * share + 255 * (1 - share)


@pytest.mark.parametrize("case", TICKS["cases"], ids=lambda case: f"{case['from']} to {case['to']}")
def test_axes_have_the_numbers_that_they_have_in_the_browser(case):
    found = ticks_between(case["from"], case["to"], case["length"], lambda text: max(6.2 * len(text) + 22, 60))
    assert [text for _, text in found] == [text for _, text in case["ticks"]]
    assert [value for value, _ in found] == pytest.approx([value for value, _ in case["ticks"]], rel=1e-12)


def test_a_png_is_as_large_as_asked_and_says_its_resolution(w, tmp_path):
    for dpi, scale in ((96, 1), (300, 300 / 96)):
        w.save(tmp_path / "a.png", dpi=dpi, width=500, height=320)
        image = Image.open(tmp_path / "a.png")
        assert image.size == (round(500 * scale), round(320 * scale))
        assert image.info["dpi"] == pytest.approx((dpi, dpi), abs=0.1)
    w.save(tmp_path / "a.PNG", dpi=96, legend=False)
    assert Image.open(tmp_path / "a.PNG").size == (400, 300)  # 4:3 of the height, as no page has told of another


def test_every_cell_is_where_its_coordinates_say_in_the_color_of_its_category(w, tmp_path):
    w.view = [-4, 24, -4, 24]
    w.save(tmp_path / "a.png", dpi=192, width=280, height=280, legend=False)
    image = np.asarray(Image.open(tmp_path / "a.png"))
    colors = category_palette(["left", ODD, "right"], {}, None)
    for i, (x, y) in enumerate(w.dataset.embedding("umap")):
        line, column = int((24 - y) * 20), int((x + 4) * 20)
        assert "#{:02x}{:02x}{:02x}".format(*image[line, column]) == colors[i % 3]
    assert (image != 255).any(axis=2).sum() == pytest.approx(9 * np.pi * 9.5**2, rel=0.1)


def test_names_as_long_as_those_of_the_cell_ontology_are_whole_in_a_legend(tmp_path):
    names = ("luminal epithelial cell of mammary gland", "CD4-positive, alpha-beta memory T cell", "B cell")
    obs = {"cell_type": Codes(np.arange(300, dtype=np.int8) % 3, names)}
    xy = np.random.default_rng(0).normal(size=(300, 2)).astype(np.float32)
    one = CxgWidget(MemoryDataset(obs, np.ones((300, 1), np.float32), ["A"], {"umap": xy}), color="cell_type")
    one.save(tmp_path / "a.svg", dpi=96)
    one.save(tmp_path / "narrow.svg", dpi=96, width=900)
    for file in ("a.svg", "narrow.svg"):
        assert set(names) <= set(texts(tmp_path / file))
    one.close()


def test_svg_and_pdf_hold_one_image_of_the_cells_and_all_words_as_text(w, tmp_path):
    w.labels, w.contours = "kind", True
    w.save(tmp_path / "a.svg", dpi=96)
    w.save(tmp_path / "a.pdf", dpi=96)
    w.labels = w.contours = None
    w.save(tmp_path / "a.png", dpi=96, legend=False)
    (image,) = images(tmp_path / "a.svg")
    np.testing.assert_allclose(on_white(image), np.asarray(Image.open(tmp_path / "a.png")), atol=1)
    page = read(tmp_path / "a.pdf")
    assert [one.image.size for one in page.images] == [(400, 300)]
    said, in_pdf = texts(tmp_path / "a.svg"), page.extract_text()
    for one in ("memory", "9 cells", "kind", "left", ODD, "right"):
        assert one in said
        assert one in in_pdf
    assert said.count("left") == 2  # on its cells and in the legend
    paths = ElementTree.parse(tmp_path / "a.svg").getroot().iter(f"{SVG}path")
    assert sum(len(one.get("d", "")) > 500 for one in paths) >= 2  # contours


def test_a_pdf_brings_its_fonts_and_is_as_large_as_its_page(w, tmp_path):
    w.save(tmp_path / "a.pdf", width=480, height=300, dpi=96)
    page = read(tmp_path / "a.pdf")
    assert [float(one) for one in page.mediabox[2:]] == pytest.approx([360, 225])  # points, of 1/72 inch
    fonts = [one.get_object() for one in page["/Resources"]["/Font"].values()]
    descriptors = [
        one["/DescendantFonts"][0].get_object()["/FontDescriptor"] for one in fonts if "/DescendantFonts" in one
    ]
    assert descriptors
    assert all("/FontFile2" in one for one in descriptors)  # TrueType
    assert all("/ToUnicode" in one for one in fonts)


def test_of_one_side_alone_the_other_follows_and_a_legend_is_inside_the_page(w, tmp_path):
    w.save(tmp_path / "wide.svg", width=600, dpi=96)
    w.save(tmp_path / "bare.svg", width=600, dpi=96, legend=False)
    root, bare = (ElementTree.parse(tmp_path / f"{one}.svg").getroot() for one in ("wide", "bare"))
    assert bare.get("width") == root.get("width") == "450pt"
    assert bare.get("height") == "337.5pt"
    (cells,) = images(tmp_path / "wide.svg")
    assert cells.shape[1] / 96 < 6.25 - 1.5  # inches, beside the legend
    assert cells.shape[0] / cells.shape[1] == pytest.approx(300 / 400, rel=0.01)


def test_two_columns_have_axes_whose_numbers_are_text(w, tmp_path):
    w.embedding = ("x", "y")
    w.save(tmp_path / "a.svg", dpi=96, legend=False)
    said = texts(tmp_path / "a.svg")
    assert {"x", "y", "0", "10,000", "10", "20"} <= set(said)
    w.save(tmp_path / "a.png", dpi=96, legend=False)
    image = np.asarray(Image.open(tmp_path / "a.png"))
    assert (image[:, :33] != 255).any()
    assert (image[-33:] != 255).any()
    assert image.shape == (300, 400, 3)


def test_a_figure_has_axes_in_data_units_with_contours_around_the_cells(tmp_path):
    w = CxgWidget(small(3000), color="cell_type", contours="cell_type", labels="cell_type")
    figure = w.figure()
    (axes,) = figure.axes
    xy = w.dataset.embedding("umap")
    assert axes.get_xlim()[0] < xy[:, 0].min() < xy[:, 0].max() < axes.get_xlim()[1]
    codes = w.dataset.codes("cell_type")
    for i, label in enumerate(codes.categories):
        (name,) = {text.get_position() for text in axes.texts if text.get_text() == label}
        middle = np.median(xy[codes.codes == i], axis=0)
        assert np.abs(np.array(name) - middle).max() < 1.5
        outer = max((one for one in axes.patches), key=lambda patch, at=middle: patch.get_path().contains_point(at))
        assert outer.get_path().contains_point(middle)
    assert len(axes.images) == 1
    assert not any("pyplot" in name for name in (type(figure.canvas).__module__,))


def test_each_panel_has_its_cells_and_parts_of_one_plot_share_a_legend(w, tmp_path):
    w.split("kind")
    w.save(tmp_path / "a.svg", width=900, dpi=96)
    said, cells = texts(tmp_path / "a.svg"), images(tmp_path / "a.svg")
    assert len(cells) == 3
    for image, color in zip(cells, category_palette(["left", ODD, "right"], {}, None), strict=True):
        solid = image[image[..., 3] == 255][:, :3]
        assert {"#{:02x}{:02x}{:02x}".format(*one) for one in solid} == {color}
    assert said.count("kind") == 1
    assert said.count(ODD) == 2
    assert "9 cells" in said
    w.grid(["A", "B"])
    w.save(tmp_path / "b.pdf", dpi=96)
    page = read(tmp_path / "b.pdf")
    assert len(page.images) == 2
    assert page.extract_text().count("17") == 1  # the highest of B, at the end of its bar


def assert_told_below_all_plots(figure):
    """Say that what lies over the points is explained where no cell is."""
    legend = [
        one.get_position()[1] for one in figure.texts if one.get_text().startswith(("log2 density", "lines enclose"))
    ]
    assert len(legend) == 2
    assert max(legend) < min(axes.get_position().y0 for axes in figure.axes)


def test_the_difference_of_two_sets_and_a_blend_are_explained_as_text(tmp_path):
    w = CxgWidget(small(3000), color=["CD3E", "MS4A1"], blend="colors")
    w.sets.add("one", {"cell_type": "T cell"})
    w.sets.add("two", {"cell_type": "B cell"})
    w.difference, w.contours = ["one", "two"], ["one", "two"]
    w.save(tmp_path / "a.svg", dpi=96)
    said = texts(tmp_path / "a.svg")
    assert "log2 density ratio" in said
    assert said.count("one") == 2
    assert any("CD3E" in one and "MS4A1" in one for one in said)
    assert len(images(tmp_path / "a.svg")) == 1
    with_map = images(tmp_path / "a.svg")[0]
    assert_told_below_all_plots(w.figure())
    w.split("cell_type")
    w.save(tmp_path / "b.svg", dpi=96)
    assert len(images(tmp_path / "b.svg")) > 2
    assert sum(one.startswith("log2 density") for one in texts(tmp_path / "b.svg")) == 1
    assert_told_below_all_plots(w.figure())
    w.panels = []
    w.difference = None
    w.save(tmp_path / "a.svg", dpi=96)
    assert (with_map != images(tmp_path / "a.svg")[0]).any(axis=2).mean() > 0.05


def test_the_section_lies_under_the_cells_with_a_bar_for_its_scale(tmp_path):
    image = np.zeros((60, 80, 3), dtype=np.uint8)
    image[:, :, 1] = 200
    rng = np.random.default_rng(0)
    xy = rng.uniform([100, 100], [700, 500], (40, 2)).astype(np.float32)
    data = MemoryDataset({}, np.zeros((40, 1), np.float32), ["A"], {"spatial": xy})
    factors = {"tissue_hires_scalef": 0.1, "spot_diameter_fullres": 20.0}
    data.images["one/hires"] = (image, factors)
    w = CxgWidget(data, tissue=True)
    w.save(tmp_path / "a.svg", dpi=96)
    (drawn,) = images(tmp_path / "a.svg")
    assert (drawn[..., :3] == [0, 200, 0]).all(axis=2).mean() > 0.2
    assert any(one.endswith(("µm", "mm")) for one in texts(tmp_path / "a.svg"))


@pytest.mark.parametrize("n_hidden", [0, 1])
def test_while_a_filter_is_on_figures_and_the_summary_count_the_cells_that_pass(tmp_path, n_hidden):
    dataset, chosen = small(1000), np.arange(1000) < 300
    kinds, n_genes = dataset.codes("cell_type"), dataset.numbers("n_genes")
    hidden = kinds.categories[:n_hidden]
    widget = CxgWidget(dataset, color="cell_type", hidden=list(hidden))
    widget.select(chosen)
    widget.filters["n_genes"] = (2500, None)
    passing = (n_genes >= 2500) & ~((kinds.codes >= 0) & (kinds.codes < n_hidden))
    counts = {label: int((passing & (kinds.codes == i)).sum()) for i, label in enumerate(kinds.categories)}
    size = f"300 of 1,000 cells selected, {(chosen & passing).sum()} pass, {passing.sum()} shown"
    widget.save(tmp_path / "a.svg")
    words = texts(tmp_path / "a.svg")
    assert size in words
    assert f"{size}." in widget.summary.split("\n")
    for label, n in counts.items():
        assert (label in words) is (label not in hidden)
        assert label in hidden or words[words.index(label) + 1] == str(n)
    most = max(counts, key=counts.__getitem__)
    assert f"{most} {counts[most]} ({100 * counts[most] / passing.sum():.0f}\u00a0%)" in widget.summary
    widget.close()


def test_sixty_categories_stand_in_two_columns_inside_the_page(tmp_path):
    n = 600
    names = tuple(f"cell type number {i}" for i in range(80))
    obs = {"type": Codes((np.arange(n) % 80).astype(np.int8), names)}
    xy = np.random.default_rng(0).normal(size=(n, 2)).astype(np.float32)
    w = CxgWidget(MemoryDataset(obs, np.zeros((n, 1), np.float32), ["A"], {"umap": xy}), color="type", height=700)
    w.save(tmp_path / "a.svg", dpi=96)
    root = ElementTree.parse(tmp_path / "a.svg").getroot()
    said = texts(tmp_path / "a.svg")
    assert (
        len({one for one in said if one.startswith("cell type")})
        + int(next(one for one in said if one.endswith("more")).split()[1])
        == 80
    )
    width = float(root.get("width").removesuffix("pt"))
    ends = [float(one.get("x") or one.get("transform").split("(")[-1].split()[0]) for one in root.iter(f"{SVG}text")]
    assert max(ends) < width


def test_paper_is_white_unless_the_background_says_otherwise(w, tmp_path):
    corners = {}
    for background in (None, "dark", "transparent"):
        w.background = background
        w.save(tmp_path / "a.png", dpi=96)
        corners[background] = np.asarray(Image.open(tmp_path / "a.png").convert("RGBA"))[0, 0].tolist()
    assert corners[None] == [255, 255, 255, 255]
    assert corners["dark"] == [17, 17, 17, 255]
    assert corners["transparent"][3] == 0


@pytest.mark.parametrize(
    "case",
    [
        ("a.tiff", {}, InvalidValue, r"'a.tiff' ends in none of .png, .svg, .pdf, .html\."),
        ("a", {}, InvalidValue, "ends in none of"),
        ("missing/a.png", {}, TargetNotWritten, "there is no folder .*missing"),
        ("folder.png", {}, TargetNotWritten, "it is a folder"),
        ("s3://bucket/a.png", {}, InvalidValue, "is no local path"),
        ("a.png", {"dpi": 3}, InvalidValue, "dpi must be a number of px per inch from 10 to 2,400; found 3"),
        ("a.png", {"width": "wide"}, InvalidValue, "width must be a number of CSS px"),
        ("a.png", {"width": 150}, InvalidValue, "the page leaves each plot .* CSS px, but 100 are needed"),
        ("a.png", {"dpi": 2400, "width": 9000}, InvalidValue, "pixels; at most 50,000,000 fit: lower dpi"),
    ],
)  # fmt: skip
def test_what_cannot_be_written_is_said_in_one_sentence_and_nothing_is_left(w, tmp_path, case):
    path, options, error, says = case
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(error, match=says):
        w.save(path if "://" in path else tmp_path / path, **options)
    assert [one.name for one in tmp_path.iterdir()] == ["folder.png"]


def test_a_full_disk_leaves_the_figure_that_was_there(w, tmp_path, monkeypatch):
    target = tmp_path / "a.png"
    w.save(target, dpi=96)
    before = target.read_bytes()

    def write(path, data):
        with path.open("wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", write)
    w.color = "A"
    with pytest.raises(TargetNotWritten, match="the disk is full"):
        w.save(target, dpi=96)
    assert target.read_bytes() == before
    assert list(tmp_path.iterdir()) == [target]


def test_without_matplotlib_png_is_written_and_the_rest_says_how_to_get_it(w, tmp_path, monkeypatch):
    for name in [one for one in sys.modules if one.split(".")[0] == "matplotlib"] + ["matplotlib"]:
        monkeypatch.setitem(sys.modules, name, None)
    w.save(tmp_path / "a.png", dpi=96)
    for write in (lambda: w.save(tmp_path / "a.pdf", dpi=96), lambda: w.save(tmp_path / "a.svg", dpi=96), w.figure):
        with pytest.raises(MissingDependency, match=r"need matplotlib: pip install 'cxg-widget\[figures\]'"):
            write()
    assert [one.name for one in tmp_path.iterdir()] == ["a.png"]


def test_a_closed_widget_writes_nothing(w, tmp_path):
    w.close()
    with pytest.raises(ClosedDataset):
        w.save(tmp_path / "a.png")


def test_a_page_gets_the_file_in_parts_on_the_paper_that_it_has_itself(w):
    for dark, ground in ((False, "#ffffff"), (True, "#111111")):
        frames = list(w._session.answer(p.AskFigure("svg", 400, 300, dark)))
        assert [frame.message.part for frame in frames] == list(range(frames[0].message.parts))
        assert all(frame.arrays["file"].size <= 1 << 20 for frame in frames)
        svg = b"".join(frame.arrays["file"].tobytes() for frame in frames).decode()
        assert f"fill: {ground}" in svg.split("<image")[0]
    with pytest.raises(ProtocolError):
        list(w._session.answer(p.AskFigure("svg", 40_000, 300, False)))


def test_the_size_on_the_screen_is_that_which_the_page_told_last(w, tmp_path):
    w.set_state({"_snapshot": {"plot": [500, 200]}})
    w.save(tmp_path / "a.png", dpi=96, legend=False)
    assert Image.open(tmp_path / "a.png").size == (500, 200)
    for odd in ([0, 10], [1e9, 10], ["a", 3], [500], None, 3):
        w.set_state({"_snapshot": {"plot": odd}})
        w.save(tmp_path / "a.png", dpi=96, legend=False)
        assert Image.open(tmp_path / "a.png").size == (400, 300)
