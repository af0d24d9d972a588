"""The layer to offer where values of X are scaled: raw, which scanpy reads by default wherever there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cxg_widget.datasets.base.contract import RAW
from cxg_widget.display.target import Target

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset


def unscaled_layer(dataset: Dataset, layer: str | None) -> str:
    """Return the layer that holds what a scaled layer was made of; "" where none is known."""
    return RAW if layer is None and RAW in dataset.layers else ""


def layer_to_offer(target: Target, low: float, dataset: Dataset, layer: str | None) -> str:
    """Return the layer that colors by the same genes before they were scaled; "" where there is nothing to offer.

    Parameters
    ----------
    low : the lowest value that was read; `compare.matrix_statistics` takes values below 0 for scaled ones, too
    """
    found = unscaled_layer(dataset, layer) if low < 0 else ""
    genes = [target.name] if target.source == "var" else target.genes
    is_there = bool(found and genes) and all(map(dataset.names_in(found).has_var, genes))
    return found if is_there else ""
