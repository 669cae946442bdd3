"""The package as others get it: wheel and sdist built, installed into an empty environment, a game played there.

The environment has the files of the wheel and nothing of this checkout. What the package depends on is read from the
environment of the tests by a path file, since installing it again takes a minute; of this, what only the extras bring cannot be
imported there. `make test-all` installs the dependencies too.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest
import yaml

import shangyou
from shangyou import agents, games
from shangyou.evaluation.backends import Contestant
from shangyou.evaluation.match import evaluate

ROOT = Path(__file__).parents[1]
ALL = os.environ.get("SHANGYOU_ALL") == "1"  # make test-all
EXTRAS = ("torch", "pyarrow", "matplotlib", "onnx", "pettingzoo", "pyspiel", "torchrl", "mcp", "psycopg")
ONLY_EXTRAS = f"import sys; sys.modules.update(dict.fromkeys({EXTRAS}))"  # None: importing it is an error
PLAY = ["match", "doudizhu", "champion/doudizhu", "greedy", "--deals", "2", "--seed", "7", "--json"]
MOST_BYTES = 100_000_000  # what PyPI takes


def run(*words, **options):
    """Without what the tests were started with, such as a path to the sources."""
    env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": str(options.get("cwd", "/"))}
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True, env=env, timeout=600, **options)


def build(what, source, target):
    """The file of a wheel or sdist that hatchling, our build backend, makes of a source tree."""
    run(sys.executable, "-m", "hatchling", "build", "--target", what, "--directory", target, cwd=source)
    (file,) = target.glob("*.whl" if what == "wheel" else "*.tar.gz")
    return file


def contents(wheel):
    """A hash of every file."""
    with zipfile.ZipFile(wheel) as packed:
        return {name: sha256(packed.read(name)).hexdigest() for name in packed.namelist()}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    target = tmp_path_factory.mktemp("dist")
    return build("wheel", ROOT, target), build("sdist", ROOT, target)


@pytest.fixture(scope="module")
def environment(built, tmp_path_factory):
    """The folder of commands of an empty environment with the wheel."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    pip = (
        sys.executable,
        "-m",
        "pip",
        "--python",
        folder / "bin" / "python",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    )
    if ALL:
        run(*pip, "-c", ROOT / "constraints.txt", built[0])
        return folder / "bin"
    run(*pip, "--no-deps", "--no-index", "--no-compile", built[0])
    (site,) = folder.glob("lib/*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")  # its own path files are not read again
    (site / "sitecustomize.py").write_text(ONLY_EXTRAS)
    return folder / "bin"


def test_the_wheel_holds_the_package_as_it_is(built):
    wheel, sdist = built
    files = (path for path in (ROOT / "src" / "shangyou").rglob("*") if path.is_file())
    package = [path for path in files if "__pycache__" not in path.parts]
    expected = {str(path.relative_to(ROOT / "src")): sha256(path.read_bytes()).hexdigest() for path in package}
    found = contents(wheel)
    assert {name: found[name] for name in found if name.startswith("shangyou/")} == expected
    for name in ("py.typed", "champions/doudizhu.onnx", "web/static/index.html", "web/static/lessons/zsy2.json"):
        assert f"shangyou/{name}" in found
    assert any(name.startswith("shangyou/web/storage/migrations/versions/") for name in found)
    assert max(wheel.stat().st_size, sdist.stat().st_size) < MOST_BYTES


def test_the_sdist_builds_the_same_wheel(built, tmp_path):
    wheel, sdist = built
    with tarfile.open(sdist) as packed:
        packed.extractall(tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    assert contents(build("wheel", source, tmp_path / "dist")) == contents(wheel)


def test_the_wheel_plays_in_an_empty_environment(environment, tmp_path):
    where = run(environment / "python", "-c", "import shangyou; print(shangyou.__version__, shangyou.__file__)", cwd=tmp_path)
    version, file = where.stdout.split()
    assert version == shangyou.__version__
    assert Path(file).is_relative_to(environment.parent)
    assert run(environment / "shangyou", "--version", cwd=tmp_path).stdout == f"shangyou {version}\n"
    played = json.loads(run(environment / "shangyou", *PLAY, cwd=tmp_path).stdout)
    here = [Contestant(name, partial(agents.load, name)) for name in PLAY[2:4]]  # on the reference engine
    match = evaluate(games.load("doudizhu"), *here, deals=2, seed=7)
    assert (played["games"], played["win_rate"], played["mean_points"]) == (4, match.total.win.mean, match.total.points.mean)


def test_an_extra_that_is_not_installed_is_named(environment, tmp_path):
    failed = subprocess.run(
        [environment / "shangyou", "train", "zsy2", "--minutes", "1"], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert failed.returncode == 2
    assert "pip install shangyou[train]" in failed.stderr


# -- what says something about the package ----------------------------------------------------------------------------


def test_the_citation_is_one():
    """What the schema of Citation File Format 1.2.0 asks for, and the version it is about."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["cff-version"] == "1.2.0"
    assert all(isinstance(cited[key], str) for key in ("message", "title", "abstract", "type", "license", "version"))
    assert cited["authors"]
    assert all(set(author) & {"name", "family-names"} for author in cited["authors"])
    for reference in cited["references"]:
        assert {"type", "title", "authors"} <= set(reference)
    assert set(cited) <= {
        "cff-version", "message", "title", "abstract", "type", "license", "version", "authors", "keywords", "references",
    }  # fmt: skip
    assert cited["version"] == shangyou.__version__
    assert (cited["type"], cited["license"]) == ("software", "Apache-2.0")


def test_the_changelog_keeps_its_form():
    """That of Keep a Changelog 1.1.0: versions, latest first, the next one on top, and six kinds of change."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    versions = re.findall(r"^## (.*)$", text, re.M)
    assert versions[0] == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", version) for version in versions[1:])
    kinds = re.findall(r"^### (.*)$", text, re.M)
    assert kinds
    assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
