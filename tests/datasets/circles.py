"""Circles of many sizes as spatialdata wrote them, and how wide each is in a picture."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import numpy as np

VERSIONS = ("0.7", "0.8")


def unpacked(version, folder):
    """Return the path of the store, and what spatialdata found in it; see `write_spatialdata_circles.py`."""
    with ZipFile(Path(__file__).parent / "written" / f"circles_{version}.zip") as archive:
        archive.extractall(folder)
    return folder / "sample.zarr", json.loads((folder / "truth.json").read_text())


def circles_of(truth, table, system="global"):
    """Return x, y and radius by spatialdata of what each row describes, (n, 3); NaN = no circle."""
    known = [truth.get(f"{region}|{system}", {}).get(str(one)) for region, one in truth[f"table|{table}"]]
    return np.array([one or [np.nan] * 3 for one in known])


def radii_in(ink, view, circles):
    """Return the radius in px of each circle by the area of its ink, (h, w) from 0 to 1; px lie between any two."""
    left, right, bottom, top = view
    per_x, per_y = ink.shape[1] / (right - left), ink.shape[0] / (top - bottom)
    found = []
    for x, y, radius in circles:
        column, line, reach = (x - left) * per_x, (top - y) * per_y, radius * per_x + 1.2
        (low, high), (first, last) = ((max(int(at - reach), 0), int(at + reach) + 1) for at in (line, column))
        part = ink[low:high, first:last]
        lines, columns = np.indices(part.shape) + 0.5
        is_near = np.hypot(columns + first - column, lines + low - line) < reach
        found.append(np.sqrt(part[is_near].sum() / np.pi))
    return np.array(found)
