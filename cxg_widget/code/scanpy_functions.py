"""Functions that code in scanpy defines, in pandas, NumPy and scipy: each by name, in the order of their needs."""

from __future__ import annotations

from collections.abc import Mapping

from cxg_widget.code.script import UNPACK

NEEDS: Mapping[str, tuple[str, ...]] = {
    "pseudobulk": ("log_cpm",),
    "shares": ("between",),
    "expression": ("between", "log_cpm"),
}
"""Other functions that a function calls."""
FUNCTIONS: Mapping[str, str] = {
    "gene": """
def gene(name, layer=None):
    values = adata[:, name].X if layer is None else adata[:, name].layers[layer]
    return (values.toarray() if hasattr(values, "toarray") else np.asarray(values)).ravel()
""",
    "place": """
def place(name, axes):
    return np.asarray(adata.obsm[name if name in adata.obsm else f"X_{name}"])[:, axes]
""",
    "composition": """
def composition(values, of, within):
    codes = pd.Categorical(values)
    rows = np.where(codes.codes < 0, len(codes.categories), codes.codes)
    index = [*codes.categories, np.nan]
    n = np.bincount(rows[of & within], minlength=len(index))
    held = np.bincount(rows[within], minlength=len(index))
    if held[-1] == 0:
        index, n, held = index[:-1], n[:-1], held[:-1]
    n_of, n_all = n.sum(), held.sum()
    rest = held - n
    with np.errstate(divide="ignore", invalid="ignore"):
        odds = n * (n_all - n_of - rest) / ((n_of - n) * rest)
    p = stats.hypergeom.sf(n - 1, n_all, held, n_of)
    numbers = {"n": n, "share": n / n_of, "expected": held * n_of / n_all, "odds_ratio": odds, "p": p}
    return pd.DataFrame({**numbers, "p_adj": stats.false_discovery_control(p)}, index=index)
""",
    "unpack": UNPACK.format(n_obs="adata.n_obs"),
    "log_cpm": """
def log_cpm(sums):
    total = sums.sum(axis=1, keepdims=True)
    prior = 2 * total / total.mean()
    return np.log2((sums + prior) / (total + 2 * prior) * 1e6)
""",
    "pseudobulk": """
def pseudobulk(counts, a, b, donor, min_cells, min_donors, genes=None):
    donors = pd.Categorical(donor)
    sums = {}
    for side, of in (("a", a), ("b", b)):
        for at, name in enumerate(donors.categories):
            rows = np.flatnonzero(of & (donors.codes == at))
            if len(rows) >= min_cells:
                sums[side, name] = np.asarray(counts[rows].sum(axis=0)).ravel()
    both = {name for side, name in sums if ("a", name) in sums and ("b", name) in sums}
    is_paired = len(both) >= min_donors
    kept = {key: one for key, one in sums.items() if not is_paired or key[1] in both}
    table = np.array(list(kept.values()), dtype=float)
    values, in_a = log_cpm(table), np.array([side == "a" for side, _ in kept])
    if is_paired:
        test = stats.ttest_rel(values[in_a], values[~in_a])
    else:
        test = stats.ttest_ind(values[in_a], values[~in_a], equal_var=False)
    log2fc = values[in_a].mean(axis=0) - values[~in_a].mean(axis=0)
    numbers = {"log2fc": log2fc, "statistic": test.statistic, "p": test.pvalue}
    found = pd.DataFrame(numbers, index=adata.var_names)
    has_counts = table.any(axis=0)
    found.loc[~has_counts, ["statistic", "p"]] = np.nan
    found.loc[~has_counts, "log2fc"] = 0.0
    found = found if genes is None else found.loc[genes]
    known = found["p"].notna()
    found.loc[known, "p_adj"] = stats.false_discovery_control(found.loc[known, "p"])
    return found
""",
    "between": """
def between(values, conditions, pairs):
    found = {}
    for at, a in enumerate(conditions):
        for b in conditions[at + 1 :]:
            sides = [values.loc[:, values.columns.get_level_values(0) == one] for one in (a, b)]
            if pairs is not None:
                groups = [side.dropna(axis=1, how="all") for side in sides]
                groups = [side.T.groupby(pairs.reindex(side.columns)).mean().T for side in groups]
                both = [one for one in groups[0].columns if one in groups[1].columns]
            if pairs is not None and len(both) >= 2:
                one, other = (side[both].to_numpy() for side in groups)
                test = stats.ttest_rel(one, other, axis=1, nan_policy="omit")
                effect = np.nanmean(one - other, axis=1)
            else:
                one, other = (side.to_numpy(dtype=float) for side in sides)
                test = stats.ttest_ind(one, other, axis=1, equal_var=False, nan_policy="omit")
                effect = np.nanmean(one, axis=1) - np.nanmean(other, axis=1)
            p = pd.Series(np.ma.filled(test.pvalue, np.nan), values.index)
            p_adj = pd.Series(np.nan, values.index)
            p_adj[p.notna()] = stats.false_discovery_control(p[p.notna()])
            t = np.ma.filled(test.statistic, np.nan)
            found[a, b] = pd.DataFrame({"effect": effect, "statistic": t, "p": p, "p_adj": p_adj})
    return pd.concat(found, names=["a", "b"])


def samples(of, sample, condition, excluded, pair):
    obs = adata.obs
    names = obs[sample].astype(str)
    is_in = obs[sample].notna() & obs[condition].notna()
    several = obs[is_in].groupby(names[is_in], observed=True)[condition].nunique()
    unique = names.where(~names.map(several).gt(1), names + " (" + obs[condition].astype(str) + ")")
    is_in &= ~unique.isin(excluded)
    kept = pd.Categorical(obs[condition][is_in])
    conditions = [one for one in kept.categories if (kept == one).any()]
    keys = [obs[condition].astype(str), names]
    pairs = None if pair is None else obs[pair][is_in].groupby([one[is_in] for one in keys]).first()
    return is_in.to_numpy() & of, keys, [str(one) for one in conditions], pairs
""",
    "shares": """
def shares(column, of, method, sample, condition, excluded=(), pair=None):
    cells, keys, conditions, pairs = samples(of, sample, condition, excluded, pair)
    counts = pd.crosstab(column[cells], [one[cells] for one in keys])
    totals = counts.sum()
    is_tested = totals >= 10
    prior = 0.5 * totals / totals[is_tested].mean()
    if method == "clr":
        values = np.log2(counts + prior)
        values = values - values.mean()
    else:
        values = np.log2((counts + prior) / (totals - counts + prior))
    return between(values.loc[:, is_tested], conditions, pairs)
""",
    "expression": """
def expression(matrix, are_counts, genes, column, of, sample, condition, excluded=(), pair=None):
    cells, keys, conditions, pairs = samples(of, sample, condition, excluded, pair)
    places, parts = [adata.var_names.get_loc(name) for name in genes], {}
    for kind, rows in pd.Series(np.arange(adata.n_obs)[cells]).groupby(column[cells].to_numpy()):
        groups = rows.groupby([one.iloc[rows].to_numpy() for one in keys]).agg(list)
        groups = groups[groups.map(len) >= 10]
        if are_counts:
            sums = [np.asarray(matrix[one].sum(axis=0)).ravel() for one in groups]
            values = log_cpm(np.array(sums, dtype=float))[:, places]
        else:
            values = [np.asarray(matrix[one][:, places].mean(axis=0, dtype=float)).ravel() for one in groups]
        parts[kind] = pd.DataFrame(np.reshape(values, (-1, len(genes))).T, genes, groups.index)
    return between(pd.concat(parts).swaplevel(), conditions, pairs)
""",
}
"""The text of each function."""
