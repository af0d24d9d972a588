"""Laws of damaged stores and messages: a short campaign finds nothing, and nothing that was found comes again."""

import json
import os
import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from cxg_widget import open_dataset
from cxg_widget.datasets import probe
from cxg_widget.errors import CxgWidgetError
from tests.allocated import is_known
from tests.fuzz.campaign import ALL_KINDS, Runner, campaign, known, mutants, write_intact
from tests.fuzz.child import MESSAGES, mutant
from tests.fuzz.outcome import FINDINGS, OUTCOMES, judge
from tests.fuzz.readout import Failure, Readout
from tests.fuzz.stores import KINDS

SOME = tuple(KINDS)[::2]
FOUND = known(Path(__file__).with_name("findings.json"))
MENDED = [one for one in FOUND if not one.get("isolated")]
BELOW = [one for one in FOUND if one.get("isolated")]

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").is_file(), reason="memory is limited as Linux counts it")


@pytest.fixture(scope="module")
def intact(tmp_path_factory):
    return write_intact(tmp_path_factory.mktemp("fuzz"), {*SOME, *(one["store"] for one in FOUND)})


@pytest.fixture(scope="module")
def runner(intact):
    runner = Runner(intact)
    yield runner
    runner.close()


def test_a_short_campaign_finds_nothing(runner):
    tally = campaign(runner, [*islice(mutants(7, SOME), len(SOME)), *islice(mutants(0, [MESSAGES]), 20)])
    assert tally.findings == []
    assert set(tally.counts) == {*SOME, MESSAGES}
    assert {"unchanged", "clean error"} <= set(tally.total)


def test_a_mended_finding_is_not_reported_again(runner):
    again = {(one["store"], one["seed"]): runner.run(one["store"], one["seed"]) for one in MENDED}
    assert {seed: outcome for seed, outcome in again.items() if outcome.kind in FINDINGS} == {}


@pytest.mark.parametrize("one", BELOW, ids=lambda one: f"{one['store']}-{one['seed']}")
def test_a_crash_or_hang_of_a_library_is_one_sentence_in_isolation(intact, tmp_path, monkeypatch, one):
    monkeypatch.setattr(probe, "SILENCE_S", 0.3)
    store, _, _ = mutant(intact, one["store"], one["seed"], tmp_path)
    with pytest.raises(CxgWidgetError):
        open_dataset(store, isolated=True, **KINDS[one["store"]].options)


@pytest.mark.parametrize("kind", ["zarr2", "atlas-mixed", "tiledb-cf-xarray", "mzpeak-peaks"])
def test_an_intact_store_of_every_other_reader_opens_in_isolation(intact, kind):  # CXG, h5ad: test_isolated.py
    with open_dataset(intact / kind / KINDS[kind].name, isolated=True, **KINDS[kind].options) as dataset:
        assert dataset.n_obs


def test_a_seed_makes_the_same_mutant_again(intact, tmp_path):
    for number, (kind, seed) in enumerate(islice(mutants(3, SOME), 2 * len(SOME))):
        made = []
        for copy in ("a", "b"):
            folder = tmp_path / f"{number}{copy}"
            folder.mkdir()
            store, mutation, where = mutant(intact, kind, seed, folder)
            files = [store] if store.is_file() else sorted(one for one in store.rglob("*") if one.is_file())
            text = {str(one.relative_to(store)): one.read_bytes() for one in files}
            if mutation != "value":  # TileDB writes the time with metadata
                made.append((mutation, where, text))
        assert not made or made[0] == made[1]


def readout(notes=(), **parts):
    return Readout({"open": (2, 1), **parts}, set(notes))


INTACT = readout(a=1, b=2)


@pytest.mark.parametrize(
    ("found", "mutation", "kind"),
    [
        (readout(a=1, b=2), "cut", "unchanged"),
        (readout(a=1, b=Failure("no b")), "cut", "clean error"),
        (readout(a=1, b=3), "cut", "silent"),
        (readout(a=1), "delete", "silent"),
        (readout(a=1, b=3), "bits", "unchecksummed"),
        (readout(["b is lost"], a=1), "delete", "noted"),
        (Readout({"open": Failure("no store")}), "cut", "clean error"),
        (Readout(foreign=["b: IndexError"]), "cut", "foreign"),
        (Readout(foreign=["b: MemoryError"]), "cut", "memory"),
    ],
)
def test_an_outcome_is_named_after_what_a_user_sees(found, mutation, kind):
    assert judge(INTACT, found, mutation, "a.cxg/obs").kind == kind
    assert kind in OUTCOMES


def test_the_end_of_a_child_is_counted_and_the_next_one_goes_on(runner, monkeypatch):
    assert runner.run(MESSAGES, 1).kind not in FINDINGS
    os.kill(runner._child.pid, signal.SIGKILL)
    crash = runner.run(MESSAGES, 1)
    assert (crash.kind, crash.what.partition(",")[0]) == ("crash", "SIGKILL")
    runner._start()
    os.kill(runner._child.pid, signal.SIGSTOP)
    with monkeypatch.context() as patch:
        patch.setattr("tests.fuzz.campaign._START_S", 0.2)
        assert runner.run(MESSAGES, 1).kind == "hang"
    assert runner.run(MESSAGES, 1).kind not in FINDINGS


@pytest.mark.skipif(not is_known(), reason="glibc counts memory")
def test_a_process_keeps_nothing_of_damaged_stores_that_it_opened():
    command = [sys.executable, "-m", "tests.fuzz", "--growth", "5", "--seed", "40000", "--kinds"]
    found = subprocess.run([*command, "cxg", "zarr2"], capture_output=True, text=True, check=False)
    assert found.stdout.endswith("nothing grew\n"), found.stdout + found.stderr


def test_findings_are_stored_as_seeds():
    for one in FOUND:
        assert one["store"] in ALL_KINDS
        assert one["outcome"] in FINDINGS
        json.dumps(one)
