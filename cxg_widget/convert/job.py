"""Parameters and notes of one conversion."""
# Changes with cxg_widget/convert/conversion.py: options of a conversion.

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cxg_widget.convert.progress import Progress
from cxg_widget.datasets.base.dataset import Dataset
from cxg_widget.datasets.readers import registered
from cxg_widget.files.workplace import Workplace
from cxg_widget.text.names import describe_layer

_LONG = ("int32", "int64", "uint32", "uint64")


@dataclass(frozen=True)
class Job:
    """Parameters of a writer.

    dataset, layer : what to convert; layer None = the main matrix
    best, explorer_diffexp : as in `convert`
    left_out : filled by the writer with sentences on what could not be converted, or not exactly
    """

    dataset: Dataset
    place: Workplace
    layer: str | None
    best: bool
    explorer_diffexp: bool
    progress: Progress
    left_out: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The dataset's title; without the suffix if that is its file name."""
        title = self.dataset.title
        suffixes = {".cxg", *(suffix for reader in registered().readers.values() for suffix in reader.suffixes)}
        for suffix in sorted(suffixes, key=len, reverse=True):
            title = title.removesuffix(suffix)
        return title or self.dataset.title

    @property
    def layers(self) -> tuple[str, ...]:
        """Layers of the dataset that are not part of its main matrix, unlike those of X of modalities."""
        own = {f"{modality}:X" for modality in self.dataset.modalities}
        return tuple(layer for layer in self.dataset.layers if layer not in own)

    def rounding(self, layer: str | None) -> str | None:
        """Describe what float32 may change in a layer, None = the main matrix; None = nothing, or unknown."""
        details = self.dataset.details
        among = details.get("layers")
        found = details.get("X") if layer is None else among.get(layer) if isinstance(among, Mapping) else None
        found = details.get(layer) if found is None and layer is not None else found
        dtype = found.get("dtype") if isinstance(found, Mapping) else None
        what = {"float64": "about 7 digits are kept", **dict.fromkeys(_LONG, "exact up to 16,777,216")}.get(str(dtype))
        return what and f"{describe_layer(layer)}: its values of {dtype} became float32; {what}"
