"""Laws of files written into: some seeds of each surface find nothing."""

import sys

import pytest

pytest.importorskip("h5py", reason="AnnData files are an extra: pip install cxg-widget[h5ad]")
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed as POSIX does")


@pytest.mark.parametrize(("surface", "n"), [("links", 8), ("writers", 2), ("kills", 20)])
@pytest.mark.filterwarnings("ignore")
def test_a_few_seeds_of_each_surface_find_nothing(surface, n):
    from tests.fuzz.written import run

    found = {seed: run(surface, seed) for seed in range(n)}
    assert {seed: outcome for seed, outcome in found.items() if outcome.startswith("finding")} == {}
    assert found
