"""The panel of a study of a real widget: a hand declares it, points are samples, numbers are pandas' and SciPy's."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
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


def begin(served: ServedWidget, part: str, **state: Any) -> Any:
    """Show a part of the study by type of all cells, and return the panel."""
    served.widget.clear_selection()
    served.widget.state = {
        "color": "type", "open_panels": ["study"], "pinned_genes": ["G1"],
        "study_design": {"sample": "donor", "condition": "condition", "covariates": ["age"]}, **state,
    }  # fmt: skip
    settle(served)
    panel = served.page.locator("#study")
    panel.get_by_role("radio", name="Composition").click()
    panel.get_by_label("by", exact=True).select_option("type")
    panel.get_by_label("of", exact=True).select_option("filter")
    panel.get_by_role("radio", name=part).click()
    settle(served)
    return panel


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


def log_cpm(frame: pd.DataFrame, x: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
    """Return log2 counts per million of the cells of a type, as edgeR's cpm(log=TRUE), and whether a donor is ill.

    (n_donors, n_genes), and bool (n_donors,), of the donors with 10 cells of the type or more
    """
    is_type = (frame["type"] == code).to_numpy()
    by = frame["donor"].to_numpy()[is_type]
    sums = pd.DataFrame(x[is_type].astype(float)).groupby(by).sum()[np.unique(by, return_counts=True)[1] >= 10]
    total = sums.to_numpy().sum(axis=1, keepdims=True)
    prior = 2 * total / total.mean()
    return np.log2((sums.to_numpy() + prior) / (total + 2 * prior) * 1e6), (sums.index < 4)


def gene_tests(values: np.ndarray, is_ill: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return p of SciPy's Welch test of each gene, and its difference of means."""
    p = stats.ttest_ind(values[is_ill], values[~is_ill], equal_var=False).pvalue
    return p, values[is_ill].mean(axis=0) - values[~is_ill].mean(axis=0)


def numbers_of_fields(panel: Any) -> dict[str, int]:
    """Return the numbers of the table of genes that differ, by type."""
    rows = panel.locator(".differences tbody tr").all()
    return {one.locator(".label").inner_text(): int(one.locator(".count-of").inner_text()) for one in rows}


def as_written(test: pd.DataFrame) -> dict[str, tuple[str, str]]:
    order = test["effect"].abs().sort_values(ascending=False).index
    return {TYPES[i]: written(test["effect"][i], test["p_adj"][i]) for i in order}


def written(effect: float, p_adj: float) -> tuple[str, str]:
    """Return both as on a card."""
    p = f"p_adj {float(f'{p_adj:.2g}'):g}".replace("e-0", "e-")
    return f"log2 {effect:+.2f}".replace("-", "\u2212"), p


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
    panel = begin(served, "Composition")
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


def test_expression_and_genes_that_differ_are_those_of_numpy_and_scipy_and_a_field_opens_its_table_and_volcano(
    served: ServedWidget, frame: pd.DataFrame
) -> None:
    widget, page = served.widget, served.page
    panel, x = begin(served, "Expression", pinned_genes=["G1", "G20"]), widget.dataset._x
    tested = [gene_tests(*log_cpm(frame, x, code)) for code in range(len(TYPES))]
    rows = [(gene, code) for gene in (1, 20) for code in range(len(TYPES))]
    p_adj = stats.false_discovery_control([tested[code][0][gene] for gene, code in rows])
    effect = [tested[code][1][gene] for gene, code in rows]
    wanted = {f"G{gene} {TYPES[code]}": written(effect[i], p_adj[i]) for i, (gene, code) in enumerate(rows)}
    assert cards(panel) == wanted
    expect(panel.locator(".what")).to_contain_text("Log2 counts per million of each gene in each sample and type")
    expect(panel.locator(".what")).to_contain_text("n = 4 <b>ill</b>, 4 well samples; Welch's t-test")

    panel.get_by_role("radio", name="Differences").click()
    settle(served)
    counts = found_in("Differences", frame, x)
    assert numbers_of_fields(panel) == counts
    assert list(numbers_of_fields(panel).values()) == sorted(counts.values(), reverse=True)
    assert violations(page, "#el") == {}
    first = next(iter(numbers_of_fields(panel)))
    panel.locator(".count-of").first.click()
    settle(served)
    compare = page.locator("#compare")
    expect(compare.get_by_text(f"{first} <b>ill</b> (4 donors")).to_be_visible()
    expect(compare.locator(".volcano")).to_be_visible()
    p, difference = tested[TYPES.index(first)]
    adjusted = stats.false_discovery_control(p)
    n = int(((adjusted <= 0.05) & (np.abs(difference) >= 1)).sum())
    expect(compare.get_by_text(f"{n} of {N_GENES} genes")).to_be_visible()
    found = widget._session.comparisons._made.found.frame().loc[[f"G{i}" for i in range(N_GENES)]]
    np.testing.assert_allclose(found["p"], p, rtol=1e-6)
    np.testing.assert_allclose(found["p_adj"], adjusted, rtol=1e-6)
    page.locator("#compare").get_by_role("button", name="Close").click()
    settle(served)


def drag_lasso(served: ServedWidget) -> None:
    """Draw a lasso around the cells of A and B, and most of those of C."""
    served.widget.tool = "lasso"
    settle(served)
    left, top, width, height = served.plot(0)
    served.page.mouse.move(left + 2, top + 2)
    served.page.mouse.down()
    right = left + width / 2 + 60
    for x, y in ((right, top + 2), (right, top + height - 8), (left + 2, top + height - 8)):
        served.page.mouse.move(x, y, steps=2)
    served.page.mouse.up()


def filter_scores(served: ServedWidget) -> None:
    served.widget.filters["score"] = (-0.5, None)


def take_set(served: ServedWidget) -> None:
    served.widget.select("late")


def shown(panel: Any, part: str) -> Any:
    """Return the numbers of a part as written."""
    if part == "Differences":
        return numbers_of_fields(panel)
    if part == "Lost cells":
        return [one.split(" / ")[0] for one in panel.locator(".loss .amount").all_inner_texts()]
    return cards(panel)


def found_in(part: str, frame: pd.DataFrame, x: np.ndarray) -> Any:
    """Return what NumPy and SciPy find in some cells, as `shown`."""
    if part == "Lost cells":
        return [f"{n:,}" for n in frame["donor"].value_counts().reindex(range(N_DONORS), fill_value=0)]
    if part == "Composition":
        return as_written(composition_test(counts_of(frame), np.unique(frame["donor"]) < 4))
    names = [TYPES[code] for code in np.unique(frame["type"])]
    tested = [gene_tests(*log_cpm(frame, x, code)) for code in range(len(names))]
    if part == "Differences":
        n = [int((stats.false_discovery_control(p) < 0.05).sum()) for p, _ in tested]
        return dict(zip(names, n, strict=True))
    p_adj = stats.false_discovery_control([p[1] for p, _ in tested])
    return {f"G1 {names[i]}": written(effect[1], p_adj[i]) for i, (_, effect) in enumerate(tested)}


def test_each_part_follows_a_lasso_a_filter_and_a_set_and_no_change_of_colors(
    served: ServedWidget, frame: pd.DataFrame
) -> None:
    widget = served.widget
    panel = begin(served, "Composition")
    widget.sets.add("late", {"donor": [f"<u>d{i}</u>" for i in (1, 2, 3, 5, 6, 7)]})
    for part in ("Composition", "Expression", "Differences", "Lost cells"):
        panel.get_by_role("radio", name=part).click()
        seen = []
        for change, within in ((filter_scores, "filter"), (drag_lasso, "selection"), (take_set, "selection")):
            change(served)
            panel.get_by_label("of", exact=True).select_option(within)
            settle(served)
            mask = widget.filters.mask if within == "filter" else widget.selection.mask
            seen.append(shown(panel, part))
            assert seen[-1] == found_in(part, frame[mask], widget.dataset._x[mask]), f"{part}: {change.__name__}"
            widget.filters.clear()
        assert seen[0] != seen[1] != seen[2]
        widget.clear_selection()
    settle(served)
    parts = [kind for kind, *_ in served.said if kind == "study_part"]
    widget.color = "condition"
    settle(served)
    assert [kind for kind, *_ in served.said if kind == "study_part"] == parts


def test_a_pass_can_be_cancelled_and_started_again(served: ServedWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    page, dataset = served.page, served.widget.dataset
    panel = begin(served, "Composition")
    panel.get_by_label("by", exact=True).select_option("")  # whose sums are not kept
    settle(served)
    gate, columns_of = Event(), dataset.columns_of

    def in_parts(positions: Any = None, *args: Any, **more: Any) -> Iterator[Any]:
        for at, some in enumerate(np.array_split(np.arange(N_GENES) if positions is None else positions, 4)):
            yield from columns_of(some, *args, **more)
            # The second part is read ahead; some genes are read before to judge the values.
            if positions is None and at > 0:
                gate.wait(20)

    monkeypatch.setattr(dataset, "columns_of", in_parts)
    with monkeypatch.context() as patch:
        # The page goes on while the kernel reads.
        patch.setattr(served, "_flushed", served.taken)
        panel.get_by_role("radio", name="Differences").click()
        cancel = panel.get_by_role("button", name="Cancel")
        while cancel.count() == 0:
            page.evaluate("take", served.taken())
        expect(panel.get_by_text("Reading genes 10 of 40, 25")).to_be_visible()
        cancel.click()
        expect(panel.get_by_role("button", name="Compute")).to_be_visible()
    gate.set()
    settle(served)
    expect(panel.get_by_role("button", name="Compute")).to_be_visible()
    assert panel.get_by_role("alert").count() == 0
    panel.get_by_role("button", name="Compute").click()
    settle(served)
    expect(panel.locator(".count-of")).to_have_count(1)


def test_keys_alone_reach_all_five_parts_at_600_px_in_the_dark_where_none_overflows_and_axe_finds_nothing(
    served: ServedWidget,
) -> None:
    widget, page = served.widget, served.page
    panel = begin(served, "Composition")
    widget.open_panels = []
    page.set_viewport_size({"width": 600, "height": 1000})
    page.evaluate("() => Object.assign(document.body.style, { background: '#16181d', color: '#e6e6e6' })")
    settle(served)

    def focused() -> str:
        return str(page.evaluate("() => document.querySelector('#el > *').shadowRoot.activeElement?.ariaLabel ?? ''"))

    page.locator("[role=application]").first.focus()
    page.keyboard.press("y")
    settle(served)
    for name in ("Composition", "Expression", "Differences", "Covariates", "Lost cells"):
        if name != "Composition":
            page.keyboard.press("ArrowRight")
            settle(served)
        expect(panel.get_by_role("radio", name=name)).to_be_focused()
        expect(panel.get_by_role("radio", name=name)).to_be_checked()
        assert violations(page, "#el") == {}, name
        wide = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], name
        inside = panel.evaluate(
            "(one) => [...one.querySelectorAll('.answer, .study-bar, .strip-sheet, .differences, .losses')]"
            ".filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.className)"
        )
        assert inside == [], name

    # From the part to its fields, and back: Enter opens a field, Delete excludes a sample, undo takes it back.
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    settle(served)
    for _ in range(6):
        page.keyboard.press("Tab")
        if "differ" in focused():
            break
    assert "<b>ill</b> against well: " in focused()
    page.keyboard.press("ArrowDown")
    served.settle()
    assert focused().startswith(list(numbers_of_fields(panel))[1])
    page.keyboard.press("Enter")
    settle(served)
    assert set(widget.open_panels) == {"compare", "study"}
    panel.get_by_role("radio", name="Differences").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    settle(served)
    for _ in range(6):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.querySelector('#el > *').shadowRoot.activeElement?.dataset.lane") == "-1":
            break
    for key in ("ArrowDown", "ArrowRight", "Delete"):
        page.keyboard.press(key)
        served.settle()
    settle(served)
    assert len(widget.study_design["excluded"]) == 1
    page.keyboard.press("Control+z")
    settle(served)
    assert widget.study_design["excluded"] == []
    assert violations(page, "#el") == {}
