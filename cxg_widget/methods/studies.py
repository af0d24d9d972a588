"""Sentences about a study, with samples as the unit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cxg_widget.code.records import MadeCall
from cxg_widget.methods.writing import Writing, adjusted, among, listed, plain
from cxg_widget.study.samples import LEAST_CELLS


def study(one: MadeCall, text: Writing) -> Iterator[str]:
    """Yield the sentences about a result of a study."""
    call, design = one.call, one.call.settings.study_design
    assert design is not None
    yield _design(design, text)
    title = call.description.replace(" compared with ", " was compared with ", 1)
    what, sign, test = title.partition("; ")
    yield f"{what[:1].upper()}{what[1:]}{among(one)}{sign}{test}."
    method = call.method.removeprefix("study.")
    if method == "composition":
        yield _shares(call.options.get("method", "logit"), text)
    elif "counts per million" not in f"{title} {call.notes}":
        yield f"The values are no counts: they were averaged over the {text.noun.many} of a sample."
    else:
        least = text.noun.counted(call.options.get("min_cells", LEAST_CELLS))
        yield (
            f"Counts were summed over the {text.noun.many} of each sample that had {least} or more "
            f"{text.cite('squair')}. Log2 counts per million have a prior count of 2, scaled by the total as in edgeR "
            f"{text.cite('edger')}."
        )
    if method == "compare":
        yield adjusted("the genes of each comparison", text)
    elif test != "not tested":
        within = "each cell type and" if method == "differences" else "all rows of each"
        yield adjusted(f"{within} pair of conditions", text)


def _design(design: Any, text: Writing) -> str:
    sample, condition = plain(design["sample"]), plain(design["condition"])
    paired = f"; samples with the same {plain(design['pair'])} were paired" if design["pair"] else ""
    out = f"; left out: {listed([*map(plain, design['excluded'])])}" if design["excluded"] else ""
    return f"A sample is all {text.noun.many} of one value of {sample} in one {condition}{paired}{out}."


def _shares(method: str, text: Writing) -> str:
    noun, many = text.noun.one, text.noun.many
    added = (
        f"Half a {noun} was added to each count, in proportion to the {many} of the sample, and samples with fewer "
        f"than {LEAST_CELLS} {many} were not tested."
    )
    if method == "clr":
        return (
            f"Centered log ratios are log2 of a share minus the mean over all types of the sample "
            f"{text.cite('aitchison')}. {added}"
        )
    return f"Log2 odds are log2 of share / (1 - share) {text.cite('propeller')}. {added}"
