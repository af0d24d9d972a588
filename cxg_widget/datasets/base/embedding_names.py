"""Derives from an embedding's name whether it is shown first, its axis names, and whether y points down."""

from __future__ import annotations

import re
from collections.abc import Iterable

_MAPS = ("umap", "tsne", "t_sne", "t-sne")
"""Parts of the names of embeddings whose axes mean nothing one by one, the best to show first; case does not matter."""
_INITIALS = {"pca": "PC", "diffmap": "DC", "lsi": "LSI"}
"""What scanpy and its kin call the axes of embeddings whose axes mean something one by one."""
_TISSUE = ("spatial", "spatial_fullres", "spatial_hires", "spatial_lowres")


def default_embedding(names: Iterable[str], named: str | None = None) -> str | None:
    """Return the embedding to show first: the one named, a UMAP, a t-SNE; None where nothing tells one from the others.

    Parameters
    ----------
    names : of the embeddings there are
    named : what the store says, with "X_" or without; it counts if there is such an embedding
    """
    known = list(names)
    if named:
        for spelling in (named.removeprefix("X_"), named, f"X_{named}"):
            if spelling in known:
                return spelling
    folded = [(name.casefold(), name) for name in known]
    whole = [spelling for word in _MAPS for spelling in (word, f"x_{word}")]
    found = [name for spelling in whole for text, name in folded if text == spelling]
    found += [name for word in _MAPS for text, name in folded if word in text]
    return next(iter(found), None)


def is_map(name: str) -> bool:
    """Say whether only distances mean something in it, as in a UMAP, and neither axis by itself."""
    return any(word in name.casefold() for word in _MAPS)


def axis_names(name: str, axes: tuple[int, int]) -> tuple[str, str] | None:
    """Return the names of two axes as scanpy writes them: "PC 1" and "PC 2" of a PCA; None = no names."""
    initials = next((_INITIALS[word] for word in re.split(r"[^a-z]+", name.casefold()) if word in _INITIALS), None)
    return None if initials is None else (f"{initials} {axes[0] + 1}", f"{initials} {axes[1] + 1}")


def is_tissue(name: object) -> bool:
    """Say whether an embedding holds pixel positions of an image, whose y axis points down."""
    # That of one modality of several has its name before it.
    return isinstance(name, str) and name.rpartition(":")[2].removeprefix("X_").casefold() in _TISSUE
