"""A dataset and its parts: a store overrides what the contract names, and the parts' methods keep their words."""

from __future__ import annotations

import inspect

import pytest

from cxg_widget.datasets import Dataset
from cxg_widget.datasets.base.contract import Contract
from cxg_widget.datasets.readers import registered

OF_PYTHON = {"__module__", "__doc__", "__init__", "__abstractmethods__", "_abc_impl"}


def below(kind: type) -> list[type]:
    return [one for sub in kind.__subclasses__() for one in (sub, *below(sub))]


@pytest.mark.parametrize("word", sorted(registered().readers))
def test_a_store_overrides_what_the_contract_names_and_nothing_else(word: str) -> None:
    pytest.importorskip(registered().readers[word].opens.partition(":")[0])
    # A dataset made of others has their names and their notes.
    allowed = OF_PYTHON | {"names_in", "notes", "cells_in"}
    stores = [one for one in below(Dataset) if one.__module__.startswith("cxg_widget.")]
    assert stores
    for store in stores:
        assert set(vars(store)) & set(vars(Dataset)) - set(vars(Contract)) <= allowed


def test_a_method_that_is_that_of_a_part_has_its_signature_and_words() -> None:
    assert list(inspect.signature(Dataset.obs).parameters) == ["self", "columns", "rows", "index"]
    for name, method in inspect.getmembers(Dataset, inspect.isfunction):
        assert name.startswith("_") or inspect.getdoc(method), name
