"""Traits of the widget: a view of the session's settings, and traits that only the page needs."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from cxg_widget.color.colormap_lookup import as_synced
from cxg_widget.display.settings import SETTINGS, STATE, Setting, Settings, own_copy
from cxg_widget.errors import InvalidOption
from cxg_widget.text.names import misspelt
from cxg_widget.widget.annotations import Annotations
from cxg_widget.widget.filters import Filters
from cxg_widget.widget.panels import Panels
from cxg_widget.widget.sets import Sets
from cxg_widget.widget.table import Table

if TYPE_CHECKING:
    from cxg_widget.session.session import Session


class _Trait(traitlets.Any):
    """A trait that reads and changes one of the session's settings, and holds no value itself."""

    name: str

    def kept(self, obj: Any) -> Any:
        """Return the value itself, which must not be changed."""
        requested = obj._held_back.requested
        value = (
            requested[self.name] if requested and self.name in requested else getattr(obj._session.settings, self.name)
        )
        return _listed(value)

    def get(self, obj: Any, cls: Any = None) -> Any:  # noqa: ARG002
        """Return a copy of the value, which the caller may change."""
        return own_copy(self.kept(obj))

    def set(self, obj: Any, value: Any) -> None:
        """Request a value: now, or when the block that sets several values ends."""
        value = self.plain(value)
        if obj._held_back.requested is None:
            obj._ask({self.name: value})
        else:
            obj._held_back.requested[self.name] = value

    def plain(self, value: Any) -> Any:
        """Return a value without its wrapper object."""
        return value


class HeldBack(threading.local):
    """Values set together, per thread; None = each value is requested at once."""

    requested: dict[str, Any] | None = None


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _trait_of(setting: Setting) -> Any:
    default = list(setting.default) if isinstance(setting.default, tuple) else setting.default
    trait = _Trait(default, help=setting.doc)
    return trait.tag(sync=True) if setting.is_synced else trait


def _name_of(statistic: Any, _: Any) -> str:
    return statistic if isinstance(statistic, str) else repr(statistic)


def _of_name(name: Any, widget: Any) -> Any:
    """Return the current object if the page sends back its name."""
    return widget.statistic if name == _name_of(widget.statistic, widget) else name


def _of_stops(cmap: Any, widget: Any) -> Any:
    """Return the current colormap if the page sends back its colors."""
    return widget.cmap if cmap == as_synced(widget.cmap) else cmap


def _look_of(look: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a panel as the page has them."""
    return {**look, "cmap": as_synced(look["cmap"])} if "cmap" in look else look


class _RulesTrait(_Trait):
    """Rules, which users see as a mapping."""

    def __init__(self, mapping: type[Annotations | Filters | Sets], **more: Any) -> None:
        super().__init__([], **more)
        self._mapping = mapping

    def plain(self, value: Any) -> Any:
        """Return the rules of a mapping of this or another widget."""
        return value._rules if isinstance(value, self._mapping) else value

    def get(self, obj: Any, cls: Any = None) -> Annotations | Filters | Sets:  # noqa: ARG002
        """Return the mapping of the rules."""
        return self._mapping(obj, self.kept(obj) or [])


class _PanelsTrait(_Trait):
    """Settings of panels, which users see as a list of panels."""

    def plain(self, value: Any) -> Any:
        """Return the settings of panels of this or another widget."""
        return value._looks if isinstance(value, Panels) else value

    def get(self, obj: Any, cls: Any = None) -> Panels:  # noqa: ARG002
        """Return the panels."""
        return Panels(obj, self.kept(obj) or [])


class _TableTrait(_Trait):
    """Setting of the table, which users see as an object."""

    def plain(self, value: Any) -> Any:
        """Return the setting of a table of this or another widget."""
        return value.setting.as_json() if isinstance(value, Table) else value

    def get(self, obj: Any, cls: Any = None) -> Table:  # noqa: ARG002
        """Return the table object."""
        return Table(obj, self.kept(obj))


_TRAITS = {one.name: _trait_of(one) for one in SETTINGS}
_TRAITS["cmap"].tag(to_json=lambda cmap, _: as_synced(cmap), from_json=_of_stops)
_TRAITS["annotations"] = _RulesTrait(Annotations, help=_TRAITS["annotations"].help)
_TRAITS["sets"] = _RulesTrait(Sets, help=_TRAITS["sets"].help)
_TRAITS["filters"] = _RulesTrait(Filters, help=_TRAITS["filters"].help).tag(
    sync=True, to_json=lambda filters, _: filters._rules, from_json=lambda rules, _: rules
)
_TRAITS["table"] = _TableTrait(None, help=_TRAITS["table"].help).tag(
    sync=True, to_json=lambda table, _: table.setting.as_json(), from_json=lambda setting, _: setting
)
_TRAITS["panels"] = _PanelsTrait([], help=_TRAITS["panels"].help).tag(
    sync=True, to_json=lambda panels, _: [_look_of(one) for one in panels.looks], from_json=lambda looks, _: looks
)
_TRAITS["statistic"].tag(to_json=_name_of, from_json=_of_name)


class WidgetTraits(anywidget.AnyWidget):
    """The traits: one for each of `display.settings.SETTINGS`.

    Raises
    ------
    InvalidOption
        If an attribute with nearly the name of a trait is set: `w.colour = "CD3E"` would have no effect otherwise.
    """

    locals().update(_TRAITS)
    _session: Session
    _held_back: HeldBack
    n_selected = traitlets.Int(0, read_only=True, help="number of selected cells").tag(sync=True)
    steps = traitlets.Dict(
        {"undo": "", "redo": "", "n": 0},
        read_only=True,
        help="what undo() and redo() change; n: another after each step",
    ).tag(sync=True)
    _snapshot = traitlets.Dict(help="the last picture, for a notebook without a kernel").tag(
        sync=True, echo_update=False
    )

    def __setattr__(self, name: str, value: Any) -> None:
        meant = None if name.startswith("_") or hasattr(type(self), name) else misspelt(name, STATE)
        if meant is not None:
            raise InvalidOption(f"CxgWidget has no trait {name!r}. Did you mean {meant!r}?")
        super().__setattr__(name, value)

    def _kept(self, name: str) -> Any:
        """Return the value of a setting itself, which must not be changed; `getattr` returns a copy."""
        return getattr(type(self), name).kept(self)

    @contextmanager
    def hold_trait_notifications(self) -> Iterator[None]:
        """Apply all settings of the block at once, or none of them if one is invalid."""
        is_outermost = self._held_back.requested is None
        with super().hold_trait_notifications(), self._hold_back() as requested:
            yield
        if is_outermost and requested:
            self._ask(requested)

    @contextmanager
    def _hold_back(self) -> Iterator[dict[str, Any]]:
        """Collect the settings that this thread sets within the block, without applying them."""
        before = self._held_back.requested
        self._held_back.requested = {} if before is None else before
        try:
            yield self._held_back.requested
        finally:
            self._held_back.requested = before

    def _ask(self, requested: dict[str, Any]) -> None:
        """Change settings and all that depends on them."""
        raise NotImplementedError

    def _tell_page(self, names: Iterable[str]) -> None:
        """Send changed settings to the page, as ipywidgets does, except those that the page itself has just set."""
        if self.comm is None or getattr(self.comm, "kernel", True) is None:
            return
        for name in names:
            if name in self.keys and self._should_send_property(name, getattr(self, name)):
                self.send_state(name)

    def _notify(self, before: Settings, now: Settings, names: Iterable[str]) -> None:
        """Notify observers of settings with copies of old and new values; raise the first error at the end."""
        errors = []
        observed = names if traitlets.All in self._trait_notifiers else [*self._trait_notifiers]
        for name in [one for one in names if one in observed]:
            old, new = (own_copy(_listed(getattr(one, name)), packs=False) for one in (before, now))
            described = traitlets.Bunch(name=name, old=old, new=new, owner=self, type="change")
            try:
                self._notify_observers(described)
            except Exception as error:  # an error of the user's observer must not keep the change from the others
                errors.append(error)
        if errors:
            raise errors[0]
