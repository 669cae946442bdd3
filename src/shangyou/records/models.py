"""Models on disk: list them, check whether this version can play them, add new ones, export runs as models."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shangyou import agents, games
from shangyou.agents.models.model_files import BESIDE, SUFFIX, bids_beside, find_bids, find_model, list_models, models_folder
from shangyou.engines import reference
from shangyou.games import BadInput, Game
from shangyou.records.files import check_free, write_file
from shangyou.records.runs import BIDS_CHECKPOINT, CHECKPOINT, load_checkpoint

if TYPE_CHECKING:
    from shangyou.agents.models.net_agent import ModelInfo
    from shangyou.evaluation.exported import Fidelity
    from shangyou.training.algorithm import Checkpoint

RESERVED = ("champion", "paper")  # folders of names for the models that come with this package
EXPORTED = f"model{SUFFIX}"  # in the folder of its run, unless another is given
PRUNE_GAMES = 4000  # before a unit of a net counts as one that never fires


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model file, and whether this version can play it."""

    name: str
    path: Path
    size: int  # bytes
    info: ModelInfo | None  # nothing if the file is no model
    fault: str = ""  # why this version cannot play it

    @classmethod
    def of(cls, name: str, path: Path) -> StoredModel:
        from shangyou.agents.models.net_agent import Model  # brings in onnxruntime, which most commands do without

        info, fault = None, ""
        try:
            model = Model(path)
            info = model.info
            model.check_plays(game_of(info))
        except BadInput as error:
            fault = str(error)
        return cls(name, path, path.stat().st_size, info, fault)


def stored_models() -> list[StoredModel]:
    return [StoredModel.of(name, path) for name, path in list_models().items()]


def own_models() -> list[StoredModel]:
    """The user's own, without those of this package."""
    return [StoredModel.of(name, path) for name, path in list_models().items() if name not in agents.names()]


def remove(name: str) -> list[Path]:
    """Delete an own model and the one that bids for it; the files that are gone."""
    if name in agents.names() or name.split("/")[0] in RESERVED:
        raise BadInput(f"{name!r} comes with this package and stays; own models can be removed")
    if name.endswith(SUFFIX):
        raise BadInput(f"{name!r} is a file; models are removed by the names of shangyou model list")
    path = find_model(name)
    bids = find_bids(path)
    files = [path, bids] if bids else [path]
    try:
        for file in files:
            file.unlink()
    except OSError as error:
        raise BadInput(f"cannot remove {name}: {error.strerror or error}") from error
    return files


def game_of(info: ModelInfo) -> Game:
    """The game a model was made for, as this version has it."""
    return games.load_text(info.game, info.rules)


def training_of(info: ModelInfo) -> str:
    """How a model was trained, in a few words, if it says."""
    try:
        if "experiment" in info.about:
            return "shangyou lab {experiment} --scale {scale} --seed {seed}".format(**info.about)
        progress = info.about["progress"]
        won = [f"{opponent} {rate:.3f}" for opponent, (rate, _) in progress["strength"].items()]
        return f"{progress['games']:,} games in {progress['seconds'] / 60:.1f} min; won against {', '.join(won) or 'nobody'}"
    except (KeyError, TypeError, ValueError, AttributeError):  # free text, after all
        return ""


def add(source: Path, name: str, overwrite: bool = False) -> Path:
    """Check that a model can play and store a copy of it under a name of the user's own; the file of the copy.

    The model that bids for it is copied too, if there is one.
    """
    check_name(name)
    check_plays(source)
    target, bids = (models_folder() / name).with_suffix(SUFFIX), find_bids(source)
    check_free(target, overwrite)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if bids:
            write_file(bids_beside(target), bids.read_bytes(), overwrite=True)
        else:
            bids_beside(target).unlink(missing_ok=True)  # of the model that is overwritten
        write_file(target, source.read_bytes(), overwrite)
    except OSError as error:
        raise BadInput(f"cannot add {source} as {name}: {error.strerror or error}") from error
    return target


def check_name(name: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)?", name):
        raise BadInput(f"name {name!r}: letters, digits, - and _ are allowed, and one folder: mine/second")
    if name.split("/")[0] in RESERVED or name in agents.names() or name.endswith(BESIDE):
        taken = f"{'/..., '.join(RESERVED)}/..., the agents and names that end in {' or '.join(BESIDE)}"
        raise BadInput(f"name {name!r} is taken: {taken} are not for own models")


def check_plays(path: Path) -> ModelInfo:
    """Check that a file is a model of this version that answers for a position of its game; what it says about itself."""
    from shangyou.agents.models.net_agent import NetAgent

    if not path.is_file():
        raise BadInput(f"there is no model file {path}")
    agent = NetAgent(path, path.stem, bids=find_bids(path))
    game = game_of(agent.model.info)
    agent.model.check_plays(game)
    state = reference.deal(game, 0)
    while state.bidding:
        state = reference.bid(state, max(reference.legal_bids(state)))
    try:
        agent.estimate(reference.view(state), reference.legal(state))
    except Exception as error:  # onnxruntime has no common class for what can be wrong with a question
        raise BadInput(f"model {path} does not answer as a {game.name} model should: {str(error).splitlines()[0]}") from error
    return agent.model.info


def export(
    run: Path,
    target: Path | None = None,
    overwrite: bool = False,
    checkpoint: str = CHECKPOINT,
    prune_games: int = PRUNE_GAMES,
    only: str | None = None,
) -> dict[str, Path]:
    """Export the nets of a run folder as models, or one of several by its name; the file of each.

    Settings and progress of the run go into the model. Units that do not fire in so many games are left out where a net can be
    pruned; none are if `prune_games` is 0. The net that bids is exported too, if there is one.
    """
    try:
        from shangyou.nets.export import to_onnx
        from shangyou.training.algorithm import args_of
        from shangyou.training.pruning import prune
    except ImportError as missing:
        raise BadInput(f"export needs {missing.name}: pip install shangyou[train]") from missing
    stored, nets = _open(run, checkpoint)
    files, game, about = _targets(run, target, list(nets), only), args_of(stored).load_game(), _about(stored)
    for file in files.values():
        check_free(file, overwrite)
    for name, file in files.items():
        net = prune(nets[name], game, prune_games) if prune_games and nets[name].prunable else nets[name]
        write_file(file, to_onnx(net, game, about | ({"units": net.units} if net is not nets[name] else {})), overwrite)
    if (run / BIDS_CHECKPOINT).is_file():
        stored, nets = _open(run, BIDS_CHECKPOINT)
        model = to_onnx(nets["net"], args_of(stored).load_game(), _about(stored))
        for file in files.values():
            write_file(bids_beside(file), model, overwrite)
    return files


def export_playout(run: Path, target: Path, overwrite: bool = False) -> Path:
    """The small net of a run of `distill` as `search:` agents play games to their end by it (`search/playout_net.py`)."""
    from shangyou.search.playout_net import packed_playout_net
    from shangyou.training.algorithm import args_of

    stored, nets = _open(run, CHECKPOINT)
    args = args_of(stored)
    if stored["algorithm"] != "distill" or args.size.turns or args.size.head_depth or args.size.norm:
        raise BadInput(f"{run}: playouts need a run of distill with size.turns=0, size.head_depth=0 and without norm")
    check_free(target, overwrite)
    weights = {name: tensor.numpy() for name, tensor in nets["net"].state_dict().items()}
    write_file(target, packed_playout_net(args.load_game(), weights), overwrite)
    return target


def _about(stored: Checkpoint) -> dict[str, Any]:
    """What a model says about its training."""
    return {"algorithm": stored["algorithm"], "training": stored["args"], "progress": stored["progress"]}


def _targets(run: Path, target: Path | None, names: list[str], only: str | None) -> dict[str, Path]:
    """By the names of the nets to export, the files they will be."""
    if only is not None and only not in names:
        raise BadInput(f"{run} has no net {only!r}; it has {', '.join(names)}")
    if len(names) == 1:
        return {names[0]: target or run / EXPORTED}
    if target is not None and only is None:
        raise BadInput(f"{run} has {len(names)} nets and {target} is one file: --net chooses among {', '.join(names)}")
    return {name: target or run / f"{name}{SUFFIX}" for name in ([only] if only else names)}


def _open(run: Path, checkpoint: str) -> tuple[Checkpoint, dict[str, Any]]:
    """A checkpoint and its nets."""
    from shangyou.training.algorithm import nets_of

    stored = load_checkpoint(run, checkpoint)
    try:
        return stored, nets_of(stored)
    except (KeyError, TypeError, RuntimeError) as error:
        raise BadInput(f"{run} holds no checkpoint that this version can load: {str(error).splitlines()[0]}") from error


def fidelity(run: Path, model: Path, positions: int, checkpoint: str = CHECKPOINT, net: str = "net") -> Fidelity:
    """How far a model is from the net it was made of, both with the rounded weights of the model."""
    from shangyou.agents.models.hands import HandModel
    from shangyou.agents.models.net_agent import NetAgent
    from shangyou.evaluation.exported import compare, compare_scores
    from shangyou.nets.export import halved

    of_model = halved(_open(run, checkpoint)[1][net])
    if of_model.kind == "hands":
        hands = HandModel(model)
        return compare_scores(of_model, hands, game_of(hands.model.info), positions)
    agent = NetAgent(model, model.stem)
    return compare(of_model, agent, game_of(agent.model.info), positions)
