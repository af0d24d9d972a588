"""Laws of the front-end's second module on its way: whole, once a page, and read once."""

import zlib
from hashlib import sha256
from pathlib import Path

import pytest

from cxg_widget import CxgWidget, errors
from cxg_widget.session import answers
from cxg_widget.session.session import Session
from cxg_widget.wire import protocol as p
from tests.memory import small


@pytest.fixture
def built(tmp_path, monkeypatch):
    """A module as the build would leave it."""
    file = tmp_path / "panels.js"
    file.write_bytes("export default () => 'µ'".encode())
    monkeypatch.setattr(answers, "_PANELS_JS", file)
    return file


def asked(*known):
    (frame,) = Session(small(10)).answer(p.AskModule(list(known)))
    code = frame.arrays["code"].tobytes()
    return frame.message.hash, code and zlib.decompress(code)


def test_it_comes_whole_under_the_hash_of_its_bytes(built):
    assert asked() == (sha256(built.read_bytes()).hexdigest()[:16], built.read_bytes())


def test_a_page_that_has_it_gets_no_bytes_and_one_that_has_another_all(built):
    name, code = asked()
    assert asked("other", name) == (name, b"")
    assert asked("other") == (name, code)


def test_the_file_is_read_once(built, monkeypatch):
    first, reads, read = asked(), [], Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: reads.append(path) or read(path))
    assert asked() == first
    assert reads == []


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (
            "columns",
            "open_panels must be a list of some of 'columns', .*, 'compare', 'study'; found 'columns'",
        ),
        (["colums"], "no open_panels 'colums'.*Did you mean 'columns'"),
        ([["columns"]], "no open_panels"),
    ],
)
def test_only_panels_that_there_are_can_be_open(wrong, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        CxgWidget(small(10), open_panels=wrong)
    assert isinstance(caught.value, errors.CxgWidgetError)


def test_which_panels_are_open_is_part_of_the_state():
    w = CxgWidget(small(10))
    assert "open_panels" not in w.state
    w.open_panels = ("columns", "columns")
    assert w.state["open_panels"] == ["columns"]
    again = CxgWidget(small(10), **w.state)
    assert again.open_panels == ["columns"]
    w.close()
    again.close()


def test_loops_of_panels_are_loaded_once_a_page_that_has_the_module_opens_a_panel(built, monkeypatch, widget):
    loaded = []
    monkeypatch.setattr(Session, "prepare_columns", lambda _: loaded.append(1))
    widget.open_panels = ["genes"]
    widget.open_panels = []
    widget.front.ask(kind="module", known=[])
    widget.front.settle()
    assert not loaded  # a page at rest has the module, and may never open a panel
    widget.open_panels = ["columns"]
    widget.front.settle()
    assert loaded
