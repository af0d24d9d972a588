"""Tables from one source: settings, options of the command line, and rows of the benchmarks."""

import argparse
import re
from dataclasses import fields
from pathlib import Path

from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from cxg_widget.cli.main import _parser
from cxg_widget.display.settings import Settings


def setup(app):
    """Register the directives."""
    app.add_directive("settings", SettingsTables)
    app.add_directive("command-line", CommandLine)
    app.add_directive("figures", Figures)
    return {"parallel_read_safe": True}


class FromText(SphinxDirective):
    """A directive that writes MyST and has it parsed."""

    def run(self):
        """Parse what `lines` returns into nodes."""
        content = StringList([line for part in self.lines() for line in part.split("\n")], "generated")
        return self.parse_text_to_nodes("\n".join(content), allow_section_headings=True)


class SettingsTables(FromText):
    """One table for each group of settings; the content is "## group", then examples of each of its settings."""

    has_content = True

    def lines(self):
        """Yield the tables; a setting without an example is an error."""
        declared = {one.name: one for one in fields(Settings)}
        examples = {}
        for line in filter(None, self.content):
            if line.startswith("## "):
                group = examples[line] = {}
            else:
                group.setdefault(re.match(r"w\.(\w+)", line)[1], []).append(line)
        if sorted(name for group in examples.values() for name in group) != sorted(declared):
            raise self.error("the content must hold each setting in one group")
        for group, names in examples.items():
            yield f"{group}\n\n| setting | default | value, and an example | undo |\n| --- | --- | --- | --- |"
            for name, lines in names.items():
                about = declared[name].metadata
                doc = about["doc"].replace("|", "\\|")
                shown = "<br>".join([doc, *(f"`{line}`" for line in lines)])
                undone = "no" if about["step"] is None else "yes"
                yield f"| [`w.{name}`]{{#setting-{name}}} | `{declared[name].default!r}` | {shown} | {undone} |"
            yield ""


class CommandLine(FromText):
    """The help of each command, beneath its examples, which are the content."""

    has_content = True

    def lines(self):
        """Yield a section a command."""
        parser = _parser()
        commands = next(one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
        for name, command in commands.choices.items():
            command.formatter_class = lambda prog: argparse.HelpFormatter(prog, width=90)
            examples = "\n".join(one for one in self.content if one.split()[1] == name)
            yield f"## cxg-widget {name}\n\n```sh\n{examples}\n```\n\n```text\n{command.format_help().rstrip()}\n```\n"


class Figures(FromText):
    """Some rows and columns of a table of benchmarks/, so that a figure stands in one file alone.

    The argument names the file. The first line is the columns, each other the first cells of a row; " | " parts them.
    """

    required_arguments = 1
    has_content = True

    def lines(self):
        """Yield the table."""
        file = Path(self.env.srcdir).parent / "benchmarks" / self.arguments[0]
        self.env.note_dependency(str(file))
        tables = file.read_text(encoding="utf-8").split("\n\n")
        rows = [
            [[cell.strip() for cell in line.strip("|").split("|")] for line in table.split("\n")] for table in tables
        ]
        columns, *wanted = [line.split(" | ") for line in self.content]
        head = ["measured", *columns]
        yield "\n".join([f"| {' | '.join(head)} |", f"| --- |{' --: |' * len(columns)}"])
        for start in wanted:
            table = next((one for one in rows if any(row[: len(start)] == start for row in one)), None)
            if table is None or not set(columns) <= set(table[0]):
                raise self.error(f"{file.name} has no row {start} with the columns {columns}")
            row = next(row for row in table if row[: len(start)] == start)
            yield f"| {', '.join(start)} | {' | '.join(row[table[0].index(one)] for one in columns)} |"
