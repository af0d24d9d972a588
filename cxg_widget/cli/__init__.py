"""The commands of ``cxg-widget``, one file each: arguments and output."""

from __future__ import annotations

from cxg_widget.cli import convert, demo, inspect, replay, validate, versions

COMMANDS = (demo, inspect, validate, convert, replay, versions)
