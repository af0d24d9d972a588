"""The commands of ``cxg-widget``, one file each: their arguments, and what they print."""

from __future__ import annotations

from cxg_widget.cli import convert, demo, inspect, validate, versions

COMMANDS = (demo, inspect, validate, convert, versions)
