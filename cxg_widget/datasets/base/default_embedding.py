"""Which embedding is shown first: the one that the store names, else a UMAP, else a t-SNE; the same for all stores."""

from __future__ import annotations

from collections.abc import Iterable

_PREFERRED = ("umap", "tsne", "t_sne", "t-sne")
"""As names are spelt or a part of them, best first; upper case and "X_" do not matter."""


def default_embedding(names: Iterable[str], named: str | None = None) -> str | None:
    """Return the embedding to show first, None where nothing tells one from the others.

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
    whole = [spelling for word in _PREFERRED for spelling in (word, f"x_{word}")]
    found = [name for spelling in whole for text, name in folded if text == spelling]
    found += [name for word in _PREFERRED for text, name in folded if word in text]
    return next(iter(found), None)
