"""The text of a saved page: markup, base64 data, and a security policy that blocks all requests."""
# Changes with cxg_widget/color/paper.py: backgrounds of saved pictures.

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from cxg_widget.errors import MissingDependency
from cxg_widget.session.pictures.save_options import HtmlOptions

_STATIC = Path(__file__).parents[2] / "static"
_NAMES = ("widget.js", "panels.js", "file.js")
_PAPERS = {"white": ("#fff", "#1f2328"), "dark": ("#181a1d", "#e2e5e9")}
_COLORS = "{} {{ color-scheme: {}; --paper: {}; --ink: {}; }}"
_STYLE = """
html, body { margin: 0; background: var(--paper); color: var(--ink); }
body { display: flex; flex-direction: column; box-sizing: border-box; min-height: 100vh; padding: 8px 8px 0;
  font: 12px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.wait { margin: 2em; }
footer { display: flex; flex-wrap: wrap; gap: 0 1em; align-items: baseline; padding: 3px 2px 5px;
  overflow-wrap: anywhere; color: color-mix(in srgb, var(--ink) 72%, var(--paper)); }
h1 { margin: 0; font: inherit; font-weight: 600; }
footer p, footer ul { margin: 0; }
details[open] { flex-basis: 100%; }
summary { width: fit-content; cursor: pointer; }
footer ul { padding: 0 0 4px 1.4em; }
"""


@dataclass(frozen=True)
class Code:
    """The front-end: deflated modules in base64, and the script that runs them.

    hash : of the second module
    """

    modules: Mapping[str, str]
    script: str
    hash: str

    @classmethod
    def read(cls) -> Code:
        """Read the built front-end; raises `MissingDependency` if it was not built."""
        try:
            widget, panels, script = ((_STATIC / name).read_bytes() for name in _NAMES)
        except FileNotFoundError as error:
            raise MissingDependency(
                f"the front-end is not built: '{error.filename}' is missing; run make build."
            ) from error
        texts = {"code-widget": widget, "code-panels": panels}
        modules = {name: base64.b64encode(zlib.compress(one, 9)).decode() for name, one in texts.items()}
        return cls(modules, script.decode(), sha256(panels).hexdigest()[:16])

    @property
    def policy(self) -> str:
        """Security policy: this one script, modules made of its data, and no requests."""
        digest = base64.b64encode(sha256(self.script.encode()).digest()).decode()
        return (
            f"default-src 'none'; script-src 'sha256-{digest}' blob:; style-src 'unsafe-inline'; "
            "img-src blob: data:; base-uri 'none'; form-action 'none'"
        )


@dataclass(frozen=True)
class Described:
    """Description and style of a page.

    background : "white" and "dark" fix its colors; else they follow the reader's preference
    options : requested options
    """

    title: str
    summary: str
    sentences: tuple[str, ...]
    background: str | None
    options: HtmlOptions


def document(about: Described, manifest: Mapping[str, Any], pieces: Mapping[str, str], code: Code) -> bytes:
    """Return the page.

    manifest : JSON for the script
    pieces : base64 by the id of its element
    """
    return "".join(_lines(about, manifest, pieces, code)).encode()


def _lines(about: Described, manifest: Mapping[str, Any], pieces: Mapping[str, str], code: Code) -> Iterator[str]:
    title, today = escape(about.title), date.today()
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(code.policy)}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield '<meta name="generator" content="cxg-widget">\n'
    yield f"<title>{title}</title>\n<style>{_style(about)}</style>\n</head>\n<body>\n"
    yield '<main id="widget"><p class="wait" role="status">Opening…</p>'
    yield "<noscript><p>This page needs JavaScript to draw its cells.</p></noscript></main>\n"
    yield f'<footer><h1>{title}</h1><p>{escape(about.summary)} · saved <time datetime="{today}">{today}</time></p>\n'
    listed = "".join(f"<li>{escape(one)}</li>" for one in about.sentences)
    yield f"<details><summary>Contents of this file</summary><ul>{listed}</ul></details></footer>\n"
    yield f'<script type="application/json" id="about">{_as_json(manifest)}</script>\n'
    for name, text in (*code.modules.items(), *pieces.items()):
        yield f'<script type="text/plain" id="{name}">{text}</script>\n'
    yield f"<script>{code.script}</script>\n</body>\n</html>\n"


def _as_json(value: Any) -> str:
    """Return JSON without characters that can end its element or start another."""
    text = json.dumps(value, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _style(about: Described) -> str:
    fixed = about.background if about.background in _PAPERS else None
    light, dark = ("light", *_PAPERS["white"]), ("dark", *_PAPERS["dark"])
    if fixed:
        colors = _COLORS.format(":root", *(dark if fixed == "dark" else light))
    else:  # follow the reader's preference or, in a frame, the site around it (js/src/file/index.js)
        preferred = _COLORS.format(":root:not([data-background=white])", *dark)
        named = _COLORS.format(":root[data-background=dark]", *dark)
        colors = f"{_COLORS.format(':root', *light)}\n@media (prefers-color-scheme: dark) {{ {preferred} }}\n{named}"
    fill = "flex: 1 0 auto" if about.options.height is None else "flex: none"
    if about.options.width is not None:
        fill += f"; width: 100%; max-width: {about.options.width:.0f}px; margin: 0 auto"
    return f"{colors}\nmain {{ {fill}; min-width: 0; }}{_STYLE}"
