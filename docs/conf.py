"""The site: `make docs` builds it into docs/_build/html, without the network."""

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
PYPROJECT = tomllib.loads((HERE.parent / "pyproject.toml").read_text())["project"]

project = "cxg-widget"
author = PYPROJECT["authors"][0]["name"]
project_copyright = author
version = release = PYPROJECT["version"]

extensions = [
    "closed_site",
    "docstrings",
    "elsewhere",
    "generated_tables",
    "shown",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.githubpages",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "_inventories", "listing"]
suppress_warnings = ["myst.header"]  # of benchmarks, some begin with a second level

# Outside the folder of the documentation, by the folder of the site in which it stands.
elsewhere_files = {
    "notebooks/*.ipynb": "tutorials",
    "benchmarks/*.md": "performance/measured",
    "ARCHITECTURE.md": "develop",
    "CONTRIBUTING.md": "develop",
    "CHANGELOG.md": "develop",
}
elsewhere_url = PYPROJECT["urls"]["Repository"]

myst_enable_extensions = ["colon_fence", "attrs_inline", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "off"
nb_ipywidgets_js = {}

add_module_names = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
# A name without dots is one of this package that is not public, or of `typing`.
nitpick_ignore_regex = [("py:.*", r"[^.]+")]
intersphinx_mapping = {
    name: (address, f"_inventories/{name}.inv")
    for name, address in {
        "matplotlib": "https://matplotlib.org/stable/",
        "numpy": "https://numpy.org/doc/stable/",
        "pandas": "https://pandas.pydata.org/docs/",
        "python": "https://docs.python.org/3/",
        "scanpy": "https://scanpy.readthedocs.io/en/stable/",
        "xarray": "https://docs.xarray.dev/en/stable/",
    }.items()
}

html_theme = "pydata_sphinx_theme"
html_title = "cxg-widget"
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_search_scorer = str(HERE / "_ext" / "scorer.js")  # recipes before decision records
html_context = {"default_mode": "auto"}
html_show_sphinx = False
html_sidebars = {page: [] for page in ("get_started", "coming_from", "reliability", "index")}  # they have no subpages
smartquotes = False
html_copy_source = False
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 9,
    "logo": {"text": "cxg-widget"},
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "github_url": elsewhere_url,
}
