"""Translates column names and terms of the metadata by the PSI-MS vocabulary."""

from __future__ import annotations

import re
from typing import Any, Literal

Coding = Literal["term", "polarity", "label"]

_NAMES = {
    "MS:1000511": "ms_level",
    "MS:1000465": "polarity",
    "MS:1000525": "spectrum_representation",
    "MS:1000559": "spectrum_type",
    "MS:1000570": "spectra_combination",
    "MS:1000528": "lowest_observed_mz",
    "MS:1000527": "highest_observed_mz",
    "MS:1003060": "number_of_data_points",
    "MS:1003059": "number_of_peaks",
    "MS:1000504": "base_peak_mz",
    "MS:1000505": "base_peak_intensity",
    "MS:1000285": "total_ion_current",
    "MS:1000796": "spectrum_title",
    "MS:1003439": "ion_mobility_frame_representation",
    "MS:1000016": "scan_start_time",
    "MS:1000512": "filter_string",
    "MS:1000616": "preset_scan_configuration",
    "MS:1000927": "ion_injection_time",
    "MS:1000827": "isolation_window_target_mz",
    "MS:1000828": "isolation_window_lower_offset",
    "MS:1000829": "isolation_window_upper_offset",
    "MS:1000045": "collision_energy",
    "MS:1000744": "precursor_mz",
    "MS:1000041": "charge",
    "MS:1000042": "precursor_intensity",
}
"""Source: psi-ms.obo 4.1, and the canonical column names of the mzPeak specification."""

_BARE = {
    "time": "retention_time",
    "scan_polarity": "polarity",
    "selected_ion_mz": "precursor_mz",
    "charge_state": "charge",
    "peak_intensity": "precursor_intensity",
    "intensity": "precursor_intensity",
    "isolation_window.target": "isolation_window_target_mz",
    "isolation_window.isolation_window_target": "isolation_window_target_mz",
}

_LABELS = {
    "MS:1000127": "centroid spectrum",
    "MS:1000128": "profile spectrum",
    "MS:1000579": "MS1 spectrum",
    "MS:1000580": "MSn spectrum",
    "MS:1000294": "mass spectrum",
    "MS:1000322": "charge inversion mass spectrum",
    "MS:1000325": "constant neutral gain spectrum",
    "MS:1000326": "constant neutral loss spectrum",
    "MS:1000328": "e/2 mass spectrum",
    "MS:1000341": "precursor ion spectrum",
    "MS:1000581": "CRM spectrum",
    "MS:1000582": "SIM spectrum",
    "MS:1000583": "SRM spectrum",
    "MS:1000789": "enhanced multiply charged spectrum",
    "MS:1000790": "time-delayed fragmentation spectrum",
    "MS:1000804": "electromagnetic radiation spectrum",
    "MS:1000805": "emission spectrum",
    "MS:1000806": "absorption spectrum",
    "MS:1000571": "sum of spectra",
    "MS:1000573": "median of spectra",
    "MS:1000575": "mean of spectra",
    "MS:1000795": "no combination",
    "MS:1002476": "ion mobility drift time",
    "MS:1002815": "inverse reduced ion mobility",
    "MS:1001581": "FAIMS compensation voltage",
    "MS:1003371": "SELEXION compensation voltage",
}

_CODINGS: dict[str, Coding] = {
    "ms_level": "label",
    "charge": "label",
    "preset_scan_configuration": "label",
    "polarity": "polarity",
    "spectrum_representation": "term",
    "spectrum_type": "term",
    "spectra_combination": "term",
    "ion_mobility_type": "term",
    "ion_mobility_frame_representation": "term",
}

_TERM_COLUMN = re.compile(r"([A-Z]+)_(\d{4,})_(.+?)(?:_unit_([A-Z]+_\d+))?")
SECONDS, MINUTES = "s", "min"
_UNITS = {
    "UO_0000010": SECONDS,
    "UO_0000028": "ms",
    "UO_0000031": MINUTES,
    "UO_0000266": "eV",
    "UO_0000218": "V",
    "MS_1000040": "m/z",
    "MS_1000131": "counts",
    "MS_1000132": "percent of base peak",
    "MS_1000814": "counts/s",
    "MS_1002814": "V s/cm²",
}
"""Symbols of units of the unit ontology and of PSI-MS."""


def name_of(path: str, accession: str | None) -> str:
    """Return the readable name of a column, by its term or path if they are known, else as in the file.

    path : path below the table, such as "isolation_window.MS_1000827_isolation_window_target_mz"
    accession : its accession in the index; None = take it from the path
    """
    *parents, leaf = path.split(".")
    found = _TERM_COLUMN.fullmatch(leaf)
    term = accession or (f"{found[1]}:{found[2]}" if found else "")
    if term in _NAMES:
        return _NAMES[term]
    if path in _BARE:
        return _BARE[path]
    plain = (found[3] if found else leaf).removeprefix("opt_")
    return "_".join([*(parent for parent in parents if not plain.startswith(parent)), plain])


def coding_of(name: str) -> Coding | None:
    """Return the coding of the categories of a column; None if it has no categories."""
    name = name.removeprefix("selected_ion_").removeprefix("scan_").removeprefix("precursor_")
    if name.startswith(("instrument_configuration", "data_processing")):
        return "label"
    return _CODINGS.get(name)


def unit_of(path: str) -> str:
    """Return the unit in the name of a column; "" if it has none or an unknown one."""
    found = _TERM_COLUMN.fullmatch(path.rpartition(".")[2])
    return _UNITS.get(found[4] or "", "") if found else ""


def label_of(value: Any, coding: Coding) -> Any:
    """Return the label of a category's value; an unknown term or polarity as text, a "label" as stored."""
    if coding == "term":
        return _LABELS.get(str(value), str(value))
    if coding == "polarity":
        return {1: "positive", -1: "negative", "MS:1000130": "positive", "MS:1000129": "negative"}.get(
            value, str(value)
        )
    return value
