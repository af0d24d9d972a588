"""`w.annotations`: label columns made by the user, as a mapping. Every edit is a change of the trait."""
# Changes with cxg_widget/annotations/log.py: steps of an annotation.

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from cxg_widget.annotations import saving
from cxg_widget.annotations.conflicts import OnConflict
from cxg_widget.annotations.labels import assigned, check_label
from cxg_widget.annotations.log import Log, Step, check_name, check_step, now
from cxg_widget.annotations.sidecar import read_annotations
from cxg_widget.datasets.base.values import Codes
from cxg_widget.display.settings import own_copy
from cxg_widget.errors import InvalidValue, SelectionError, UnknownName
from cxg_widget.session.analysis.meant import with_values
from cxg_widget.text.names import not_found, shown
from cxg_widget.text.nouns import Noun

if TYPE_CHECKING:
    import pandas as pd

    from cxg_widget.widget.widget import CxgWidget


class Annotations(Mapping[str, "Annotation"]):
    """Label columns of this widget by name, in the order in which they were made.

    `w.annotations.new("mine")` makes one, `w.annotations["mine"].assign("B cell")` labels the selected cells.
    Use it like any obs column: `w.color = "mine"`, `w.filters["mine"]`, `w.counts("mine")`,
    `w.select({"mine": "B cell"})`, `w.selection.obs("mine")`.

    Examples
    --------
    >>> w.annotations.new("mine")
    <annotation 'mine': 0 labels of 0 cells>
    >>> w.annotations["mine"].assign("killer")
    80
    >>> w.counts("mine").index.tolist()
    ['killer', nan]
    """

    def __init__(self, widget: CxgWidget, rules: list[dict[str, Any]]) -> None:
        self._widget = widget
        self._rules = rules

    @property
    def rules(self) -> list[dict[str, Any]]:
        """A copy of each annotation as JSON: {"name", "log"}.

        Examples
        --------
        >>> mine = w.annotations.new("mine")
        >>> [rule["name"] for rule in w.annotations.rules]
        ['mine']
        """
        rules: list[dict[str, Any]] = own_copy(self._rules)
        return rules

    def new(self, name: str, of: str | None = None) -> Annotation:
        """Make an annotation.

        Parameters
        ----------
        name : of the new annotation
        of : obs column or annotation whose labels it starts with; None = no labels

        Raises
        ------
        InvalidValue
            If an annotation, obs column, gene or gene set has that name, or `of` has too many distinct values.
        UnknownName
            If there is no column `of`.

        Examples
        --------
        >>> w.annotations.new("mine", of="cell_type")
        <annotation 'mine': 16 labels of 1,000 cells>
        """
        if check_name(name) in self._by_name():
            raise InvalidValue(
                f'there is an annotation {shown(name)}; w.annotations[{shown(name)}].assign("label") goes on.'
            )
        if of is None:
            log = Log()
        elif of in self._by_name():
            log = self._by_name()[of]
        else:
            column = of.removeprefix("obs:") if isinstance(of, str) else of
            n = int(np.count_nonzero(self._widget.dataset.codes(column).codes >= 0))
            log = Log([{"of": column, "n": n, "at": now()}])
        self._put({name: log})
        return self[name]

    def load(self, path: str | os.PathLike[str]) -> list[str]:
        """Load annotations from `path`, which `save` or CELLxGENE Annotate wrote; those of the same names are replaced.

        Cells are matched by the obs index. Cells that the file lacks get no label. A warning says if the file was saved
        from another dataset.

        Returns
        -------
        names of the loaded annotations

        Raises
        ------
        DatasetNotFound, InvalidStore
            If there is no such file, or it cannot be read.
        InvalidValue
            If the file has none of these cells, or a name is taken.
        MissingDependency
            If the file is Parquet, and pyarrow is not installed.

        Examples
        --------
        >>> w.annotations.new("mine").assign("killer")
        80
        >>> w.annotations.save("mine.csv")
        >>> w.annotations.load("mine.csv")
        ['mine']
        """
        found = {one["name"]: one["log"] for one in read_annotations(path, self._widget.dataset)}
        self._put(found)
        self._note_saved(found)
        return list(found)

    def save(
        self, path: str | os.PathLike[str] | None = None, into: Any = None, *, on_conflict: OnConflict = "error",
        form: Literal["xenium", "loupe"] | None = None,
    ) -> None:  # fmt: skip
        """Write all annotations to a file; `w.annotations["mine"].save` writes one.

        Existing files are replaced atomically: a crash leaves the old content.

        Parameters
        ----------
        path : new file, keyed by the obs index: .parquet or .csv, or .cxg for a CXG with the obs columns alone
        into : existing target that gets the labels as obs columns: the path of an .h5ad, an AnnData object, or "obs"
            for the AnnData object that the widget shows
        on_conflict : if the target has other labels of that name: "ours" = overwrite them, "theirs" = keep them and
            fill only cells without a label, "error" = raise
        form : layout of a .csv of one annotation: "xenium" = cell groups for Xenium Explorer (`cell_id,group`), "loupe"
            = a category for Loupe Browser (`barcode,<name>`). Cells without a label are left out

        Raises
        ------
        MergeConflict
            If the target has other labels, and `on_conflict` is "error".
        InvalidValue, InvalidOption
            If there are no annotations, the path has another suffix, or the target has other cells.
        TargetExists, TargetNotWritten
            If the path is taken by something else, the disk is full, or the path is a link: links are not followed.
        MissingDependency
            If the library that writes the format is not installed.

        Examples
        --------
        >>> w.annotations.new("mine").assign("killer")
        80
        >>> w.annotations.save("mine.csv")
        >>> w.annotations["mine"].save("groups.csv", form="xenium")
        """
        self._save(list(self), path, into, on_conflict, form)

    def _save(self, names: Sequence[str], path: Any, into: Any, on_conflict: Any, form: Any) -> None:
        self._widget._check_open()
        if form is not None:  # this file has neither the name nor the order of the labels
            saving.save_as(form, self._widget.dataset, names, path, into)
            return
        saving.save(self._widget.dataset, names, path, into, on_conflict)
        if path is not None or (isinstance(into, str | os.PathLike) and into != "obs"):  # an AnnData object is no file
            self._note_saved(names)

    def _note_saved(self, names: Iterable[str]) -> None:
        self._widget._session.saved_labels.update({name: self._log_of(name).key for name in names})
        self._widget._keeper.note_change()

    def __getitem__(self, name: str) -> Annotation:
        """Return an annotation; raises `UnknownName` if there is none of that name."""
        self._log_of(name)
        return Annotation(self, name)

    def __delitem__(self, name: str) -> None:
        """Delete an annotation; a color or filter that uses it is reset."""
        self._log_of(name)
        self._set([one for one in self._now() if one["name"] != name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name())

    def __len__(self) -> int:
        return len(self._now())

    def __eq__(self, other: object) -> bool:
        return self._rules == (other._rules if isinstance(other, Annotations) else other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "{" + ", ".join(f"{name!r}: {one!r}" for name, one in self.items()) + "}"

    def _log_of(self, name: str) -> Log:
        known = self._by_name()
        if name not in known:
            raise UnknownName(not_found("annotation", name, known, "this widget"))
        return known[name]

    def _by_name(self) -> dict[str, Log]:
        return {one["name"]: one["log"] for one in self._now()}

    def _now(self) -> list[dict[str, Any]]:
        """Return the current annotations; this object may be older than the last change."""
        rules: list[dict[str, Any]] = self._widget._kept("annotations")
        return rules

    def _put(self, logs: Mapping[str, Log]) -> None:
        self._set([{"name": name, "log": log} for name, log in {**self._by_name(), **logs}.items()])

    def _set(self, rules: list[dict[str, Any]]) -> None:
        self._widget.annotations = rules
        self._rules = self._now()


class Annotation:
    """One column of labels, as the widget holds it now.

    Attributes
    ----------
    name : name of the column

    Examples
    --------
    >>> mine = w.annotations.new("mine")
    >>> mine.assign("killer", {"cell_type": "NK cell"})
    80
    >>> mine.assign("B", "cell_type == 'naive B cell'")
    62
    >>> mine.labels
    ['killer', 'B']
    """

    def __init__(self, annotations: Annotations, name: str) -> None:
        self._annotations, self.name = annotations, name

    @property
    def labels(self) -> list[str]:
        """Labels, in their order; `w.counts(name)` counts the cells of each.

        Examples
        --------
        >>> w.annotations.new("mine", of="condition").labels
        ['control', 'IFN-beta']
        """
        return list(self._codes.categories)

    def assign(self, label: str | None, what: Any = None) -> int:
        """Label cells, replacing the label that they have.

        Parameters
        ----------
        label : text; a new label comes last in the order. None removes the labels of the cells
        what : None = the selection; else cells as `w.sets.add` takes them: the name of a set, a query,
            {obs column: values}, a mask (n_obs,), rows or obs index labels, a set, a rule or a polygon

        Returns
        -------
        number of these cells

        Raises
        ------
        SelectionError
            If nothing is selected, or `what` has no cells.
        InvalidValue
            If the label is not a text of allowed length, or there are too many labels.

        Examples
        --------
        >>> w.annotations.new("mine").assign("killer", {"cell_type": "NK cell"})
        80
        """
        widget = self._annotations._widget
        if what is None and not len(widget.selection):
            raise SelectionError(
                f"nothing is selected; select some {widget.dataset.obs_noun.many}, or say which: assign(label, what)"
            )
        cells = widget.sets._cells(with_values(what))
        label = label if label is None else check_label(label)
        after = assigned(self._codes, cells.mask, label)
        self._do({"assign": label, "rule": cells.rule, "n": len(cells)}, after)
        return len(cells)

    def rename(self, old: str, new: str) -> None:
        """Rename a label; it keeps its place.

        Raises
        ------
        UnknownName
            If there is no label `old`.
        InvalidValue
            If `new` is not a label, or exists already; `merge` joins two labels.

        Examples
        --------
        >>> mine = w.annotations.new("mine")
        >>> mine.assign("killer")
        80
        >>> mine.rename("killer", "NK")
        >>> mine.labels
        ['NK']
        """
        self._do({"rename": old, "to": check_label(new), "n": self._count([old])})

    def merge(self, labels: Sequence[str], into: str) -> None:
        """Merge several labels into one.

        `into` keeps its place if it exists; else it takes the place of the first merged label. Raises as `rename`.

        Examples
        --------
        >>> mine = w.annotations.new("mine", of="cell_type")
        >>> mine.merge(["naive B cell", "memory B cell"], into="B cell")
        >>> "B cell" in mine.labels
        True
        """
        listed = list(labels) if isinstance(labels, Iterable) and not isinstance(labels, str) else [labels]
        self._do({"merge": listed, "into": check_label(into), "n": self._count(listed)})

    def delete(self, label: str) -> None:
        """Delete a label, which leaves its cells without one; raises `UnknownName` if there is no such label.

        Examples
        --------
        >>> mine = w.annotations.new("mine", of="cell_type")
        >>> mine.delete("platelet")
        >>> "platelet" in mine.labels
        False
        """
        self._do({"delete": label, "n": self._count([label])})

    def series(self) -> pd.Series:
        """Return the labels as a categorical Series indexed by the obs index; missing labels are NaN.

        Examples
        --------
        >>> w.annotations.new("mine", of="cell_type").series().dtype.name
        'category'
        """
        self._annotations._widget._check_open()
        self._annotations._log_of(self.name)
        return self._annotations._widget.dataset.obs([self.name])[self.name]

    def log(self) -> pd.DataFrame:
        """Return the history as a DataFrame: a row per step with time (UTC), step, labels, new label, cells and rule.

        Examples
        --------
        >>> mine = w.annotations.new("mine")
        >>> mine.assign("killer")
        80
        >>> mine.log()["step"].tolist()
        ['assign']
        """
        import pandas as pd

        rows = [_step_row(own_copy(step)) for step in self._log]
        table = pd.DataFrame(rows, columns=["at", "step", "label", "to", "n", "rule"])
        return table.astype({"at": "datetime64[ns, UTC]", "n": "int64"})

    def save(
        self, path: str | os.PathLike[str] | None = None, into: Any = None, *, on_conflict: OnConflict = "error",
        form: Literal["xenium", "loupe"] | None = None,
    ) -> None:  # fmt: skip
        """Write this annotation to a file; parameters and errors as in `Annotations.save`.

        Examples
        --------
        >>> mine = w.annotations.new("mine")
        >>> mine.assign("killer")
        80
        >>> mine.save("mine.csv")
        """
        self._annotations._log_of(self.name)
        self._annotations._save([self.name], path, into, on_conflict, form)

    def __len__(self) -> int:
        """Return the number of labeled cells."""
        return int(np.count_nonzero(self._codes.codes >= 0))

    def __repr__(self) -> str:
        noun = self._annotations._widget.dataset.obs_noun
        labels = Noun("label", "labels").counted(len(self.labels))
        return f"<annotation {self.name!r}: {labels} of {noun.counted(len(self))}>"

    @property
    def _log(self) -> Log:
        return self._annotations._log_of(self.name)

    @property
    def _codes(self) -> Codes:
        return self._annotations._widget._session.loader.replay.codes(self._log)

    def _count(self, labels: Sequence[str]) -> int:
        codes = self._codes
        wanted = [code for code, label in enumerate(codes.categories) if label in labels]
        return int(np.isin(codes.codes, wanted).sum())

    def _do(self, step: Step, after: Codes | None = None) -> None:
        log = self._log.after(check_step({**step, "at": now()}, len(self._log)))
        if after is not None:
            self._annotations._widget._session.loader.replay.know(log, after)
        self._annotations._put({self.name: log})


def _step_row(step: Step) -> tuple[Any, ...]:
    form = next(word for word in ("of", "codes", "assign", "rename", "merge", "delete") if word in step)
    label = step["categories"] if form == "codes" else step[form]
    return step["at"], form, label, step.get("to", step.get("into")), step.get("n", 0), step.get("rule")
