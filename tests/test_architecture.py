"""Imports go one way; each library is imported where it may be, and nowhere else."""

import ast
import re
from collections import Counter
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "cxg_widget"
ROOMS = (
    "text",
    "errors",
    "files",
    "compute",
    "color",
    "spatial",
    "datasets",
    "wire",
    "rules",
    "convert",
    "annotations",
    "counts",
    "display",
    "change",
    "table",
    "compare",
    "study",
    "selection",
    "draw",
    "cells",
    "session",
    "code",
    "methods",
    "replay",
    "widget",
    "__init__",
    "cli",
    "testing",
    "__main__",
)
"""The folders and files of the package's root, lowest first: each imports from those before it, and from itself."""
FOLDERS = {
    "datasets": (
        "base",
        "storage",
        "anndata",
        "spatialdata",
        "mudata",
        "tenx",
        "tables",
        "tiledb_access",
        "mzpeak",
        "atlas",
        "tiledb_cf",
        "soma",
        "cxg",
    ),
    "draw": ("points", "aggregate", "overlays", "pages", "plots"),
    "session": ("streams", "pictures", "analysis"),
}
"""The folders inside a room, lowest first, as the rooms themselves."""
HOMES = {
    "tiledb": ("datasets/cxg/", "datasets/soma/", "datasets/tiledb_access/", "datasets/tiledb_cf/"),
    "anywidget": "widget/traits.py",
    "ipywidgets": "widget/",
    "traitlets": "widget/",
    "IPython": ("widget/displaying.py", "widget/static_picture.py", "text/short_traceback.py"),
    "PIL": (
        "color/css_colors.py",
        "datasets/tenx/tissue.py",
        "draw/image_files.py",
        "draw/lettering.py",
        "draw/overlays/outlines.py",
    ),
    "pydeseq2": "compare/donors/deseq2.py",
    "matplotlib": ("color/colormap_lookup.py", "draw/pages/matplotlib_page.py", "draw/plots/"),
    "dask": "cells/cluster/",
    "distributed": "cells/cluster/",
    "numba": "compute/compiled.py",
    "datashader": "draw/aggregate/reductions.py",
    "polars": "table/forms.py",
    "xarray": "draw/aggregate/reductions.py",
    "isal": ("draw/image_files.py", "session/pictures/html_file.py", "spatial/array_file.py"),
    "h5py": ("datasets/anndata/h5.py", "datasets/anndata/far/hdf5.py", "convert/h5ad_file.py", "annotations/h5ad.py"),
    "obstore": "datasets/storage/",
    "zarr": ("datasets/anndata/zarr_store.py", "datasets/anndata/far/", "datasets/atlas/"),
    "scipy": (
        "compare/",
        "study/",
        "datasets/anndata/",
        "datasets/base/matrix_block.py",
        "datasets/spatialdata/resampled.py",
    ),
    "anndata": "datasets/anndata/export.py",
    "lance": "datasets/atlas/",
    "tqdm": "convert/progress.py",
    "pytest": "testing/",
    "hypothesis": "testing/",
    "pyarrow": (
        "datasets/atlas/",
        "datasets/mzpeak/",
        "datasets/tables/",
        "datasets/base/packed.py",
        "datasets/base/values.py",
        "table/forms.py",
    ),
}
FILES = sorted(PACKAGE.rglob("*.py"))


def statements(path):
    """Yield the statements of a file, those under TYPE_CHECKING left out, and whether each is at its top."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left = [(node, True) for node in tree.body]
    while left:
        node, is_top = left.pop()
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            continue
        yield node, is_top
        inner = ast.iter_child_nodes(node)
        left += [(one, False) for one in inner if isinstance(one, (ast.stmt, ast.ExceptHandler, ast.match_case))]


@cache
def imports_of(path):
    """Return the modules a file imports, and which of them are imported with it."""
    found = []
    for node, is_top in statements(path):
        if isinstance(node, ast.Import):
            found += [(alias.name, is_top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += [(node.module, is_top), *((f"{node.module}.{alias.name}", is_top) for alias in node.names)]
    return tuple(name for name, _ in found), tuple(name for name, is_top in found if is_top)


def imports(path, *, lazy=True):
    return imports_of(path)[0 if lazy else 1]


def level(module):
    room = module.split(".")[1]
    return ROOMS.index(room if room in ROOMS else "__init__")


def room_of(path):
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def test_the_package_holds_these_rooms_and_no_others():
    assert {room_of(path) for path in FILES} == set(ROOMS)


def module_of(path):
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


def test_no_module_imports_itself_by_way_of_others():
    modules = {module_of(path): path for path in FILES}
    graph = {}
    for name, path in modules.items():
        found = modules.keys() & set(imports(path)) - {name}
        graph[name] = {one for one in found if not any(other.startswith(f"{one}.") for other in found)}
    # CycleError names the modules of a circle.
    assert len(list(TopologicalSorter(graph).static_order())) == len(modules)


def test_the_map_names_every_room_of_both_sides():
    root = PACKAGE.parent
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rooms = [room for room in ROOMS if (PACKAGE / room).is_dir()]
    folders = [path.name for path in (root / "js" / "src").iterdir() if path.is_dir()]
    assert len(folders) > 5
    assert [name for name in rooms + folders if f"`{name}/`" not in text] == []


def test_every_file_that_the_map_names_with_its_folder_exists():
    root = PACKAGE.parent
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\b(?:[a-z_]+/)+[a-z_]+\.(?:py|js|mjs|md)\b", text))
    assert len(named) > 25
    homes = (root, root / "docs", PACKAGE, root / "js" / "src")
    named -= {f"cxg_widget/static/{name}.js" for name in ("widget", "panels", "file")}  # are built
    missing = [name for name in named if not any((home / name).exists() for home in homes)]
    assert missing == []


def test_the_map_has_at_most_2000_words():
    assert len((PACKAGE.parent / "ARCHITECTURE.md").read_text(encoding="utf-8").split()) <= 2000


def test_a_folder_has_at_most_25_modules():
    n_modules = Counter(path.parent.relative_to(PACKAGE).as_posix() for path in FILES if path.name != "__init__.py")
    assert len(n_modules) > 25
    assert {folder: n for folder, n in n_modules.items() if n > 25} == {}


def test_a_class_has_at_most_30_methods():
    classes = [(path, node) for path in FILES for node, _ in statements(path) if isinstance(node, ast.ClassDef)]
    found = {
        f"{path.name} {one.name}": sum(isinstance(part, ast.FunctionDef) for part in one.body) for path, one in classes
    }
    assert len(found) > 300
    assert {name: n for name, n in found.items() if n > 30} == {}


def test_imports_go_down():
    own = {path: ROOMS.index(room_of(path)) for path in FILES}
    imported = [(path, module) for path in FILES for module in imports(path) if module.startswith("cxg_widget.")]
    assert [(str(path), module) for path, module in imported if level(module) > own[path]] == []


@pytest.mark.parametrize("room", FOLDERS)
def test_imports_between_the_folders_of_a_room_go_down(room):
    folders = FOLDERS[room]
    assert {path.parent.name for path in (PACKAGE / room).glob("*/__init__.py")} == set(folders)
    found = [
        (path.relative_to(PACKAGE).as_posix(), module)
        for level, folder in enumerate(folders)
        for path in (PACKAGE / room / folder).rglob("*.py")
        for module in imports(path)
        if module.startswith(tuple(f"cxg_widget.{room}.{higher}" for higher in folders[level + 1 :]))
    ]
    assert found == []


def test_each_library_is_imported_at_home_only():
    imported = [(path.relative_to(PACKAGE).as_posix(), module) for path in FILES for module in imports(path)]
    homes = [(where, module, HOMES.get(module.split(".")[0])) for where, module in imported]
    assert [one for one in homes if one[2] is not None and not one[0].startswith(one[2])] == []


def test_session_and_below_know_no_widget_library():
    for path in FILES:
        if room_of(path) not in ("widget", "__init__", "cli", "__main__"):
            assert not {module.split(".")[0] for module in imports(path)} & {"anywidget", "ipywidgets", "traitlets"}


@pytest.mark.parametrize("heavy", ["pandas", "datashader", "xarray", "PIL", "colorcet", "tiledb", "numba"])
def test_heavy_libraries_are_never_imported_with_a_module_except_at_home(heavy):
    for path in FILES:
        home = HOMES.get(heavy, "nowhere")
        if room_of(path) != "testing" and not path.relative_to(PACKAGE).as_posix().startswith(home):
            assert heavy not in {module.split(".")[0] for module in imports(path, lazy=False)}, path


WRITERS = {
    "files/": "the one way to write a file or folder",
    "convert/kept_lines.py": "values that are kept in the folder of `kept_folder`",
    "convert/spill.py": "values that wait in the scratch folder of `writing`",
    "convert/to_cxg.py": "arrays removed from the new store in the folder of `writing`",
    "convert/copy_matrix.py": "the scratch folder of `writing`",
    "spatial/array_store.py": "old files removed from the cache",
    "widget/kept_states.py": "old states removed from the cache, and their folder made private",
    "datasets/cxg/writer.py": "a new store in the folder of `writing`",
}
"""What may change the disk by itself; all else writes to the `partial` of `files.writing.writing`."""
_CHANGES = re.compile(
    r"(os\.(replace|rename|remove|unlink|mkdir|makedirs|rmdir|link|symlink|truncate|chmod|chown)"
    r"|shutil\.(?!which|get_terminal_size)\w+|tempfile\.(?!gettempdir)\w+"
    r"|.*\.(write_bytes|write_text|unlink|rmdir|mkdir|touch|symlink_to|hardlink_to|chmod|tofile|to_parquet|to_csv|savefig)"
    r"|np\.save\w*|tiledb\.(group_create|(\w+\.)?create|delete\w*|move|remove|consolidate|vacuum))"
)


def writes(path):
    """Return the calls of a file that change the disk, but for those on what `writing` yields or on an open file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        call, given = ast.unparse(node.func), [ast.unparse(one) for one in node.args]
        words = [one.value for one in node.args if isinstance(one, ast.Constant)]
        words += [one.value.value for one in node.keywords if one.arg == "mode" and isinstance(one.value, ast.Constant)]
        opens = call in ("open", "io.open") or call.endswith((".open", ".File", ".ZipFile"))
        is_write = opens and any(re.fullmatch(r"[rwaxb+]*[wax+][rwaxb+]*", str(word)) for word in words)
        is_ours = "place.partial" in " ".join([call, *given]) or given[:1] in (["file"], ["disk"], ["self._disk"])
        is_ours |= call.endswith(".to_csv") and not given  # a text
        if (is_write or _CHANGES.fullmatch(call)) and not is_ours:
            yield f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno} {call}({', '.join(given)})"


def test_files_are_written_in_one_way_alone():
    found = [one for path in FILES for one in writes(path) if not one.startswith(tuple(WRITERS))]
    assert found == []


MARK = re.compile(r"(?:#|//) Changes with ([^:]+): (.+)\.$", re.MULTILINE)


def test_files_that_change_together_name_each_other():
    root = PACKAGE.parent
    files = [*FILES, *(root / "js" / "src").rglob("*.js")]
    marks = {
        (str(path.relative_to(root)), other, topic)
        for path in files
        for others, topic in MARK.findall(path.read_text(encoding="utf-8"))
        for other in others.split(" and ")
    }
    assert len(marks) > 70
    assert {(one, other, topic) for one, other, topic in marks if (other, one, topic) not in marks} == set()


def test_no_module_tells_by_a_method_s_name_whether_it_ranks():
    named = re.compile(r"""method (?:==|!=|in) \(?["'](?:t-test|wilcoxon)["']""")
    assert [str(path) for path in FILES if named.search(path.read_text(encoding="utf-8"))] == []


def test_files_that_tell_kinds_of_a_scale_apart_are_marked():
    root = PACKAGE.parent
    told = re.compile(r"""\bscale ={2,3} "log"|\bscale\.is_?[lL]og\b|\bisLog \?""")
    files = [*FILES, *(root / "js" / "src").rglob("*.js")]
    texts = {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in files}
    found = {path for path, text in texts.items() if told.search(text)}
    marked = {path for path, text in texts.items() if re.search(r"Changes with .+: kinds of a scale of colors\.", text)}
    assert len(found) > 5
    assert found == marked
