"""The notebooks run from top to bottom, each in a kernel of its own, and what they assert holds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples" / "notebooks").glob("*.ipynb"))
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_there_are_four():
    assert len(NOTEBOOKS) == 4


@every_notebook
@pytest.mark.filterwarnings("ignore:.*:DeprecationWarning:zmq")
def test_a_notebook_runs(path, monkeypatch):
    """With the processors that the tests have, and, unless everything is tested, with less to compute."""
    if os.environ.get("SHANGYOU_ALL") != "1":
        monkeypatch.setenv("SHANGYOU_NOTEBOOKS", "quick")
    notebook = nbformat.read(path, as_version=4)
    assert sum("assert " in cell.source for cell in notebook.cells if cell.cell_type == "code") >= 2
    NotebookClient(notebook, timeout=400, resources={"metadata": {"path": path.parent}}).execute()


@every_notebook
def test_a_notebook_is_stored_without_outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if cell["cell_type"] == "code")
    assert cells[0]["cell_type"] == cells[-1]["cell_type"] == "markdown"
