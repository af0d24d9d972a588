"""Tell an AnnData object by its attributes; imports nothing."""

from __future__ import annotations

from typing import Any

_ANNDATA = ("obs", "var", "obsm", "X", "n_obs")
_MUDATA = ("obs", "var", "obsm", "mod", "n_obs")


def looks_like_anndata(source: Any) -> bool:
    """Say whether an object has the attributes of AnnData or MuData; none of them is looked into."""
    return any(all(_has(source, name) for name in names) for names in (_ANNDATA, _MUDATA))


def _has(source: Any, name: str) -> bool:
    return hasattr(type(source), name) or name in getattr(source, "__dict__", ())
