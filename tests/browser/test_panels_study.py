"""The panel of a study of a real widget: a hand declares it, points are samples, numbers are pandas' and SciPy's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from cxg_widget import CxgWidget
from cxg_widget.datasets.base.dataset import Codes
from tests.browser.axe import violations
from tests.browser.panels_page import expect
from tests.browser.served_widget import ServedWidget
from tests.memory import MemoryDataset

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

CONDITIONS = ("<b>ill</b>", "well")
TYPES = ("<i>A</i>", "B", "C")
N_DONORS, N_GENES = 8, 40


def cells() -> pd.DataFrame:
    """Cells of eight donors, four of each condition; of the ill ones A is twice as frequent."""
    rng = np.random.default_rng(3)
    parts = []
    for donor in range(N_DONORS):
        is_ill = donor < 4
        share = rng.dirichlet(60 * np.array([0.4 if is_ill else 0.2, 0.3, 0.3 if is_ill else 0.5]))
        n = 120 + 20 * donor
        parts.append(pd.DataFrame({"donor": donor, "condition": int(not is_ill), "type": rng.choice(3, n, p=share)}))
    found = pd.concat(parts, ignore_index=True)
    return found.assign(score=rng.normal(size=len(found)))


def dataset(frame: pd.DataFrame) -> MemoryDataset:
    rng = np.random.default_rng(4)
    x = rng.poisson(np.where((frame["condition"] == 0).to_numpy()[:, None] & (np.arange(N_GENES) < 10), 9.0, 3.0))
    donors = tuple(f"<u>d{i}</u>" for i in range(N_DONORS))
    code = {name: frame[name].to_numpy().astype(np.int8) for name in ("donor", "condition", "type")}
    obs = {
        "donor": Codes(code["donor"], donors), "condition": Codes(code["condition"], CONDITIONS),
        "type": Codes(code["type"], TYPES), "age": (30.0 + 4 * frame["donor"]).to_numpy(),
        "score": frame["score"].to_numpy(),
    }  # fmt: skip
    xy = np.column_stack([code["type"], code["donor"]]) + rng.normal(0, 0.2, (len(frame), 2))
    return MemoryDataset(obs, x.astype(np.float32), [f"G{i}" for i in range(N_GENES)], {"umap": xy.astype(np.float32)})


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return cells()


@pytest.fixture(scope="module")
def served(chromium: Any, frame: pd.DataFrame) -> Iterator[ServedWidget]:
    widget = CxgWidget(dataset(frame), color="type", height=420)
    one = ServedWidget(chromium, widget, width=1100, height=860)
    yield one
    one.close()


def settle(served: ServedWidget) -> None:
    """Let the kernel answer, and the page draw it."""
    for _ in range(2):
        served.tell()


def counts_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return cells by type and donor."""
    return pd.crosstab(frame["type"], frame["donor"])


def composition_test(counts: pd.DataFrame, is_ill: np.ndarray) -> pd.DataFrame:
    """Return SciPy's Welch test of log2 odds, half a cell added for an average total."""
    n, total = counts.to_numpy(), counts.to_numpy().sum(axis=0)
    prior = total / total.mean() / 2
    ratios = np.log2((n + prior) / (total - n + prior))
    p = [stats.ttest_ind(one[is_ill], one[~is_ill], equal_var=False).pvalue for one in ratios]
    effect = ratios[:, is_ill].mean(axis=1) - ratios[:, ~is_ill].mean(axis=1)
    return pd.DataFrame({"effect": effect, "p_adj": stats.false_discovery_control(p)}, index=counts.index)


def cards(panel: Any) -> dict[str, tuple[str, str]]:
    """Return effect and adjusted p as written on each card, by its heading, in the order of the page."""
    found = panel.locator(".strip-card")
    return {
        one.locator(".strip-head .label").inner_text(): tuple(one.locator(".tested span").all_inner_texts())
        for one in found.all()
    }


def as_written(test: pd.DataFrame) -> dict[str, tuple[str, str]]:
    order = test["effect"].abs().sort_values(ascending=False).index
    effect = [f"log2 {one:+.2f}".replace("-", "\u2212") for one in test["effect"]]
    p = [f"p_adj {float(f'{one:.2g}'):g}".replace("e-0", "e-") for one in test["p_adj"]]
    return {TYPES[i]: (effect[i], p[i]) for i in order}


def reach(served: ServedWidget, *keys: str) -> str:
    """Go by keys from the heading of the first card, and return the name of what has the focus."""
    served.page.locator("#study [data-card='0'] [data-lane='-1']").focus()
    for key in keys:
        served.page.keyboard.press(key)
        served.settle()
    return str(served.page.evaluate("() => document.querySelector('#el > *').shadowRoot.activeElement.ariaLabel ?? ''"))


def test_a_form_declares_a_study_and_shares_and_tests_of_samples_are_those_of_pandas_and_scipy(
    served: ServedWidget, frame: pd.DataFrame
) -> None:
    widget, page = served.widget, served.page
    page.get_by_role("button", name="Study").click()
    settle(served)
    panel = page.locator("#study")
    expect(panel.get_by_label("Condition", exact=True)).to_be_disabled()
    panel.get_by_label("Sample", exact=True).select_option("donor")
    settle(served)
    # Of an obs column, only what is constant within a donor is proposed; others say that they are not.
    field = panel.get_by_label("Condition", exact=True)
    assert field.locator("> option").all_inner_texts()[1:] == ["condition", "age"]
    expect(field.locator("optgroup option")).to_have_text(["type"])
    field.select_option("condition")
    panel.get_by_label("age", exact=True).check()
    assert violations(page, "#el") == {}
    panel.get_by_role("button", name="Show the study").click()
    settle(served)
    design = {"sample": "donor", "condition": "condition", "covariates": ["age"], "pair": None, "excluded": []}
    assert widget.study_design == design
    counts, is_ill = counts_of(frame), np.arange(N_DONORS) < 4
    assert cards(panel) == as_written(composition_test(counts, is_ill))
    assert violations(page, "#el") == {}

    # Keys reach a point; Enter selects its cells, as a click does.
    first = composition_test(counts, is_ill)["effect"].abs().idxmax()
    share = counts.loc[first] / counts.sum()
    donor = int(share[is_ill].sort_values().index[1])
    name = reach(served, "ArrowDown", "ArrowRight", "ArrowRight")
    n, total = counts.loc[first, donor], counts[donor].sum()
    assert name.startswith(f"<u>d{donor}</u>, <b>ill</b>, share {100 * n / total:.0f}\u00a0%, cells {n} of {total}")
    page.keyboard.press("Enter")
    settle(served)
    wanted = ((frame["donor"] == donor) & (frame["type"] == first)).to_numpy()
    np.testing.assert_array_equal(widget.selection.mask, wanted)
    assert violations(page, "#el") == {}

    # The menu of the point excludes its sample, one step that undo takes back.
    panel.get_by_role("button", name="Exclude sample").click()
    settle(served)
    assert widget.study_design == {**design, "excluded": [f"<u>d{donor}</u>"]}
    left = np.arange(N_DONORS) != donor
    assert cards(panel) == as_written(composition_test(counts.loc[:, left], is_ill[left]))
    expect(panel.get_by_role("button", name=f"Include <u>d{donor}</u> again")).to_be_visible()
    widget.undo()
    settle(served)
    assert cards(panel) == as_written(composition_test(counts, is_ill))


def test_parts_follow_filters_and_the_selection_and_lost_cells_are_counted(
    served: ServedWidget, frame: pd.DataFrame
) -> None:
    widget, page = served.widget, served.page
    widget.state = {
        "color": "type", "open_panels": ["study"],
        "study_design": {"sample": "donor", "condition": "condition", "covariates": ["age"]},
    }  # fmt: skip
    settle(served)
    panel = page.locator("#study")
    panel.get_by_role("radio", name="Composition").click()
    widget.filters["score"] = (0, None)
    settle(served)
    passing = frame[frame["score"] >= 0]
    is_ill = np.arange(N_DONORS) < 4
    assert cards(panel) == as_written(composition_test(counts_of(passing), is_ill))
    panel.get_by_role("radio", name="Lost cells").click()
    settle(served)
    expect(panel.get_by_text(f"{len(passing):,} of {len(frame):,} cells of 8 samples are left")).to_be_visible()
    assert panel.locator(".loss .label").all_inner_texts() == [f"<u>d{i}</u>" for i in range(N_DONORS)]
    assert violations(page, "#el") == {}
    panel.get_by_role("radio", name="Covariates").click()
    settle(served)
    assert list(cards(panel)) == ["age"]
    panel.get_by_role("radio", name="Composition").click()
    panel.get_by_label("by", exact=True).select_option("")
    widget.clear_selection()
    settle(served)
    expect(panel.get_by_text("Select cells with a lasso")).to_be_visible()
    widget.select({"type": ["B"]})
    settle(served)
    expect(panel.locator(".strip-card")).to_have_count(1)
    assert reach(served, "ArrowDown", "ArrowRight").split(", ")[2].startswith("share ")
    widget.filters.clear()
    widget.clear_selection()
    settle(served)
