"""Packages to share a notebook between pages, or to run its cells in the server: one is used at a time."""

from __future__ import annotations

_SHARED = ("jupyter_server_ydoc", "@jupyter/docprovider-extension")
EXTENSIONS = {
    "jupyter-collaboration": (*_SHARED, "@jupyter/collaboration-extension"),
    "jupyter-server-nbmodel": (*_SHARED, "jupyter_server_nbmodel", "@datalayer/jupyter-server-nbmodel"),
    "jupyter-server-documents": (
        "jupyter_server_documents", "@jupyter-ai-contrib/server-documents",
        "@jupyter/docprovider-extension", "@jupyter/collaboration-extension",
    ),
}  # fmt: skip
"""Per package, what it needs, of the server and of the page."""


def only(package: str | None) -> dict[str, bool]:
    """Return whether each extension is used where one package is, or none; packages disable those of others."""
    used = EXTENSIONS[package] if package else ()
    return {one: one in used for needed in EXTENSIONS.values() for one in needed}
