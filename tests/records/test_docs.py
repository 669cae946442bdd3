"""The examples of the page on records are true."""

import re
from pathlib import Path

from records.random_games import read_all

PAGE = (Path(__file__).parent.parent.parent / "docs" / "records.md").read_text()


def test_text_example(tmp_path):
    (example,) = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    found = read_all(tmp_path, example)
    assert [record.result.finished for record in found] == [True, True, False]


def test_python_example(tmp_path, monkeypatch, capsys):
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    exec(example, {})
    assert "Result(finished=True" in capsys.readouterr().out
