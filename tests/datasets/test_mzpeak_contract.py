"""The contract over every layout and encoding of mzPeak, for spectra and for peaks."""

from __future__ import annotations

import pytest

from cxg_widget.datasets import open_dataset
from cxg_widget.testing import DatasetTests
from tests.datasets.make_mzpeak import LAYOUTS, make_mzpeak, make_run, peaks_truth, spectra_truth

SHAPES = [(layout, {"rows_per_group": 250}) for layout in LAYOUTS]
SHAPES += [("delta", {"split": True, "folder": True}), ("point", {"split": True}), ("delta", {"as_struct": True})]
# Both observations decode the same layouts: peaks are read of each of them, spectra of some.
STORES = [(*shape, "spectra") for shape in [SHAPES[0], *SHAPES[len(LAYOUTS) :]]]
STORES += [(*shape, "peaks") for shape in SHAPES[: len(LAYOUTS) + 1]]


@pytest.fixture(scope="module", params=STORES, ids=lambda one: "-".join([one[2], one[0], *one[1]]))
def store(request, tmp_path_factory):
    layout, options, observations = request.param
    run = make_run(first=100 if options.get("split") else 0)
    path = make_mzpeak(tmp_path_factory.mktemp("mzpeak") / "small.mzpeak", run, layout, **options)
    return path, (peaks_truth if observations == "peaks" else spectra_truth)(run, layout), observations


class TestMzPeak(DatasetTests):
    @pytest.fixture(scope="class")
    @classmethod
    def reopen(cls, store):
        return lambda **options: open_dataset(store[0], observations=store[2], **options)

    def test_title_default_embedding_and_notes(self, dataset, truth):
        assert dataset.format == "mzpeak"
        assert dataset.title == truth.title
        assert dataset.default_embedding == next(iter(truth.embeddings))
        assert dataset.notes == ()
