"""Write tests/golden/*.json: one example of each message, with its bytes, read by the tests of both languages.

Usage: python -m tools.golden [--check]
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from cxg_widget.wire import protocol as p
from cxg_widget.wire.frames import Frame

FOLDER = Path(__file__).parent.parent / "tests" / "golden"


def _array(dtype: str, values: Any) -> Any:
    return np.array(values, dtype=dtype)


_NONE_CHOSEN = {name: _array("uint32", []) for name in ("chosen", "held")}
_NONE_CHOSEN |= {name: _array("float32", []) for name in ("odds", "log10_p")}
REQUESTS: list[dict[str, Any]] = [
    {"kind": "ready", "id": 1, "version": p.VERSION},
    {"kind": "lasso", "id": 2, "polygon": [0, 0, 1.5, 0, 1.5, -2.25], "mode": "add", "panel": 0},
    {"kind": "category", "id": 10, "color": "obs:cell_type", "code": -1, "mode": "subtract", "panel": 0},
    {"kind": "pick", "id": 15, "rows": [4, 2], "mode": "replace", "panel": 0},
    {"kind": "clear", "id": 3},
    {"kind": "undo", "id": 15, "redo": True},
    {"kind": "sets", "id": 40},
    {"kind": "set", "id": 41, "op": "add", "name": "<b>mine</b>", "to": "", "within": "T cells", "mode": "replace"},
    {"kind": "annotations", "id": 42, "name": "<b>mine</b>", "query": "t c", "filters": []},
    {"kind": "annotation", "id": 43, "op": "rename", "name": "<b>mine</b>", "label": "T", "to": "T cell",
     "mode": "replace", "on_conflict": "error"},
    {"kind": "count", "id": 11, "panel": 0},
    {"kind": "hover", "id": 4, "x": -1.5, "y": 2, "radius_x": 0.125, "radius_y": 40.5, "panel": 0},
    {"kind": "search", "id": 5, "query": "CD3", "limit": 50},
    {"kind": "begun", "id": 9},
    {"kind": "restore", "id": 30, "name": "0a-1b-2c"},
    {"kind": "place", "id": 27, "panel": 3},
    {"kind": "zoom", "id": 6, "view": [0, 1, 0, 1], "panel": 3},
    {
        "kind": "aggregate", "id": 8, "view": [-1, 1, 1, -1], "width": 640, "height": 480, "diameter": 1.5,
        "highlighted": -1, "dark": False, "hidden": ["B cell"], "density": "log", "weight": 0.25,
        "statistic": "std", "filtered": "grey", "panel": 0,
    },
    {"kind": "columns", "id": 13, "columns": ["obs:cell_type", "var:CD3E"], "known": ["var:CD3E"],
     "filters": [{"obs": "n_genes", "range": [500, None]}], "panel": 0},
    {"kind": "find", "id": 27, "column": "obs:clone", "query": "c2", "panel": 0},
    {"kind": "table", "id": 16, "table": {"columns": ["obs:cell_type"], "sort": "index"}, "start": 50, "n": 25,
     "find": -1, "filters": [], "panel": 0},
    {"kind": "csv", "id": 17, "table": {"of": "selection"}, "start": 0, "n": 10_000, "separator": "\t", "filters": [],
     "panel": 0},
    {"kind": "genes", "id": 20, "text": "T cells\tof blood\tCD3E\tCD3D", "name": ""},
    {"kind": "fields", "id": 23, "panel": 0},
    {"kind": "look", "id": 24, "panel": 3},
    {"kind": "brush", "id": 15, "column": "obs:n_genes", "columns": ["obs:cell_type", "var:CD3E"], "rows": [[3, 0], []],
     "filters": [{"obs": "n_genes", "range": [500, None]}], "panel": 0},
    {"kind": "module", "id": 14, "known": ["0123456789abcdef"]},
    {"kind": "labels", "id": 18, "column": "cell_type", "filters": [{"obs": "donor", "in": ["d1"]}], "panel": 0},
    {"kind": "contours", "id": 19, "column": "", "filters": [], "sets": ["a", "b"], "panel": 0},
    {"kind": "difference", "id": 24, "sets": ["a", "b"], "filters": [], "panel": 0},
    {"kind": "sections", "id": 25},
    {"kind": "tissue", "id": 26, "name": "V1/hires", "view": [-1, 1, 1, -1], "width": 640, "height": 480, "panel": 0},
    {"kind": "code", "id": 29, "part": "compare"},
    {"kind": "figure", "id": 29, "suffix": "pdf", "width": 800, "height": 600, "dark": True},
    {"kind": "compare", "id": 44, "a": "selection", "b": "set:<b>mine</b>", "method": "wilcoxon", "normalize": True},
    {"kind": "comparison", "id": 45, "known": 3, "group": 1, "file": False},
    {"kind": "quick", "id": 46, "polygon": [0, 0.5, 1, 0, 1, 1], "panel": 0},
    {"kind": "sketch", "id": 47, "rule": {"obs": "n_counts", "range": [2, None]}, "panel": 0},
    {"kind": "study", "id": 48, "part": "composition", "by": "cell_type", "within": "selection"},
    {"kind": "study_open", "id": 49, "by": "cell_type", "category": "B cell", "a": "<b>lupus</b>", "b": "normal"},
    {"kind": "study_pick", "id": 50, "sample": "d1", "condition": "", "by": "cell_type", "category": "B cell",
     "mode": "replace", "panel": 0},
    {"kind": "cancel", "id": 12, "of": "aggregate", "panel": 0},
]  # fmt: skip

_LEGEND = {
    "seq": 3,
    "n_points": 6,
    "n_obs": 8,
    "n_missing": 1,
    "detail": "",
    "categories": [],
    "counts": [],
    "colors": [],
}
REPLIES: dict[str, Frame] = {
    "sets": Frame(
        p.Sets(
            3, 2,
            [
                {"name": "T cells", "within": "", "fault": "", "is_rule": True, "of": "0123", "color": "#0072b2"},
                {"name": "<b>mine</b>", "within": "T cells", "fault": "no such cells", "is_rule": False, "of": "4567",
                 "color": "#d98900"},
            ], [6, 1, 4],
        ),
        {"counts": _array("uint32", [[5, 4, 0, 0], [2, 1, 2, 1]])},
    ),
    "annotations": Frame(
        p.AnnotationLabels(
            [
                {"name": "<b>mine</b>", "n_labels": 2, "is_saved": False},
                {"name": "other", "n_labels": 0, "is_saved": True},
            ],
            "<b>mine</b>",
            ["B cell", "<i>T"], ["#0072b2", "#e69f00"], 2, 1, False,
        ),
        {"counts": _array("uint32", [[5, 4, 0], [2, 1, 2], [1, 1, 0]])},
    ),
    "recoded": Frame(
        p.Recoded(4, 3, 6),
        {"table": _array("uint8", [1, 0, 255]), "bits": _array("uint8", [5]), "codes": _array("uint8", [2])},
    ),
    "annotated": Frame(p.Annotated("", [5, 4, 3])),
    "dataset": Frame(
        p.DatasetInfo(
            "PBMC <i>3k</i>", 6, 4, ["spectrum", "spectra"], ["m/z window", "m/z windows"], [],
            [{"name": "umap", "axes": 2}],
            [{"name": "cell_type", "kind": "categorical"}],
            ["viridis"], ["uns/spatial is ignored: it is binary"],
        )
    ),
    "points": Frame(
        p.Points(
            2, "umap", [0, 1], 0, 3, 6, 8, [-10.0, 10.0, -5.5, 5.5], 1, False, False, ["time (min)", "m/z"], True,
            400_000, [2, 5, 0], place=["umap"],
        ),
        {"xy": _array("uint16", [[0, 65534], [258, 513], [65535, 65535]])},
    ),
    "points.sizes": Frame(
        p.Points(
            2, "spatial", [0, 1], 0, 2, 2, 2, [0.0, 200.0, 0.0, 100.0], 0, True, True, [], False, 400_000, [], 12.5,
            place=["spatial"],
        ),
        {"xy": _array("uint16", [[0, 65534], [258, 513]]), "sizes": _array("uint16", [1024, 513])},
    ),
    "color.categorical": Frame(
        p.Color(
            **{**_LEGEND, "categories": ["B cell", "<img src=x onerror=alert(1)>"], "counts": [2, 3],
               "colors": ["#0072b2", "#e69f00"]},
            spec="obs:cell_type", name="cell_type", scale="categorical", lo=0.0, hi=0.0, encoding="dense",
            is_stated=False,
        ),
        {"histogram": _array("uint32", []), "quantiles": _array("float32", []), "log_histogram": _array("uint32", [])},
    ),
    "color.continuous": Frame(
        p.Color(
            **_LEGEND, spec="var:CD3E", name="CD3E", scale="continuous", lo=-0.5, hi=4.25, encoding="sparse",
            is_stated=True, n_negative=1, n_zero=4, least=0.125,
        ),
        {"histogram": _array("uint32", [70000, 0, 2]), "quantiles": _array("float32", [0.0, 0.25, 1.0]),
         "log_histogram": _array("uint32", [1, 70000])},
    ),
    "palette": Frame(p.Palette(3, ["#000000", "#ffffff"])),
    "codes.uint8": Frame(p.CodesOfPoints(3, 0, 4, 6), {"codes": _array("uint8", [0, 1, 254, 255])}),
    "codes.uint16": Frame(p.CodesOfPoints(3, 4, 6, 6), {"codes": _array("uint16", [1100, 65535])}),
    "values": Frame(p.ValuesOfPoints(4, 0, 4, 4), {"values": _array("uint16", [0, 65534, 65535, 256])}),
    "nonzeros": Frame(
        p.Nonzeros(5, 65536, 140000, 140000, 7),
        {
            "counts": _array("uint32", [2, 1]),
            "offsets": _array("uint16", [0, 65535, 8927]),
            "values": _array("uint16", [1, 65534, 65535]),
        },
    ),
    "selection": Frame(p.Selection(6, 3, 10), {"bits": _array("uint8", [0b10000001, 0b00000010])}),
    "filter": Frame(p.Filter(7, 4, 3, 10), {"bits": _array("uint8", [0b10000001, 0b00000011])}),
    "counts": Frame(
        p.Counts(3, 6, 1, 70003, 2),
        {"counts": _array("uint32", [2, 0, 70000]), "passing": _array("uint32", [3, 1, 90000, 2])},
    ),
    "field_counts": Frame(
        p.FieldCounts(3, ["CD3E", "<b>"], [0.0, 4.25, -0.5, 2.0], ["low", "middle", "high"], 2),
        {
            "filtered": _array("uint32", [70000, 2, 0, 1, 1, 1, 0, 0, 5]),
            "selected": _array("uint32", [7, 0, 0, 0, 0, 1, 0, 0, 5]),
            "mixes": _array("uint16", [0, 1, 2, 3]),
        },
    ),
    "column.categorical": Frame(
        p.ColumnCounts(0, 2, "obs:cell_type", "categorical", ["B cell", "<b>"], [], [1], n_chosen=1, n_held=7),
        {
            "all": _array("uint32", [70000, 2, 0]),
            "filtered": _array("uint32", [7, 0, 0]),
            "selected": _array("uint32", [1, 2, 0]),
            "grouped": _array("uint32", [[0, 6, 1], [0, 0, 0], [0, 0, 0]]),
            "chosen": _array("uint32", [1, 0, 0]),
            "held": _array("uint32", [7, 0, 0]),
            "odds": _array("float32", [2.5, 0.0, 0.0]),
            "log10_p": _array("float32", [-400.0, 0.0, 0.0]),
        },
    ),
    "column.long": Frame(
        p.ColumnCounts(0, 1, "obs:clone", "categorical", ["c2", "(missing)"], [], [], rows=[1, 3]),
        {
            "all": _array("uint32", [5, 300, 7, 1]),
            "filtered": _array("uint32", [30, 1]),
            "selected": _array("uint32", [2, 0]),
            "grouped": np.empty((2, 0), dtype=np.uint32),
            **_NONE_CHOSEN,
        },
    ),
    "column.continuous": Frame(
        p.ColumnCounts(
            1, 2, "var:CD3E", "continuous", [], [0.0, 0.5, 1.0], [], layer="raw", n_zeros=4,
            about=[["feature_name", "CD3E"], ["<b>", "0.25"]],
        ),
        {
            "all": _array("uint32", [5, 2, 1]),
            "filtered": _array("uint32", [5, 2, 1]),
            "selected": _array("uint32", [0, 0, 0]),
            "grouped": np.empty((3, 0), dtype=np.uint32),
            **_NONE_CHOSEN,
        },
    ),
    "found": Frame(p.FoundValues(), {"rows": _array("uint32", [1, 70000])}),
    "sums": Frame(
        p.BrushSums(0, 2, "obs:cell_type", [3, 0], [1], 2),
        {"sums": _array("uint32", [[[0, 0, 0], [0, 0, 0]], [[1, 2, 0], [70000, 0, 0]], [[1, 2, 3], [70001, 4, 0]]])},
    ),
    "bins": Frame(p.BrushBins(1, 2, 0, 4, 4), {"bins": _array("uint8", [0, 63, 64, 255])}),
    "cell": Frame(p.Cell(4, 0.5, -0.25, "AAACATACAACCAC-1", "B cell", [["donor", "d1"], ["n_counts", "2,419"]], False,
                         elsewhere=[[3, -1.5, 0.25]])),
    "table": Frame(
        p.Table(
            50, 52, [7, 2], ["AAAC-1", "<b>AAAG-1"],
            [{"spec": "obs:n_genes", "name": "n_genes", "detail": "", "is_number": True, "error": ""},
             {"spec": "var:CD3E", "name": "CD3E", "detail": "gene", "is_number": True, "error": "It is damaged."}],
            [["2,419", "(missing)"], []], 51, panels=[3],
        ),
        {"xy": _array("float32", [[0.5, -0.25], [3.5, 2.0]]), "selected": _array("uint8", [0, 1]),
         "elsewhere": _array("float32", [[[1.5, 0.25], [-3.5, 0.0]]])},
    ),
    "csv": Frame(
        p.Csv(0, 1, 2, 6), {"text": _array("uint8", list(b"cell_id,n\nAAAC-1,1.5\n"))},
    ),
    "gene_sets": Frame(
        p.GeneSets([{"name": "T <b>cells", "n": 3, "genes": ["CD3E", "CD3D"]}], "1 name is no gene of this dataset.")
    ),
    "matches": Frame(
        p.Matches("cd3", [{"spec": "var:CD3E", "color": "CD3E", "label": "CD3E", "kind": "var", "detail": "ENSG1"}], 2)
    ),
    "detail": Frame(
        p.Detail(0, 1, [0.25, 0.5, -0.5, -0.25]),
        {"index": _array("uint32", [3, 70000]), "xy": _array("uint16", [[0, 65534], [32767, 1]])},
    ),
    "image": Frame(
        p.Image(2, 3, 6, [0.0, 1.0, 1.0, 0.0], "numbers", 9, "standard deviation", [0.0, 3.0, 0.5, 2.5, 0.25]),
        {
            "png": _array("uint8", [137, 80, 78, 71]),
            "histogram": _array("uint32", [7, 2]),
            "quantiles": _array("float32", [0, 0.25, 1]),
            "log_histogram": _array("uint32", [1, 2, 3]),
        },
    ),
    "cells": Frame(
        p.Cells(2, 3, 6, 0, 1, [0.25, 0.5, -0.5, -0.25]),
        {
            "xy": _array("uint16", [[0, 65534], [32767, 1]]),
            "codes": _array("uint8", [3, 255]),
            "bits": _array("uint8", [0b00000010]),
            "passing": _array("uint8", [0b00000001]),
        },
    ),
    "labels": Frame(
        p.LabelPlaces(2, "cell_type", [4, 0], ["B cell", "<b>"], [70000, 2], 3, [-10.0, 10.0, -5.5, 5.5]),
        {"xy": _array("uint16", [[0, 65534], [258, 513]])},
    ),
    "contours": Frame(
        p.Contours(2, "cell_type", [4], ["B cell"], 3, [0, 0], [0.5, 0.9], [1, 1], [-10.0, 10.0, -5.5, 5.5]),
        {
            "lengths": _array("uint32", [3, 4]),
            "xy": _array("uint16", [[1, 1], [3, 1], [2, 4], [0, 0], [4, 0], [4, 5], [0, 65534]]),
        },
    ),
    "difference": Frame(
        p.Difference(2, ["a", "b"], [70000, 2], 10, 2.5, [2, 3], [-10.0, 10.0, -5.5, 5.5]),
        {
            "codes": _array("uint8", [0, 127, 254, 255, 255, 1]),
            "colors": _array("uint8", np.arange(765).reshape(255, 3) % 251),
            "dark_colors": _array("uint8", np.arange(765).reshape(255, 3) % 241),
        },
    ),
    "sections": Frame(p.SectionList(["V1/hires", "V1/<b>"])),
    "figure": Frame(p.FigurePart(1, 2), {"file": _array("uint8", [37, 80, 68, 70])}),
    "compared": Frame(p.Compared(3)),
    "comparison": Frame(
        p.Comparison(
            3, "B cell (5 cells) compared with the rest (70,000 cells)", ["p tells of these <b>cells</b>"],
            ["B cell", "the rest"], ["B cell", "<i>T"], 0, 16_386, 16_384, 2, ["ENSG1", "<b>"], ["CD3E", "TRAC"],
        ),
        {"values": _array("float32", [[1.5, -1], [0, 0], [1, 0.25], [0, 0], [30, -0.5], [65, -2], [-800, -400.5],
                                      [-796, -396], [1, 0]]),
         "n": _array("uint32", [[5, 4], [70_000, 70_000]])},
    ),
    "quick": Frame(
        p.Quick(True, 0, 0, False, 1_200, 1_000, ["ENSG1", "<b>"], ["CD3E", "TRAC"]),
        {"values": _array("float32", [[1.5, 2], [0, 0.5], [1, 0.25], [0, 0], [30, -0.5]])},
    ),
    "study_part": Frame(
        p.StudyPart(
            "composition", "Share of each cell_type of a sample, 2 and 1 samples", ["No <b>cells</b> of d9"],
            ["<b>lupus</b>", "normal"],
            [
                {"name": "d1", "sample": "d1", "condition": 0, "pair": "", "n_cells": 40, "n_all": 50,
                 "excluded": False, "covariates": ["female", 31.5]},
                {"name": "d2 (<b>lupus</b>)", "sample": "d2", "condition": 0, "pair": "d2", "n_cells": 10, "n_all": 10,
                 "excluded": True, "covariates": ["male", None]},
                {"name": "d2 (normal)", "sample": "d2", "condition": 1, "pair": "d2", "n_cells": 4, "n_all": 9,
                 "excluded": False, "covariates": [None, 45.0]},
            ],
            [{"name": "sex", "kind": "category", "categories": ["female", "male"]},
             {"name": "age", "kind": "number", "categories": []}],
            [{"gene": "", "category": "<i>T"}, {"gene": "", "category": "B cell"}],
            [[0, 1]], ["#0072b2", "#d98900"], True,
        ),
        {"values": _array("float32", [[0.75, 0.5, 0.25], [0.25, 0.5, 0.75]]),
         "counts": _array("uint32", [[30, 5, 1], [10, 5, 3]]),
         "tests": _array("float32", [[[1.5], [-1.5]], [[2.5], [-2.5]], [[0.03125], [0.03125]], [[0.0625], [0.0625]],
                                     [[2], [2]], [[1], [1]]])},
    ),
    "tissue": Frame(
        p.Tissue("V1/hires", [-0.5, 99.5, -0.5, 49.5], [-0.5, 199.5, -0.5, 99.5], 2, 0.5, 89.5,
                 [50.5, 0.0, 199.5, 49.5, 150.5, 99.5, 0.0, 49.5]),
        {"jpeg": _array("uint8", [255, 216, 255, 217])},
    ),
    "module": Frame(p.Module("fedcba9876543210"), {"code": np.frombuffer(b"export default 1\n", dtype=np.uint8)}),
    "progress": Frame(p.Progress("index", 0.25, "aggregate")),
    "kept": Frame(
        p.Kept(
            [
                {
                    "name": "0a-1b-2c", "at": 1_790_000_000.5, "notebook": "<b>trial</b>.ipynb", "unsaved": 1,
                    "counts": {"sets": 4, "labels": 12_651, "annotations": 1, "gene_sets": 0, "pins": 2, "filters": 1,
                               "panels": 0},
                }
            ]
        )
    ),
    "cost": Frame(p.CostOf("color", 25_359, 18)),
    "error": Frame(p.Error("color", "DamagedStore", "Cannot read 'x'.", "/a.cxg: cannot read 'x' ([TileDB] no file).")),
}  # fmt: skip


def documents() -> dict[str, str]:
    """Return file name -> text of every golden file."""
    texts = {}
    for request in REQUESTS:
        texts[f"request.{request['kind']}.json"] = {"name": f"request.{request['kind']}", "request": request}
    for name, frame in REPLIES.items():
        content, buffers = frame.pack(request_id=9)
        texts[f"reply.{name}.json"] = {
            "name": f"reply.{name}",
            "content": content,
            "buffers": [base64.b64encode(buffer).decode() for buffer in buffers],
            "expected": {key: np.ravel(value).tolist() for key, value in frame.arrays.items()},
        }
    return {name: json.dumps(text, indent=1, ensure_ascii=False) + "\n" for name, text in texts.items()}


def main(check: bool) -> int:
    """Write the files, or with check=True report which differ."""
    stale = []
    for name, text in documents().items():
        path = FOLDER / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(name)
            if not check:
                path.write_text(text, encoding="utf-8")
    if check and stale:
        print(f"golden files differ from the schema: {', '.join(stale)}; run: python -m tools.golden")
    return int(check and bool(stale))


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    sys.exit(main("--check" in sys.argv[1:]))
