"""The report of a replay as one HTML page, with a live page of each side."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from datetime import date
from hashlib import sha256
from html import escape
from importlib import metadata
from typing import NamedTuple

from cxg_widget.errors import CxgWidgetError
from cxg_widget.replay.report import ReplayReport, rows_of
from cxg_widget.session.pictures.figure_files import figure_file
from cxg_widget.session.pictures.html_document import Code
from cxg_widget.session.pictures.html_frame import FOLLOW_SITE, EmbeddedPage
from cxg_widget.session.pictures.save_options import EMBEDDED_BYTES, FigureOptions, HtmlOptions
from cxg_widget.session.session import Session

_MOST_ROWS = 1_000
"""Most rows of a table; `frame()` has all."""
_DPI, _PLOT = 96.0, (640.0, 480.0)
_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #1f2328; --line: #d0d7de; }
@media (prefers-color-scheme: dark) { :root { --paper: #181a1d; --ink: #e2e5e9; --line: #3d444d; } }
body { margin: 0 auto; padding: 1rem; max-width: 90rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5em; } h2 { font-size: 1.2em; }
table { border-collapse: collapse; }
th, td { min-width: 6em; padding: 2px 12px 2px 0; text-align: left; vertical-align: top;
  border-bottom: 1px solid var(--line); }
td.n, th.n { min-width: 0; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; }
.figures { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(32rem, 100%), 1fr)); }
figure { margin: 0; min-width: 0; } figcaption { font-weight: 600; padding-bottom: 4px; }
"""


class Plot(NamedTuple):
    """The plot of one side.

    page : None if it cannot be drawn
    fault : why not
    """

    heading: str
    page: EmbeddedPage | None
    fault: str = ""


def plot_of(session: Session, side: str) -> Plot:
    """Return the plot of a session as a live page of at most `EMBEDDED_BYTES`, with a picture below it.

    side : "Before" or "After"
    """
    title, height = session.dataset.title, session.settings.height
    try:
        page = session.page(FigureOptions.of(_PLOT, None, None, _DPI, None))
        png = base64.b64encode(figure_file(page, "png", _DPI, title)).decode()

        def embedded(text: bytes, cells: str = "") -> EmbeddedPage:
            return EmbeddedPage(title, cells, height, text.decode(), png)

        measure = HtmlOptions(EMBEDDED_BYTES, measure=lambda text: len(embedded(text).html.encode()))
        file = session.html(measure)
    except CxgWidgetError as error:
        return Plot(f"{side}: {title}", None, str(error))
    return Plot(f"{side}: {title}, {file.cells}", embedded(file.text, file.cells))


def report_page(report: ReplayReport, plots: Sequence[Plot]) -> bytes:
    """Return the report; all names from data are text in it, and nothing else may run or be loaded."""
    return "".join(_lines(report, plots)).encode()


def _lines(report: ReplayReport, plots: Sequence[Plot]) -> Iterator[str]:
    title, today = f"Replay on {report.title}", date.today()
    source = f"A state from {report.source_title}" if report.source_title else "A state"
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{escape(_policy())}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
    yield f"<p>{escape(source)}, applied to {escape(report.title)} by cxg-widget {metadata.version('cxg-widget')} "
    yield f'on <time datetime="{today}">{today}</time>.</p>\n<h2>What fits</h2>\n<p>{escape(report.summary)}</p>\n'
    for note in report.notes:
        yield f"<p>{escape(note)}</p>\n"
    faults = [(one.setting.replace("_", " "), one.name, one.fault) for one in report.parts if one.fault]
    if faults:
        yield from _table("Parts that do not fit", ("Setting", "Name", "Reason"), faults, n_texts=3)
    yield "<h2>Numbers of cells</h2>\n"
    heads = ("Kind", "Name", "Before", "% of cells", "After", "% of cells")
    yield from _table("Numbers of cells, before and after", heads, list(_counts(report)), n_texts=2)
    if not report.source_title:
        yield "<p>Numbers before are not known: the report was made without the dataset that the state is from.</p>\n"
    yield '<h2>Plots</h2>\n<div class="figures">\n'
    for plot in plots:
        shown = f"<p>{escape(plot.fault)}</p>" if plot.page is None else plot.page.html
        yield f"<figure><figcaption>{escape(plot.heading)}</figcaption>{shown}</figure>\n"
    yield "</div>\n</body>\n</html>\n"


def _counts(report: ReplayReport) -> Iterator[tuple[str, ...]]:
    for row in rows_of(report):
        before, after = (_numbers(*one) for one in ((row.before, row.share_before), (row.after, row.share_after)))
        yield (row.kind, row.name, *before, *after)


def _numbers(n: int | None, share: float | None) -> tuple[str, str]:
    return ("–", "–") if n is None or share is None else (f"{n:,}", f"{100 * share:.1f}")


def _table(
    caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]], n_texts: int
) -> Iterator[str]:  # fmt: skip
    """Yield a table; columns after the first `n_texts` are numbers."""

    def line(cells: Sequence[str], tag: str) -> str:
        classes = ["" if at < n_texts else ' class="n"' for at in range(len(cells))]
        parts = (f"<{tag}{look}>{escape(one)}</{tag}>" for one, look in zip(cells, classes, strict=True))
        return f"<tr>{''.join(parts)}</tr>\n"

    yield f'<div class="wide" tabindex="0"><table aria-label="{escape(caption)}">\n'
    yield f"<thead>{line(heads, 'th')}</thead>\n<tbody>\n"
    yield from (line(row, "td") for row in rows[:_MOST_ROWS])
    yield "</tbody>\n</table></div>\n"
    if len(rows) > _MOST_ROWS:
        yield f"<p>And {len(rows) - _MOST_ROWS:,} more.</p>\n"


def _policy() -> str:
    """Return the policy of the saved pages, which they inherit, and the one handler of their frames."""
    digest = base64.b64encode(sha256(FOLLOW_SITE.encode()).digest()).decode()
    return Code.read().policy.replace("script-src ", f"script-src 'unsafe-hashes' 'sha256-{digest}' ")
