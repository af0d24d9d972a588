"""The log of an annotation, as in a state: each step as JSON, validated."""
# Changes with cxg_widget/annotations/colors.py and cxg_widget/annotations/labels.py: steps of an annotation.
# Changes with cxg_widget/annotations/replay.py and cxg_widget/display/annotated.py: steps of an annotation.
# Changes with cxg_widget/code/annotation_steps.py: steps of an annotation.
# Changes with cxg_widget/widget/annotations.py and cxg_widget/widget/annotation_edits.py: steps of an annotation.
# Changes with cxg_widget/wire/messages/annotations.py: steps of an annotation.
# Changes with js/src/panels/annotations/label_rows.js: steps of an annotation.

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from cxg_widget.annotations.labels import MOST_LABELS, check_label
from cxg_widget.errors import InvalidValue
from cxg_widget.rules.forms import MOST_ROWS, check_rule, within
from cxg_widget.text.names import BROKEN, shown
from cxg_widget.text.nouns import GENE_SET

if TYPE_CHECKING:
    from cxg_widget.datasets.base.dataset import Dataset

Step = Mapping[str, Any]
MOST_ANNOTATIONS = 100
MOST_STEPS = 100_000
_LONGEST = 200
_FORCED = ("obs:", "var:", "set:", "sets:")
_KEYS = {
    "of": {"n"}, "assign": {"rule", "n"}, "rename": {"to", "n"}, "merge": {"into", "n"}, "delete": {"n"},
    "codes": {"categories", "ordered", "n_obs", "identity", "n"},
}  # fmt: skip
_FORMS = (
    "a step is one of {of, n}, {assign, rule, n}, {rename, to, n}, {merge, into, n}, {delete, n}, "
    "{codes, categories, ordered, n_obs, identity, n}, each with {at}"
)


class Log(list[Step]):
    """The steps of an annotation in order; immutable, `after` returns a longer one."""

    @cached_property
    def keys(self) -> tuple[bytes, ...]:
        """Keys of the first 0, 1, 2, ... steps."""
        return self._keys_from((b"",))

    @property
    def key(self) -> str:
        """Key of its labels, as text; each step changes it."""
        return self.keys[-1][:16].hex()

    def after(self, step: Step) -> Log:
        """Return this log with one more step."""
        longer = Log([*self, step])
        longer.__dict__["keys"] = longer._keys_from(self.keys)
        return longer

    def _keys_from(self, known: tuple[bytes, ...]) -> tuple[bytes, ...]:
        keys = list(known)
        for step in self[len(known) - 1 :]:
            keys.append(sha256(keys[-1] + json.dumps(step, sort_keys=True).encode()).digest())
        return tuple(keys)


def now() -> str:
    """Return the current time as ISO 8601, UTC, whole seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def check_name(name: Any) -> str:
    """Return the name of an annotation; raises `InvalidValue` if it is invalid."""
    is_text = isinstance(name, str) and bool(name.strip()) and len(name) <= _LONGEST and not BROKEN.search(name)
    if not is_text or name.startswith(_FORCED) or name == "sets":
        forced = ", ".join(_FORCED)
        raise InvalidValue(
            f"the name of an annotation is a text of at most {_LONGEST} letters that does not begin with {forced}, "
            f"and is not 'sets', which colors by sets; found {shown(name)}"
        )
    return str(name)


def check_free(name: str, dataset: Dataset, gene_sets: Iterable[str] = ()) -> None:
    """Raise `InvalidValue` if the store or a gene set has the name of an annotation."""
    stored = name in dataset.obs_columns and name not in dataset.own_columns
    taken = {
        "an obs column": stored or name in (dataset.obs_index, dataset.index_name("obs")),
        dataset.var_noun.a: dataset.names_in(None).has_var(name),
        (dataset.set_noun or GENE_SET).a: name in dataset.gene_sets or name in gene_sets,
    }
    for what, is_taken in taken.items():
        if is_taken:
            raise InvalidValue(f"{shown(name)} is {what} already; choose another name for the annotation.")


def check_annotations(value: Any) -> list[dict[str, Any]]:
    """Return annotations as {"name", "log"}, validated without a dataset; no rule is evaluated.

    value : such a list from a state, an object with `rules`, or None
    """
    value = getattr(value, "rules", value)
    if value is None:
        return []
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        raise InvalidValue(f"annotations must be a list of {{name, log}}; found {shown(value)}")
    found = [_check_annotation(one) for one in value]
    names = {one["name"] for one in found}
    if len(names) < len(found) or len(found) > MOST_ANNOTATIONS:
        raise InvalidValue(
            f"at most {MOST_ANNOTATIONS} annotations with distinct names are allowed; "
            f"found {len(found)} with {len(names)} names"
        )
    return found


def _check_annotation(one: Any) -> dict[str, Any]:
    if not isinstance(one, Mapping) or set(one) != {"name", "log"} or not isinstance(one["log"], list | tuple):
        raise InvalidValue(f"an annotation is {{name, log}}, its log a list of steps; found {shown(one)}")
    name, log = check_name(one["name"]), one["log"]
    if len(log) > MOST_STEPS:
        raise InvalidValue(f"a log has at most {MOST_STEPS:,} steps; that of {shown(name)} has {len(log):,}")
    if isinstance(log, Log):  # it has been checked
        return {"name": name, "log": log}
    return {"name": name, "log": Log(check_step(step, number) for number, step in enumerate(log))}


def check_step(step: Any, number: int) -> Step:
    """Return a step that follows `number` others; raises `InvalidValue` if it is invalid."""
    forms = [form for form in _KEYS if isinstance(step, Mapping) and form in step]
    if len(forms) != 1 or set(step) != {forms[0], "at"} | _KEYS[forms[0]]:
        raise InvalidValue(f"{_FORMS}; found {shown(step)}")
    form = forms[0]
    plain: dict[str, Any] = dict(step)
    _check_time(plain["at"])
    if "n" in plain and (type(plain["n"]) is not int or not 0 <= plain["n"] < MOST_ROWS):
        raise InvalidValue(f"n of a step is a whole number from 0 to {MOST_ROWS - 1:,}; found {shown(plain['n'])}")
    if form in ("of", "codes") and number:
        raise InvalidValue(f"only the first step may hold labels of a column or codes; found them in step {number + 1}")
    if form == "of" and not isinstance(plain["of"], str):
        raise InvalidValue(f"{{of}} names an obs column; found {shown(plain['of'])}")
    if form == "codes":
        return _check_codes(plain)
    labels = plain["merge"] if form == "merge" else [plain[form]]
    if not isinstance(labels, list | tuple) or not labels:
        raise InvalidValue(f"{{merge}} lists labels; found {shown(labels)}")
    for label in [*labels, *(plain[key] for key in ("to", "into") if key in plain)]:
        if not (form == "assign" and label is None):
            check_label(label)
    if form == "merge":
        plain["merge"] = list(labels)
    if form == "assign":
        plain["rule"] = check_rule(plain["rule"])
        if any("set" in inner for inner, _ in within(plain["rule"])):
            raise InvalidValue("the rule of a step refers to a set; write out the rule of that set instead.")
    return plain


def _check_time(at: Any) -> None:
    try:
        moment = datetime.fromisoformat(at)
    except (TypeError, ValueError):
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidValue(f"at is the time of a step, as '2026-01-31T12:00:00+00:00'; found {shown(at)}")


def _check_codes(step: dict[str, Any]) -> Step:
    labels = step["categories"]
    if not isinstance(labels, Sequence) or isinstance(labels, str) or len(labels) > MOST_LABELS:
        raise InvalidValue(f"categories list at most {MOST_LABELS:,} labels; found {shown(labels)}")
    step["categories"] = [check_label(label) for label in labels]
    are_texts = isinstance(step["codes"], str) and isinstance(step["identity"], str)
    if len(set(labels)) < len(labels) or not are_texts or type(step["n_obs"]) is not int or step["n_obs"] < 0:
        raise InvalidValue(f"{_FORMS}; found {shown(step)}")
    if not isinstance(step["ordered"], bool):
        raise InvalidValue(f"ordered must be True or False; found {shown(step['ordered'])}")
    return step
