"""Docstrings of the package as reStructuredText: sections as field lists, single backticks as code, errors as links.

The package writes a parameter as `name : what, with its units`, in as many lines as it takes, which is description
rather than a type. So numpydoc, which takes the first line for a type, does not fit.
"""

import inspect
import re
from pathlib import Path

import cxg_widget.errors

SECTIONS = {"Parameters", "Returns", "Yields", "Raises", "Attributes", "Examples", "Notes", "See Also"}
ERRORS = {name for name, one in vars(cxg_widget.errors).items() if isinstance(one, type) and issubclass(one, Exception)}

DOCS = Path(__file__).parents[1]
ELSEWHERE = {line.split()[0] for file in DOCS.glob("_inventories/*.inv") for line in file.read_text().splitlines()[3:]}
"""Names of other projects that have a target."""
OWN = re.findall(r"autoclass:: (\S+)", "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("api/*.md")))
TYPES = {
    **{name.rpartition(".")[2]: name for name in (*OWN, *(one for one in ELSEWHERE if "abc." in one))},
    **{"Figure": "matplotlib.figure.Figure", "Path": "pathlib.Path", "pd": "pandas", "xr": "xarray"},
}
"""Full names by those in annotations."""


def setup(app):
    """Rewrite each docstring, and leave constructors out where users do not call them."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", lambda *given: rewrite(given[-1]))
    app.connect("autodoc-process-signature", sign)
    return {"parallel_read_safe": True}


def sign(*event):
    """Show the signature of a class only where users make one."""
    _, what, name, obj, _, signature, returned = event
    if name == "cxg_widget.CxgWidget":  # a metaclass of ipywidgets hides it
        own = inspect.signature(obj.__init__)
        plain = [one.replace(annotation=one.empty) for one in list(own.parameters.values())[1:]]
        return str(own.replace(parameters=plain, return_annotation=own.empty)), None
    made = ("Truth", "Column", "Codes", "Vector", "Reader")
    if what in ("class", "exception") and name.rpartition(".")[2] not in made:
        return "", None
    plain = re.sub(r"~?typing\.", "", re.sub(r"<function [^>]*<lambda>>", "...", signature or ""))
    return plain or signature, returned or result_of(obj)


def result_of(obj):
    """Return the type that a function returns, by full names; of parameters, sentences tell the types."""
    hint = getattr(inspect.unwrap(obj), "__annotations__", {}).get("return")
    if hint in (None, "None", "Any", "Self"):
        return None
    plain = re.sub(r"NDArray\[[^]]*\]+", "numpy.ndarray", hint)
    return re.sub(r"(?<![\w.])[A-Za-z]\w*", lambda name: TYPES.get(name[0], name[0]), plain)


def rewrite(lines):
    """Replace the lines of a docstring in place."""
    lines[:] = [one for name, body in sections_of(lines) for one in render(name, body)]


def sections_of(lines):
    """Yield the name (None for the text before) and the lines of each section."""
    name, body, at = None, [], 0
    while at < len(lines):
        if lines[at].strip() in SECTIONS and at + 1 < len(lines) and set(lines[at + 1].strip()) == {"-"}:
            yield name, body
            name, body, at = lines[at].strip(), [], at + 2
        else:
            body.append(lines[at])
            at += 1
    yield name, body


def render(name, body):
    """Return a section as lines of reStructuredText."""
    if name is None:
        return [*map(inline, body), ""]
    if name == "Examples":
        return [".. rubric:: Examples", "", *(re.sub(r"\s+# doctest:.*", "", one) for one in body), ""]
    if name in ("Parameters", "Attributes"):
        return [f":{name}:", "", *definitions(body), ""]
    if name == "Raises":
        return [f":{name}:", "", *definitions(body, is_of_errors=True), ""]
    return [f":{name}:", *("    " + inline(one) for one in body if name != "Notes" or one.strip()), ""]


def definitions(body, is_of_errors=False):
    """Yield a definition list: of parameters by "name : what", of errors by a name and an indented sentence."""
    for line in body:
        if not line.strip():
            yield ""
        elif line.startswith(" "):
            yield "        " + inline(line[4:])
        elif is_of_errors:
            yield ""
            yield "    " + ", ".join(map(as_error, line.split(", ")))
        else:
            names, _, what = line.partition(" : ")
            yield ""
            yield "    " + ", ".join(f"**{escaped(one.strip())}**" for one in names.split(","))
            if what:
                yield "        " + inline(what)


def as_error(name):
    """Return an error of the package as a link."""
    return f":py:exc:`~cxg_widget.errors.{name}`" if name in ERRORS else inline(name)


def escaped(text):
    """Take their meaning from signs that mark text up."""
    return re.sub(r"([*|\\])", r"\\\1", re.sub(r"(\w)_(?!\w)", r"\1\\_", text))


def inline(line):
    """Make code of what stands in single backticks, and text of all else."""
    parts = re.split(r"(``[^`]+``|`[^`]+`)", line)
    return "".join(as_code(one.strip("`")) if one.startswith("`") else escaped(one) for one in parts)


def as_code(text):
    """Return code, which links to what it names in the documentation of another project."""
    return f":py:obj:`{text}`" if "." in text and text in ELSEWHERE else f"``{text}``"
