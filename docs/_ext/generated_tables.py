"""Tables that the package declares: its settings, and the options of the command line."""

import argparse
from dataclasses import fields

from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from cxg_widget.cli.main import _parser
from cxg_widget.display.settings import Settings

GROUPS = {
    "Data and groups": "embedding axes color layer filters hidden filtered sets annotations gene_sets pinned_genes "
    "panels",
    "Colors and points": "cmap palette vmin vmax limits center scale zero blend point_size opacity",
    "Over the plot": "labels contours difference tissue tissue_opacity hover",
    "View and page": "view views tool wheel_zoom height panel_width open_panels table",
    "Many cells": "render max_points statistic density aggregator",
    "Saved pictures": "legend background",
}


def setup(app):
    """Register the directives `settings` and `command-line`."""
    app.add_directive("settings", SettingsTables)
    app.add_directive("command-line", CommandLine)
    return {"parallel_read_safe": True}


class FromText(SphinxDirective):
    """A directive that writes MyST and has it parsed."""

    def run(self):
        """Parse what `lines` returns into nodes."""
        content = StringList([line for part in self.lines() for line in part.split("\n")], "generated")
        return self.parse_text_to_nodes("\n".join(content), allow_section_headings=True)


class SettingsTables(FromText):
    """One table for each group of settings."""

    def lines(self):
        """Yield the tables; a setting that stands in no group is an error."""
        declared = {one.name: one for one in fields(Settings)}
        grouped = [name for names in GROUPS.values() for name in names.split()]
        if sorted(grouped) != sorted(declared):
            raise self.error(f"settings without a group, or unknown: {sorted(set(grouped) ^ set(declared))}")
        for group, names in GROUPS.items():
            yield f"## {group}\n\n| setting | default | value | undo |\n| --- | --- | --- | --- |"
            for name in names.split():
                about = declared[name].metadata
                default = declared[name].default
                doc = about["doc"].replace("|", "\\|")
                undone = "no" if about["step"] is None else "yes"
                yield f"| [`w.{name}`]{{#setting-{name}}} | `{default!r}` | {doc} | {undone} |"
            yield ""


class CommandLine(FromText):
    """The help of each command."""

    def lines(self):
        """Yield a section a command."""
        parser = _parser()
        commands = next(one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
        for name, command in commands.choices.items():
            command.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=90)
            yield f"## cxg-widget {name}\n\n```text\n{command.format_help().rstrip()}\n```\n"
