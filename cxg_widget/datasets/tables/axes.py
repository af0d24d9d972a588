"""Finds the embeddings of a table by the names of its columns: umap_1 and umap_2, x and y, PC1 to PC50."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MAPS = ("umap", "tsne", "t-sne", "t_sne", "pacmap", "phate", "trimap", "localmap", "densmap", "forceatlas")
"""Parts of names of embeddings, with any prefix and suffix: wnnUMAP_1, X_umap_harmony_2."""
_WHOLE = ("pc", "pca", "ica", "ic", "lsi", "svd", "nmf", "dc", "diffmap", "mds", "nmds", "lda", "dim", "dimension",
          "component", "comp", "latent", "emb", "embedding", "axis", "coord", "spatial", "scvi", "mde")  # fmt: skip
"""Whole names of embeddings, too short to search for within other names."""
_PARTNERS = {"lon": "lat", "long": "lat", "lng": "lat", "longitude": "latitude", "easting": "northing"}
_NUMBERED = re.compile(r"(?P<stem>.*?[^\W\d_]\)?)[ _.,\-]*(?P<number>\d{1,4})")
_X = re.compile(r"(?:(?P<before>.+?)[ _.,\-]+)?x(?:[ _.\-](?P<behind>.+))?", re.IGNORECASE)
_SEPARATORS = " _.,-"
"""Commas too: the name of a column with several levels, ("umap", 1), is "umap, 1"."""


def find_axes(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the embeddings among columns of numbers, each with the columns that are its axes.

    >>> find_axes(["UMAP_1", "UMAP_2", "x", "y", "PC1", "PC2", "PC3", "longitude", "latitude", "n_genes"])
    {'UMAP': ('UMAP_1', 'UMAP_2'), 'x, y': ('x', 'y'), 'PC': ('PC1', 'PC2', 'PC3'), 'longitude, latitude': ('longitude', 'latitude')}
    """  # noqa: E501 - as Python prints it
    known = list(dict.fromkeys(names))
    folded = {name.casefold(): name for name in reversed(known)}
    found: dict[str, tuple[str, ...]] = {}
    for name in known:
        axes = _numbered(name, folded) or _crossed(name, folded)
        if axes is not None:
            label, columns = axes
            found.setdefault(label if label not in known else pair_name(*columns[:2]), columns)
    return found


def pair_name(x: str, y: str) -> str:
    """Return the name of an embedding of two columns.

    >>> pair_name("x", "y")
    'x, y'
    """
    return f"{x}, {y}"


def find_pair(name: str, columns: Iterable[str]) -> tuple[str, str] | None:
    """Return the two columns in a name made by `pair_name`; None if it is not such a name."""
    known = set(columns)
    cuts = (match.start() for match in re.finditer(", ", name))
    return next(((name[:at], name[at + 2 :]) for at in cuts if {name[:at], name[at + 2 :]} <= known), None)


def _numbered(name: str, folded: dict[str, str]) -> tuple[str, tuple[str, ...]] | None:
    """Return the embedding whose first axis is a column: umap_0, or umap_1 if there is no umap_0."""
    match = _NUMBERED.fullmatch(name)
    if match is None or int(match["number"]) > 1 or not _is_embedding(match["stem"]):
        return None
    before, first, width = name[: match.start("number")], int(match["number"]), len(match["number"])
    if first == 1 and f"{before}{0:0{width}}".casefold() in folded:
        return None
    columns: list[str] = []
    while (column := folded.get(f"{before}{first + len(columns):0{width}}".casefold())) is not None:
        columns.append(column)
    label = before.rstrip(_SEPARATORS)
    return (label.removeprefix("X_"), tuple(columns)) if len(columns) > 1 else None


def _crossed(name: str, folded: dict[str, str]) -> tuple[str, tuple[str, ...]] | None:
    """Return the embedding whose first axis is a column: x, umap_x, x_centroid or lon."""
    word = _PARTNERS.get(name.casefold())
    partner = None if word is None else folded.get(word)
    match = _X.fullmatch(name)
    if match is None or (match["before"] and match["behind"]):
        return None if partner is None else (pair_name(name, partner), (name, partner))
    if match["before"]:
        place, label = len(name) - 1, match["before"]
    else:
        place, label = 0, match["behind"] or ""
    partner = folded.get(f"{name[:place]}y{name[place + 1 :]}".casefold())
    if partner is None:
        return None
    return label.removeprefix("X_") or pair_name(name, partner), (name, partner)


def _is_embedding(stem: str) -> bool:
    folded = stem.casefold()
    return any(word in folded for word in _MAPS) or folded.removeprefix("x_") in _WHOLE
