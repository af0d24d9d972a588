"""Laws of the pages under docs: their code runs, their links lead somewhere, and recipes are short."""

from __future__ import annotations

import os
import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

import cxg_widget
from tests.small_stores import MAKERS, put

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
pytestmark = pytest.mark.skipif(not DOCS.exists(), reason="an sdist has no docs")

RECIPES = sorted(path for path in (DOCS / "how_to").glob("*.md") if path.name != "index.md")
OF_OTHER_TESTS = ("add_a_store", "aggregate")
GUIDES = sorted(page for page in DOCS.glob("*.md") if page.stem not in OF_OTHER_TESTS)
STORES = sorted((DOCS / "stores").glob("*.md"))
RUN = [*RECIPES, *GUIDES, *sorted((DOCS / "concepts").glob("*.md")), *STORES, DOCS / "tutorials" / "index.md"]
LINKED = [ROOT / "README.md", *DOCS.glob("*.md"), *DOCS.glob("how_to/*.md"), *DOCS.glob("concepts/*.md"),
          *DOCS.glob("stores/*.md")]  # fmt: skip
OF_AUTHORS = {
    "_build",
    "_inventories",
    "decisions",
    "listing",
    "measured",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
}
"""Pages of other kinds, and those that the build copies into docs/."""
BLOCK = re.compile(r"(<!-- not run: [^\n]+ -->\n)?```python\n(.*?)```", re.DOTALL)


def by_name(paths: list[Path]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("page", paths, ids=[path.relative_to(ROOT).as_posix() for path in paths])


def without_code(text: str) -> str:
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page, as forges and Sphinx make them of its headings."""
    headings = re.findall(r"^#+ (.+)$", without_code(page.read_text(encoding="utf-8")), flags=re.MULTILINE)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", one).replace("`", "").strip().lower() for one in headings]
    return {re.sub(r"[^\w\- ]", "", one).replace(" ", "-") for one in plain}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    return tmp_path_factory.mktemp("stores")


@pytest.fixture
def at_home(shelf, tmp_path, monkeypatch):
    """Run in an empty folder, with a small demo; what a page sets in the environment ends with it."""
    before = dict(os.environ)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cxg_widget, "demo", lambda *_, **__: put(shelf, "demo.cxg"), raising=False)
    yield tmp_path
    os.environ.clear()
    os.environ.update(before)


@pytest.mark.docs
@by_name(RUN)
@pytest.mark.filterwarnings("default:::cxg_widget")
def test_the_code_of_a_page_runs_from_the_first_block_to_the_last(page, shelf, at_home):
    text = page.read_text(encoding="utf-8")
    blocks = [code for not_run, code in BLOCK.findall(text) if not not_run]
    wanted = set(re.findall(r"^(?:import|from) (\w+)", "\n".join(blocks), flags=re.MULTILINE))
    missing = sorted(name for name in wanted if not find_spec(name))
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    for name in MAKERS:
        if any(f'"{name}' in block for block in blocks):
            made = put(shelf, name)
            (shutil.copytree if made.is_dir() else shutil.copy)(made, at_home / name)
    names = {"__name__": "__main__"}
    for number, block in enumerate(blocks, start=1):
        exec(compile(block, f"{page.name}, block {number}", "exec"), names)
    for value in names.values():
        if isinstance(value, cxg_widget.CxgWidget):
            value.close()


@by_name(RECIPES)
def test_a_recipe_is_a_title_a_sentence_and_code_in_60_to_200_words(page):
    title, purpose, *rest = page.read_text(encoding="utf-8").split("\n\n")
    assert title.startswith("# ")
    assert re.fullmatch(r"[^\n]+[.:]", purpose)
    assert any("```" in paragraph for paragraph in rest[:2])
    text = page.read_text(encoding="utf-8")
    assert len(text.split()) >= 60
    assert len(without_code(text).split()) <= 200


@pytest.mark.parametrize("app", sorted((ROOT / "examples").glob("*_app.py")), ids=lambda app: app.stem)
def test_the_recipe_for_an_app_is_the_example_that_a_browser_test_runs(app):
    code = app.read_text(encoding="utf-8").split("\n\n", 1)[1]
    recipe = DOCS / "how_to" / f"use_it_in_{app.stem.removesuffix('_app')}.md"
    assert f"```python\n{code}```" in recipe.read_text(encoding="utf-8")


def test_the_list_of_recipes_names_each_once():
    listed = re.findall(
        r"^- \[.+\]\((\w+\.md)\)$", (DOCS / "how_to" / "index.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(listed) == [page.name for page in RECIPES]


@by_name(LINKED)
def test_every_link_of_a_page_leads_to_a_file_and_to_a_heading_in_it(page):
    links = re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text(encoding="utf-8")))
    lost = []
    for link in links:
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            lost.append(link)
    assert lost == []


def test_the_readme_is_a_page_of_720_words_with_ten_lines_of_code_after_the_import():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 720
    (code,) = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    assert code.startswith("import cxg_widget\n\n")
    assert len(code.splitlines()[2:]) == 10


@by_name(sorted(page for page in DOCS.rglob("*.md") if not OF_AUTHORS & set(page.relative_to(DOCS).parts)))
def test_a_page_of_the_site_begins_with_its_title_and_its_purpose(page):
    title, purpose, *_ = page.read_text(encoding="utf-8").split("\n\n")
    assert re.fullmatch("# [^\n]+", title)
    assert re.match("`?[A-Z]", purpose)
    assert re.search(r"[.:]\s*$", purpose)


def test_pictures_of_pages_are_used_and_take_at_most_60_kb_each():
    text = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    pictures = sorted((DOCS / "pictures").glob("*"))
    assert [one.name for one in pictures if f"pictures/{one.name}" not in text] == []
    assert [one.name for one in pictures if one.stat().st_size > 60_000] == []


def test_the_changelog_has_at_most_60_lines_of_at_most_120_characters_for_a_release():
    releases = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    assert releases
    assert [one.splitlines()[0] for one in releases if len(one.splitlines()) > 60] == []
    assert [line for one in releases for line in one.splitlines() if len(line) > 120] == []
