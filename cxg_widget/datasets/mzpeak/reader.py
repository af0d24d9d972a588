"""Registers mzPeak as a format and detects it."""

from pathlib import Path

from cxg_widget.datasets.readers import Reader
from cxg_widget.datasets.signatures import ZIP, begins_with, folder_holds, zip_holds

_MANIFEST = "mzpeak_index.json"


def _looks_like(path: Path) -> bool:
    """Say whether a path is mzPeak; a ZIP named .mzpeak is one even if its directory of members is truncated."""
    if path.suffix.lower() == ".mzpeak" and begins_with(path, ZIP):
        return True
    return zip_holds(path, _MANIFEST, "spectra_data.parquet") or folder_holds(path, _MANIFEST)


READER = Reader(
    what="an mzPeak file",
    opens="cxg_widget.datasets.mzpeak.dataset:open_mzpeak",
    looks_like=_looks_like,
    suffixes=(".mzpeak",),
    options=("observations", "signal"),
    libraries=("pyarrow",),
    install="cxg-widget[mzpeak]",
)
