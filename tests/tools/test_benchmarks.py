"""What the benchmarks are made of; nothing here is timed."""

import json
import shutil
import subprocess
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import cluster, growth, report, run
from benchmarks.data import HERE, polygon_around, read_codes
from benchmarks.floor import quantise, sparse_buffers
from cxg_widget import open_dataset
from cxg_widget.datasets.cxg.demo import write_demo
from cxg_widget.spatial.polygon import in_polygon


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_table_holds_medians_extremes_ratios_and_aims():
    measured = {
        "cxg-widget": {"complete picture, ms": [100.0, 120.0, 500.0]},
        "floor": {"complete picture, ms": [100.0]},
        "jupyter-scatter": {"complete picture, ms": [600.0]},
    }
    rows = [row for row in report.BROWSER if row.key == "complete picture, ms"]
    head, _, line = report.table(measured, rows, ("floor", "jupyter-scatter"), has_aims=True)
    found = dict(zip(cells(head), cells(line), strict=True))
    assert found["cxg-widget"] == "120 (100 - 500)"
    assert (found["x floor"], found["jupyter-scatter / ours"]) == ("1.20", "5.00")
    assert (found["aim"], found["met"]) == ("<= 1.3 x floor", "yes")


def test_an_aim_that_is_missed_says_so():
    measured = {"cxg-widget": {"zoom frame, ms": [51.0]}}
    rows = [row for row in report.BROWSER if row.key == "zoom frame, ms"]
    line = report.table(measured, rows, ("floor", "jupyter-scatter"), has_aims=True)[-1]
    assert cells(line)[-2:] == ["<= 50", "**no**"]
    assert cells(line)[2:6] == ["-"] * 4


def test_a_report_names_every_size_and_only_measured_figures():
    sizes = {"1m": {"store": "a million", "kernel": {"cxg-widget": {"open, ms": [1.0]}}}, "100k": {"store": "few"}}
    text = report.write({"facts": {"date": "today"}, "sizes": sizes}, "## Notes")
    assert "- date: today" in text
    assert text.index("## a million") < text.index("## few") < text.index("## Notes")
    assert "open the dataset, ms" in text
    assert "recolor" not in text


LARGE = {
    "facts": {"date": "today"},
    "store": "ten million",
    "n_obs": 10_000_000,
    "measures": {
        "cxg-widget": {"category, all, ms": [40.0], "category, 1/10, ms": [20.0], "lasso 10%, ms": [61.0]},
        "datashader": {"category, all, ms": [400.0], "category, 1/10, ms": [200.0]},
    },
    "inside": {"all": 10_000_000, "1/10": 1_000_000},
    "stages": {"first opening": {"first image": {"ms": 80.0, "peak_mb": 300.0, "held_mb": 200.0, "mapped_mb": 10.0}}},
}


def test_a_report_of_many_cells_holds_images_gestures_aims_and_bytes_a_cell():
    lines = report.write_large({"10m": LARGE}).splitlines()
    found = {cells(line)[0]: cells(line)[1:] for line in lines if line.startswith("|")}
    assert found["clusters: all cells"][:3] == ["40.0", "400.0", "0.10"]
    assert found["clusters: all cells"][-2:] == ["<= 0.125 x datashader", "yes"]
    assert found["lasso of 10 %"][-2:] == ["<= 60", "**no**"]
    assert found["first image"] == ["80", "300", "30.0", "200", "20.0", "1.0"]


def test_the_section_of_many_cells_is_before_the_notes():
    text = report.write({"facts": {}, "sizes": {}, "large": {"10m": LARGE}}, "## Notes")
    assert text.index("## Large n") < text.index("ten million") < text.index("## Notes")


def test_a_report_of_fresh_kernels_holds_both_engines_against_the_floor():
    first, complete, processor = "first picture, ms", "complete picture, ms", "complete picture, processor ms"
    measured = {
        "floor": {first: [2000.0], complete: [2000.0], processor: [3000.0]},
        "with a saved index": {first: [500.0], complete: [900.0, 1000.0, 1100.0], processor: [2500.0]},
        "with a saved index, by datashader": {first: [500.0], complete: [3000.0], processor: [4500.0]},
    }
    opened = {"facts": {"date": "today"}, "stores": {"5,000,000 cells": measured}}
    page = report.write_large({"10m": LARGE}, opened)
    found = {cells(line)[0]: cells(line)[1:] for line in page.splitlines() if line.startswith("|")}
    assert found["with a saved index"] == ["500", "0.25", "1,000 (900 - 1,100)", "0.50", "2,500"]
    assert found["with a saved index, by datashader"][3] == "1.50"
    assert found["5,000,000 cells"][0] == "first points, ms"


def test_the_plot_shows_more_cells_to_the_right_and_more_time_above():
    picture = ElementTree.fromstring(growth.draw([LARGE]))
    lines = [line.get("points") for line in picture.iter("{http://www.w3.org/2000/svg}polyline")]
    ours, theirs = ([tuple(map(float, point.split(","))) for point in line.split()] for line in lines if line)
    assert [x for x, _ in ours] == [x for x, _ in theirs] == sorted((x for x, _ in ours), reverse=True)
    assert all(above < below for (_, below), (_, above) in zip(ours, theirs, strict=True))
    assert ours[0][1] < ours[1][1]


def test_the_line_through_measured_sizes_is_theirs_and_its_slopes_tell_where_it_bends():
    line = growth.fitted([10, 30, 100], [7.0, 17.0, 52.0])
    assert line == pytest.approx((2, 0.5))
    assert line.at(1_000) == pytest.approx(502)
    assert growth.slopes([10, 30, 100], [7.0, 17.0, 87.0]) == pytest.approx([0.5, 1.0])
    assert growth.fitted([1, 2], [1.0, 3.0]).start == 0


def test_a_billion_cells_are_shared_out_among_workers():
    rising = {"read, s": 1e-8, "MB of all workers": 2e-5}
    found = {n: {title: 1 + slope * n for title, slope in rising.items()} for n in (10**7, 10**8)}
    page = cluster.write({n: dict.fromkeys(cluster.WORKERS, one) for n, one in found.items()})
    *_, seconds, megabytes = (cells(line) for line in page.splitlines() if line.startswith("|"))
    assert seconds == ["read, s", "10.00 ns", "11", "2.25", "1.31"]
    assert megabytes == ["MB of all workers", "20.0 bytes", "20,001", "2,501", "626"]


@pytest.mark.parametrize("column", ["cell_type", "leiden"])
def test_categories_are_read_by_name_or_by_number(tmp_path, column):
    path = write_demo(tmp_path / "demo.cxg", 300, 3)
    codes, categories = read_codes(path, column)
    with open_dataset(path) as dataset:
        truth = dataset.obs([column])[column].astype(str)
    assert [categories[code] for code in codes] == truth.tolist()


@pytest.mark.parametrize("share", [0.02, 0.1, 0.5])
def test_the_polygon_contains_the_requested_share(share):
    xy = np.random.default_rng(0).normal(size=(20_000, 2)).astype(np.float32)
    xy[::50] = np.nan
    inside = in_polygon(xy, polygon_around(xy, share))
    assert inside.sum() / np.isfinite(xy[:, 0]).sum() == pytest.approx(share, rel=0.05)


def test_the_floor_sends_its_input():
    rng = np.random.default_rng(1)
    n = 150_000
    place = rng.permutation(n).astype(np.uint32)
    rows = np.flatnonzero(rng.random(n) < 0.05).astype(np.uint32)
    values = rng.integers(1, 9, len(rows)).astype(np.float32)
    counts, offsets, codes = sparse_buffers(rows, values, place)
    expected = np.zeros(n, np.float32)
    expected[place[rows]] = values
    found = np.zeros(n, np.float32)
    found[np.repeat(np.arange(len(counts)), counts) * 65_536 + offsets] = codes / 65_534 * values.max()
    np.testing.assert_allclose(found, expected, atol=1e-3)


def test_quantised_coordinates_span_the_codes():
    codes = quantise(np.array([[0, -5], [1, 5], [0.5, 0]], np.float32))
    assert codes.tolist() == [[0, 0], [65_534, 65_534], [32_767, 32_767]]


@pytest.mark.parametrize("name", ["floor.js", "probe.js"])
def test_the_scripts_parse(name):
    node = shutil.which("node")
    if node is None:
        pytest.skip("no Node.js was found")
    kind = "module" if name == "floor.js" else "commonjs"
    script = (HERE / name).read_text()
    done = subprocess.run(
        [node, f"--input-type={kind}", "--check", "-"], input=script, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_an_unknown_size_is_refused(capsys):
    with pytest.raises(SystemExit):
        run.main(["--sizes", "1k"])
    assert "100k, 1m, 5m" in capsys.readouterr().err


@pytest.mark.browser
def test_the_probe_sees_when_all_points_are_on_show(chromium):
    from tools.lab import new_page

    page = new_page(chromium, init_script=(HERE / "probe.js").read_text())
    page.goto("about:blank")
    seen = page.evaluate(_DRAW)
    page.context.close()
    assert 0 < seen["first"] <= seen["complete"], json.dumps(seen)
    assert [entry[2:] for entry in seen["log"] if entry[0] == "draw"] == [[0, 50], [50, 950]]


_DRAW = """async () => {
  const canvas = document.createElement("canvas");
  document.body.append(canvas);
  const gl = canvas.getContext("webgl2");
  const program = gl.createProgram();
  const place = "gl_Position = vec4(0); gl_PointSize = 1.0;";
  for (const [type, main] of [[gl.VERTEX_SHADER, place], [gl.FRAGMENT_SHADER, ""]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, `void main() { ${main} }`);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  gl.useProgram(program);
  cxgProbe.begin(1000, true);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, new Uint8Array(4096), gl.STATIC_DRAW);
  gl.drawArrays(gl.POINTS, 0, 50);
  await new Promise((resolve) => setTimeout(resolve, 50));
  gl.drawArrays(gl.POINTS, 50, 950);
  return cxgProbe.settled(100, 5000);
}"""
