"""Colors of a saved page: the current one, and others in use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from cxg_widget.cells.loader import Loader
from cxg_widget.display.color_target import Target, heading
from cxg_widget.display.hover_fields import MOST_FIELDS, columns_that_tell
from cxg_widget.display.settings import Settings
from cxg_widget.errors import CxgWidgetError, InvalidValue
from cxg_widget.text.names import shown


@dataclass(frozen=True)
class KeptColor:
    """One color of a page.

    settings : settings to read it with
    target : their target
    is_needed : whether the page would be incomplete without it: it is shown or was requested
    """

    settings: Settings
    target: Target
    is_needed: bool

    @property
    def key(self) -> tuple[str, str | None]:
        """Key of the color."""
        return self.target.spec, self.settings.layer if self.is_of_genes else None

    @property
    def is_of_genes(self) -> bool:
        """Whether its numbers depend on the layer."""
        return self.target.source in ("var", "set", "mean", "blend")

    def describe(self, loader: Loader) -> dict[str, Any]:
        """Return its entry for the search of a page, and its trait values."""
        target, dataset, is_list = self.target, loader.dataset, self.target.source in ("mean", "blend")
        name, detail = heading(target, dataset, self.settings.layer)
        kinds = {"mean": "set", "blend": "set", "sets": f"sets of {dataset.obs_noun.many}"}
        column = dataset.obs_columns.get(target.name) if target.source == "obs" else None
        return {
            "spec": target.spec, "label": name, "detail": detail,
            "kind": kinds.get(target.source, target.source),
            "color": list(target.genes) if is_list else target.spec or None,
            "layer": self.settings.layer, "blend": "colors" if target.source == "blend" else "mean",
            "is_int": column is not None and column.kind == "int",
        }  # fmt: skip


def kept_colors(
    loader: Loader, settings: Settings, requested: Sequence[Any] | None, opened: Iterable[str]
) -> list[KeptColor]:
    """Return the colors of a page, in the order of importance.

    These are the current color and none, those of panels, requested ones, pinned genes, columns and genes that are open
    in panels, and the fields of the tooltip.

    requested : as the trait `color` takes them; None = no others
    opened : "obs:NAME" or "var:NAME" each
    """
    if isinstance(requested, str) or not isinstance(requested, Sequence | None):
        raise InvalidValue(f'colors must be a list of names, ["cell_type", "CD3E"]; found {shown(requested)}')
    plain = replace(settings, blend="mean", hidden=(), vmin=None, vmax=None, center=None, statistic="auto")
    needed = [settings, *(settings.of_panel(one) for one in _colored_panels(settings)), replace(plain, color=None)]
    needed += [replace(plain, color=tuple(one) if isinstance(one, list) else one) for one in requested or ()]
    found: dict[object, KeptColor] = {}
    for one in needed:
        kept = KeptColor(one, loader.target(one), is_needed=True)
        found.setdefault(kept.key, kept)
    for name in _at_hand(loader, settings, opened):
        one = replace(plain, color=name)
        kept = KeptColor(one, loader.target(one), is_needed=False)
        found.setdefault(kept.key, kept)
    return list(found.values())


def tooltip_colors(loader: Loader, settings: Settings) -> list[str]:
    """Return the fields of the tooltip, as the trait `color` takes them."""
    if settings.hover is None:
        return [f"obs:{name}" for name in columns_that_tell(loader.dataset)[: MOST_FIELDS + 1]]
    return list(_known(loader, settings, settings.hover))


def _colored_panels(settings: Settings) -> list[int]:
    return [panel for panel in settings.panel_numbers if "color" in settings.look(panel)]


def _at_hand(loader: Loader, settings: Settings, opened: Iterable[str]) -> Iterator[str]:
    pinned = [f"var:{gene}" for gene in settings.pinned_genes]
    yield from _known(loader, settings, [*pinned, *opened, *tooltip_colors(loader, settings)])


def _known(loader: Loader, settings: Settings, names: Iterable[str]) -> Iterator[str]:
    """Yield the known names, forced; a gene may be missing in the current layer."""
    for name in names:
        try:
            target = loader.target(replace(settings, color=name, blend="mean"))
        except CxgWidgetError:
            continue
        yield target.spec
