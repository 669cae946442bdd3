"""The files of trained models: champions and the papers' nets in this package, others in the user's folder, any by its path.

`champion/zsy2` is a champion, `paper/convnet2` a net of a published experiment or of what came out of it; `mine/second` is
second.onnx of folder mine under `models_folder()`.
"""

import os
import re
from pathlib import Path

from shangyou.agents.errors import Why
from shangyou.games import BadInput

CHAMPIONS = Path(__file__).parents[2] / "champions"
PAPERS = Path(__file__).parents[2] / "papers"
SUFFIX = ".onnx"
BIDS = "-bids"  # ends the name of the model that bids, in the folder of the model that plays
HANDS = "-hands"  # likewise of the model that infers hidden hands
BESIDE = (BIDS, HANDS)  # no agents

received: dict[str, Path] = {}  # models that came with work from another machine, by the names that they have there


def models_folder() -> Path:
    """Where models of the user's own are stored; SHANGYOU_MODELS says where else."""
    chosen = os.environ.get("SHANGYOU_MODELS")
    return Path(chosen) if chosen else Path.home() / ".local" / "share" / "shangyou" / "models"


def champions() -> dict[str, Path]:
    """The models that come with this package, by name."""
    return {f"champion/{path.stem}": path for path in sorted(CHAMPIONS.glob(f"*{SUFFIX}")) if not path.stem.endswith(BESIDE)}


def papers() -> dict[str, Path]:
    """The nets of published experiments, and of what came out of them, in this package, by name; a folder for each game."""
    return {f"paper/{path.stem}": path for path in sorted(PAPERS.glob(f"*/*{SUFFIX}"), key=_numbers_as_such)}


def _numbers_as_such(path: Path) -> tuple[str, list[tuple[int, str]]]:
    """To sort by: first the game, then net2 before net10."""
    parts = re.split(r"(\d+)", path.stem)
    return path.parent.name, [(int(part), "") if part.isdigit() else (-1, part) for part in parts]


def list_models() -> dict[str, Path]:
    """Every model there is, by name; those of this package first."""
    folder = models_folder()
    files = (path for path in sorted(folder.rglob(f"*{SUFFIX}")) if not path.stem.endswith(BESIDE))
    own = {path.relative_to(folder).with_suffix("").as_posix(): path for path in files}
    ours = champions() | papers()
    return ours | own | ours  # first, and never hidden by another of the same name


def is_model(name: str) -> bool:
    """Whether a name is that of a model rather than of a scripted agent."""
    base = name.partition(":")[0]  # the objective may follow
    if base in received:
        return True
    return not base.endswith(".py") and ("/" in base or base.endswith(SUFFIX) or base in list_models())


def find_model(name: str) -> Path:
    if name in received:
        return received[name]
    if name.endswith(SUFFIX):
        path = Path(name)
        if not path.is_file():
            raise BadInput(Why.no_model_file(path=name))
        return path
    models = list_models()
    if name not in models:
        raise BadInput(Why.no_model(name=name, options=list(models) or Why.none_there()))
    return models[name]


def find_bids(path: Path) -> Path | None:
    """The model that bids for the one at `path`, if there is one."""
    bids = bids_beside(path)
    return bids if bids.is_file() else None


def bids_beside(path: Path) -> Path:
    return path.with_name(path.stem + BIDS + SUFFIX)


def champion_hands(game: str) -> Path:
    """The model in this package that infers hidden hands."""
    path = CHAMPIONS / f"{game}{HANDS}{SUFFIX}"
    if not path.is_file():
        raise BadInput(Why.no_hands_model(game=game))
    return path
