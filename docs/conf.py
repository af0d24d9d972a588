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
    "elsewhere",
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_build", "listing"]
suppress_warnings = ["myst.header"]  # of benchmarks, some begin with a second level

# Outside the folder of the documentation, by the folder of the site in which it stands.
elsewhere_files = {
    "notebooks/*.ipynb": "tutorials",
    "benchmarks/*.md": "performance/measured",
    "ARCHITECTURE.md": "develop",
    "CONTRIBUTING.md": "develop",
    "CHANGELOG.md": "develop",
}
elsewhere_url = PYPROJECT.get("urls", {}).get("Source")

myst_enable_extensions = ["colon_fence", "attrs_inline", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "off"
nb_ipywidgets_js = {}

autosummary_generate = True
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "cxg-widget"
html_static_path = ["_static"]
html_copy_source = False
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 9,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
if elsewhere_url:
    html_theme_options["github_url"] = elsewhere_url
