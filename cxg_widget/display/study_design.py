"""The setting `study_design`: obs columns of samples, conditions and covariates, and the excluded samples."""
# Changes with cxg_widget/widget/studying.py: the design of a study.
# Changes with cxg_widget/wire/messages/study.py: the design of a study.
# Changes with js/src/panels/study/design_form.js: the design of a study.

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cxg_widget.errors import InvalidValue, UnknownName
from cxg_widget.text.names import not_found, shown, text_of, without_prefix

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset
    from cxg_widget.display.settings import Settings

MOST_COVARIATES = 20
MOST_EXCLUDED = 1_000


@dataclass(frozen=True)
class StudyDesign:
    """The design of a study: names of obs columns.

    sample : column whose values are samples, usually donors; condition : column of their conditions
    covariates : other columns with one value per sample
    pair : column whose values pair samples of two conditions, such as the donor; None = no pairs
    excluded : names of excluded samples
    """

    sample: str
    condition: str
    covariates: tuple[str, ...] = ()
    pair: str | None = None
    excluded: tuple[str, ...] = ()

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> StudyDesign:
        """Return the design of a checked value of the setting."""
        lists = {name: tuple(value[name]) for name in ("covariates", "excluded")}
        return cls(value["sample"], value["condition"], lists["covariates"], value["pair"], lists["excluded"])

    def as_json(self) -> dict[str, Any]:
        """Return the value of the setting."""
        return {
            "sample": self.sample,
            "condition": self.condition,
            "covariates": list(self.covariates),
            "pair": self.pair,
            "excluded": list(self.excluded),
        }

    def columns(self) -> list[str]:
        """Return all columns of the design, each once."""
        named = [self.sample, self.condition, *self.covariates, *([] if self.pair is None else [self.pair])]
        return list(dict.fromkeys(named))


def check_design(value: Any, dataset: Dataset, _: Settings | None = None) -> dict[str, Any] | None:
    """Return the normalized setting `study_design`; reads nothing."""
    value = value.as_json() if isinstance(value, StudyDesign) else value
    if value is None:
        return None
    known = tuple(StudyDesign.__dataclass_fields__)
    if not isinstance(value, Mapping):
        raise InvalidValue(f"study_design must be a dict with {', '.join(known)}, or None; found {shown(value)}")
    for name in value:
        if name not in known:
            raise UnknownName(not_found("part of study_design", name, known, "w.study()"))
    if not value.get("sample") or not value.get("condition"):
        raise InvalidValue(
            "a study needs columns of samples and conditions, as study(sample='donor_id', condition='disease'); "
            f"found sample={shown(value.get('sample'))}, condition={shown(value.get('condition'))}"
        )
    pair = value.get("pair")
    design = StudyDesign(
        _column(value["sample"], dataset, of_groups=True),
        _column(value["condition"], dataset, of_groups=True),
        tuple(_column(one, dataset) for one in _listed("covariates", value.get("covariates", ()), MOST_COVARIATES)),
        None if pair is None else _column(pair, dataset, of_groups=True),
        tuple(text_of(one) for one in _listed("excluded", value.get("excluded", ()), MOST_EXCLUDED)),
    )
    if design.sample == design.condition:
        raise InvalidValue(
            f"sample and condition of a study must be different columns; both are {shown(design.sample)}"
        )
    return design.as_json()


def _column(name: Any, dataset: Dataset, *, of_groups: bool = False) -> str:
    """Return the name of an obs column; of_groups : whether it must be a column of categories or integers."""
    name = without_prefix(name, dataset.obs_columns)
    if not isinstance(name, str) or name not in dataset.obs_columns:
        raise UnknownName(not_found("obs column", name, dataset.obs_columns))
    if of_groups and dataset.obs_columns[name].kind == "float":
        raise InvalidValue(f"samples, conditions and pairs are categories; obs column {shown(name)} holds numbers")
    return name


def _listed(name: str, value: Any, most: int) -> list[Any]:
    value = value.tolist() if hasattr(value, "tolist") else value
    value = [value] if isinstance(value, str) else value
    if not isinstance(value, Iterable) or isinstance(value, Mapping):
        raise InvalidValue(f"{name} of a study must be a list of names; found {shown(value)}")
    found = list(dict.fromkeys(value))
    if len(found) > most:
        raise InvalidValue(f"{name} of a study must be up to {most:,} names; found {len(found):,}")
    return found


def without_columns(value: Mapping[str, Any] | None, names: Collection[str]) -> dict[str, Any] | None:
    """Return the setting without deleted columns; None if its samples or conditions are gone."""
    if value is None or value["sample"] in names or value["condition"] in names:
        return None
    covariates = [one for one in value["covariates"] if one not in names]
    return {**value, "covariates": covariates, "pair": None if value["pair"] in names else value["pair"]}
