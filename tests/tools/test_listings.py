"""What is prepared for lists and journals keeps to their formats and to pyproject.toml."""

from __future__ import annotations

import json
import re
import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

ROOT = Path(__file__).parents[2]
LISTING = ROOT / "docs" / "listing"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SLUG = PROJECT["urls"]["Repository"].removeprefix("https://github.com/")


def read(name: str) -> Any:
    return yaml.safe_load((LISTING / name).read_text(encoding="utf-8"))


def test_the_entry_of_scverse_has_the_fields_of_the_registry() -> None:
    meta = read("scverse/meta.yaml")
    texts = {"name", "description", "project_home", "documentation_home", "license", "language", "category"}
    assert {name for name in texts if not isinstance(meta[name], str) or not meta[name]} == set()
    assert (meta["project_home"], meta["documentation_home"]) == (
        PROJECT["urls"]["Repository"],
        PROJECT["urls"]["Documentation"],
    )
    assert "version" not in meta
    assert meta["install"] == {"pypi": PROJECT["name"]}
    assert meta["license"] in PROJECT["license"].split(" AND ")
    assert meta["category"] == "ecosystem"
    assert meta["contact"]
    assert len(re.findall(r"\.\s", meta["description"])) <= 2
    assert re.fullmatch(r"logo\.(svg|png|webp)", meta["logo"])
    assert (LISTING / "scverse" / meta["logo"]).exists()


def test_the_category_and_the_tags_of_scverse_are_of_its_vocabulary() -> None:
    meta, known = read("scverse/meta.yaml"), read("scverse/vocabulary.yaml")
    assert (len(known["primary_category"]), len(set(known["tags"]))) == (10, 45)
    assert meta["primary_category"] in known["primary_category"]
    assert set(meta["tags"]) <= set(known["tags"])
    assert 1 <= len(meta["tags"]) == len(set(meta["tags"]))


def test_entries_of_the_anywidget_galleries_name_a_repository_and_a_picture() -> None:
    config, entry = read("anywidget/config.yaml"), json.loads((LISTING / "anywidget/manifest-entry.json").read_text())
    assert {"name", "description", "environments", "tags", "githubRepo", "image", "packageName"} <= config.keys()
    assert set(config["environments"]) <= {"marimo", "jupyter", "colab", "myst", "numerous"}
    assert config["githubRepo"] == entry["repo"] == SLUG
    assert config["packageName"] == PROJECT["name"]
    assert entry["image"] == f"{SLUG.replace('/', '__')}.jpg"
    with Image.open(LISTING / "anywidget" / config["image"]) as picture:
        assert picture.width >= 800
    assert (ROOT / config["notebookUrl"].split("/main/")[1]).exists()


def test_the_paper_has_the_head_sections_words_and_references_that_the_journal_asks_for() -> None:
    _, head, text = (LISTING / "joss" / "paper.md").read_text().split("---\n", 2)
    meta = yaml.safe_load(head)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= meta.keys()
    assert "`" not in meta["title"]
    assert datetime.strptime(meta["date"], "%d %B %Y")
    assert all(isinstance(one["index"], int) and one["name"] for one in meta["affiliations"])
    named = {index for one in meta["authors"] for index in re.findall(r"\d+", str(one["affiliation"]))}
    assert named == {str(one["index"]) for one in meta["affiliations"]}
    assert re.findall(r"^# (.*)$", text, re.MULTILINE) == [
        *("Summary", "Statement of need", "State of the field", "Software design", "Research impact statement"),
        *("AI usage disclosure", "Acknowledgements", "References"),
    ]
    assert 750 <= len(re.sub(r"\[@[^]]*\]|^#+ .*$", "", text, flags=re.MULTILINE).split()) <= 1_750
    bibliography = (LISTING / "joss" / "paper.bib").read_text()
    entries = re.split(r"^@", bibliography, flags=re.MULTILINE)[1:]
    keys = [re.match(r"\w+\{(\w+),", entry)[1] for entry in entries]  # type: ignore[index]
    assert sorted(keys) == sorted(set(re.findall(r"@(\w+)", text)))
    assert [entry for entry in entries if not re.search(r"doi = \{10\.\d{4,9}/\S+\}", entry)] == []


@pytest.mark.parametrize("page", sorted(LISTING.rglob("README.md")), ids=lambda page: page.parent.name)
def test_files_that_a_checklist_links_to_or_names_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", text) if not link.startswith("https://")]
    assert [link for link in links if not (page.parent / link).exists()] == []
