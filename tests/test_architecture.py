"""Imports go one way; each library is imported where it may be, and nowhere else."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "cxg_widget"
LEVELS = [
    {"short_traceback", "names"},
    {"errors", "nouns", "colormaps", "glasbey", "wording", "lettering"},
    {"statistic"},
    {"protocol"},
    {"compiled", "parsing", "frames", "quantise", "order", "polygon", "limits", "raster", "jobs", "bounds", "slots"},
    {"spatial"},
    {"datasets"},
    {"convert"},
    {"palettes", "coloring", "by_value", "paper", "key"},
    {"selection", "query", "search"},
    {"encoding", "options", "exchange", "opening", "fields"},
    {"look", "hover"},
    {"sample", "sketch", "crowding", "aggregate"},
    {"pixel_scale"},
    {"field", "picture", "streams", "figure"},
    {"view_field"},
    {"readings", "survey"},
    {"cluster", "aggregated"},
    {"showing"},
    {"session"},
    {"static_picture", "trait_error", "traits", "boxes"},
    {"widget"},
    {"__init__"},
    {"commands"},
    {"cli"},
    {"__main__"},
]
HOMES = {
    "tiledb": ("datasets/cxg/", "datasets/tiledb_access/", "datasets/tiledb_cf/"),
    "anywidget": "traits.py",
    "ipywidgets": ("widget.py", "boxes.py"),
    "traitlets": ("widget.py", "traits.py", "trait_error.py"),
    "IPython": ("widget.py", "short_traceback.py"),
    "PIL": "lettering.py",
    "dask": "cluster/",
    "distributed": "cluster/",
    "numba": "compiled.py",
    "datashader": "aggregate/reductions.py",
    "xarray": "aggregate/reductions.py",
    "isal": ("raster.py", "spatial/index_file.py"),
    "h5py": ("datasets/anndata/h5.py", "convert/h5ad_file.py"),
    "zarr": ("datasets/anndata/zarr_store.py", "datasets/atlas/"),
    "scipy": "datasets/anndata/",
    "anndata": "datasets/anndata/export.py",
    "lance": "datasets/atlas/",
    "tqdm": "convert/progress.py",
    "pyarrow": ("datasets/atlas/", "datasets/mzpeak/", "datasets/packed.py", "datasets/values.py"),
}
FILES = sorted(PACKAGE.rglob("*.py"))


def imports(path, *, lazy=True):
    """Return the modules a file imports, those under TYPE_CHECKING left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    nodes = ast.walk(tree) if lazy else ast.iter_child_nodes(tree)
    for node in nodes:
        if id(node) in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def level(module):
    room = module.split(".")[1] if "." in module else "__init__"
    return next((i for i, rooms in enumerate(LEVELS) if room in rooms), None)


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_every_module_has_its_place():
    placed = set().union(*LEVELS)
    assert {room_of(path) for path in FILES} <= placed


def test_the_map_names_every_file_and_every_room_of_the_front_end():
    root = PACKAGE.parent
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = [f"{path.name}/" for path in (root / "js" / "src").iterdir() if path.is_dir()]
    files = [path.name for path in PACKAGE.glob("[a-z]*.py")]
    assert len(folders) > 5
    assert len(files) > 50
    assert [name for name in folders + files if f"`{name}`" not in text] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down(path):
    own = level(f"cxg_widget.{room_of(path)}")
    for module in imports(path):
        if module.startswith("cxg_widget.") and (other := level(module)) is not None:
            same_room = module.split(".")[1] == room_of(path)
            assert same_room or other < own, f"{path.name} imports {module}, which is not below it"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_each_library_is_imported_at_home_only(path):
    where = path.relative_to(PACKAGE).as_posix()
    for module in imports(path):
        home = HOMES.get(module.split(".")[0])
        assert home is None or where.startswith(home), f"{where} imports {module}; only {home} may"


def test_session_and_below_know_no_widget_library():
    for path in FILES:
        if room_of(path) not in ("widget", "traits", "trait_error", "boxes", "cli", "__init__", "__main__"):
            assert not {module.split(".")[0] for module in imports(path)} & {"anywidget", "ipywidgets", "traitlets"}


@pytest.mark.parametrize("heavy", ["pandas", "datashader", "xarray", "PIL", "colorcet", "tiledb", "numba"])
def test_heavy_libraries_are_never_imported_with_a_module_except_at_home(heavy):
    for path in FILES:
        if not path.relative_to(PACKAGE).as_posix().startswith(HOMES.get(heavy, "nowhere")):
            assert heavy not in {module.split(".")[0] for module in imports(path, lazy=False)}, path
