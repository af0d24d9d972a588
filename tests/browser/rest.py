"""Whether the widgets of a notebook have come to rest: neither they nor the kernel have anything left to do."""

from __future__ import annotations

from typing import Any

AT_MOST_MS = 400
"""So long is waited for it: work in the background, such as an index, is not what a test waits for."""

WATCH = r"""(() => {
    // Timers of the widget, which alone is imported from a blob or from /widget.js, that end soon; the host has others
    // all the time, and each of its changes has the widget look at its colors anew.
    const soon = (globalThis.cxgSoon = new Set());
    const { setTimeout: set, clearTimeout: clear } = globalThis;
    globalThis.setTimeout = (done, ms = 0, ...given) => {
        const caller = ms > 250 ? "" : new Error().stack;
        if (!/blob:|\/widget\.js/.test(caller) || caller.includes("MutationObserver")) return set(done, ms, ...given);
        const timer = set((...taken) => (soon.delete(timer), done(...taken)), ms, ...given);
        soon.add(timer);
        return timer;
    };
    globalThis.clearTimeout = (timer) => (soon.delete(timer), clear(timer));
})()"""
"""To be run in a page before any other script."""

_REST = """async (panel, mostMs) => {
    const user_expressions = { idle: "__import__('tests.browser.rest', fromlist=['x']).is_kernel_idle()" };
    const isIdle = async () => {
        const { kernel } = panel.sessionContext.session;
        const reply = await kernel.requestExecute({ code: "", silent: true, user_expressions }).done;
        return reply.content.user_expressions.idle.data["text/plain"] === "True";
    };
    let isLate = false;
    const come = async () => {
        for (let n = 0; n < 2 && !isLate; ) {  // what came the first time may have led to more
            const isKernelIdle = await isIdle();
            if (!isKernelIdle) await new Promise((done) => setTimeout(done, 20));  // to ask keeps all processes busy
            let hasActed = false;
            do {
                await new Promise((done) => requestAnimationFrame(done));
                hasActed ||= cxgSoon.size > 0;
            } while (cxgSoon.size > 0 && !isLate);
            n = isKernelIdle && !hasActed ? n + 1 : 0;
        }
    };
    await Promise.race([come(), new Promise((done) => setTimeout(done, mostMs)).then(() => (isLate = true))]);
}"""


def rest(notebook: Any) -> None:
    """Wait until no widget of a notebook has anything to do, or until that has taken its time."""
    notebook.evaluate(_REST, AT_MOST_MS)


def is_kernel_idle() -> bool:
    """Say whether no thread of a widget works for its page; to be asked in its kernel."""
    import sys

    if "cxg_widget" not in sys.modules:
        return True
    from ipywidgets.widgets.widget import _instances

    from cxg_widget import CxgWidget

    widgets = [one for one in _instances.values() if isinstance(one, CxgWidget)]
    return all(job.done() for one in widgets for job in list(one._exchange.jobs._waiting.values()))
