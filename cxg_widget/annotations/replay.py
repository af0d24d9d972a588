"""Replays logs over a store to labels, and caches these."""
# Changes with cxg_widget/annotations/log.py: steps of an annotation.

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from cxg_widget.annotations.labels import as_labels, assigned, check_known, deleted, merged, nothing
from cxg_widget.annotations.log import Log, Step, now
from cxg_widget.compute.cache import ByteCache
from cxg_widget.datasets.base.values import Codes, freeze
from cxg_widget.errors import CxgWidgetError, InvalidValue, SelectionError
from cxg_widget.rules.rule import mask_of
from cxg_widget.text.names import shown
from cxg_widget.text.warned import warn_caller

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

_KEPT_BYTES = 64 << 20


class Replay:
    """The labels of logs over one store; the same log gives the same labels.

    dataset : the store without the user's annotations, which may change, so that rules cannot use them
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._known = ByteCache(max(_KEPT_BYTES, 4 * dataset.n_obs), attrgetter("nbytes"))

    def close(self) -> None:
        """Drop everything, and cache nothing from now on."""
        self._known.limit_bytes = 0
        self._known.clear()

    def codes(self, log: Log) -> Codes:
        """Return the labels (n_obs,) after the steps of a log, read-only."""
        n = next((n for n in range(len(log), 0, -1) if self._known.get(log.keys[n]) is not None), 0)
        codes = self._known.get(log.keys[n]) if n else None
        if codes is None:
            n, codes = 0, nothing(self._dataset.n_obs)
        others: list[str] = []
        for step in log[n:]:
            codes = self._after(codes, step, others)
        if others:
            many = self._dataset.obs_noun.many
            n = len(others)
            rules = "1 rule of labels matches" if n == 1 else f"{n:,} rules of labels match"
            warn_caller(f"{rules} other {many} than when written: {others[0]}")
        return self.know(log, codes)

    def know(self, log: Log, codes: Codes) -> Codes:
        """Cache the labels of a log, and return them."""
        held: Codes = self._known.get_or_load(log.keys[-1], lambda: freeze(codes))
        return held

    def _after(self, codes: Codes, step: Step, others: list[str]) -> Codes:
        if "of" in step:
            return as_labels(self._dataset.codes(step["of"]))
        if "codes" in step:
            return _unpacked(step, self._dataset)
        if "assign" in step:
            mask = mask_of(step["rule"], self._dataset)
            n = int(np.count_nonzero(mask))
            if n != step["n"]:
                others.append(f"that of {shown(step['assign'])} matches {n:,}, and matched {step['n']:,} then.")
            return assigned(codes, mask, step["assign"])
        if "delete" in step:
            return deleted(codes, step["delete"])
        return renamed(codes, step) if "rename" in step else merged(codes, step["merge"], step["into"])


def is_stored(name: str, log: Log, dataset: Dataset) -> bool:
    """Return whether the store has a column with exactly the labels of a log, as after saving them into it."""
    column = None if name in dataset.own_columns else dataset.obs_columns.get(name)
    if column is None or column.kind in ("int", "float"):
        return False
    try:
        ours, theirs = Replay(dataset).codes(log), as_labels(dataset.codes(name))
    except CxgWidgetError:
        return False
    place = {label: code for code, label in enumerate(theirs.categories)}
    target = np.array([*(place.get(label, -2) for label in ours.categories), -1])
    return np.array_equal(target[ours.codes], theirs.codes)


def renamed(codes: Codes, step: Step) -> Codes:
    """Rename a label; raises `InvalidValue` if the new name exists."""
    old, new = step["rename"], step["to"]
    check_known(codes, old)
    if new != old and new in codes.categories:
        raise InvalidValue(f"a label {shown(new)} exists already; merge([{shown(old)}], {shown(new)}) joins them.")
    return merged(codes, [old], new)


def packed(codes: Codes, dataset: Dataset) -> Step:
    """Return labels as the first step of a log, valid only for this dataset."""
    plain = np.ascontiguousarray(codes.codes.astype("<i2"))
    return {
        "codes": base64.b64encode(zlib.compress(plain.tobytes(), 6)).decode("ascii"),
        "categories": list(codes.categories), "ordered": codes.ordered,
        "n_obs": dataset.n_obs, "identity": dataset.obs_identity,
        "n": int(np.count_nonzero(plain >= 0)), "at": now(),
    }  # fmt: skip


def _unpacked(step: Mapping[str, Any], dataset: Dataset) -> Codes:
    if not dataset.has_rows_of(step["n_obs"], step["identity"]):
        what = "these labels belong to another dataset, or to another state of this one"
        raise SelectionError(f"{what}; w.annotations.load(path) finds {dataset.obs_noun.many} by name.")
    size = 2 * dataset.n_obs
    try:
        found = zlib.decompressobj().decompress(base64.b64decode(step["codes"], validate=True), size + 1)
    except (ValueError, zlib.error):  # including binascii.Error
        raise InvalidValue("packed labels must be base64 of zlib.") from None
    codes = np.frombuffer(found, dtype="<i2") if len(found) == size else None
    if codes is None or (codes.size and not -1 <= codes.min() <= codes.max() < len(step["categories"])):
        raise InvalidValue(f"packed labels must be {dataset.n_obs:,} codes into {len(step['categories']):,} categories")
    return as_labels(Codes(codes, tuple(step["categories"]), step["ordered"]))
