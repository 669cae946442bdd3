"""Nets of finished experiments as models: to be played in the arena, or anywhere without torch."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from shangyou.games import BadInput
from shangyou.lab.deep_zsy import NAMES, RECIPE, deep_q_nets, train_td
from shangyou.lab.findings.training import recurrent_populations
from shangyou.lab.kept_nets import ensemble_of
from shangyou.lab.old_dqn import MODEL_13, train_model_13
from shangyou.lab.populations import Trained, battle_royale_population, round_robin_population
from shangyou.lab.taught import WIDE, teacher_of, train_students
from shangyou.lab.workshop import Lab
from shangyou.nets.papers import Ensemble
from shangyou.records.files import write_file


def deep_zsy(lab: Lab) -> dict[str, Ensemble]:
    nets = deep_q_nets(lab)
    found = {f"deep-q-{i}": ensemble_of(lab, nets, [name]) for i, name in enumerate(NAMES, 1)}
    return found | {"td-linear": Ensemble([train_td(lab)])}


def iterations(lab: Lab) -> dict[str, Ensemble]:
    return {"old-dqn": ensemble_of(lab, train_model_13(lab, "swapped")[-1]["nets"], ["Model 13"])}


def battle_royale(lab: Lab) -> dict[str, Ensemble]:
    """As the paper ran it."""
    return {f"{name}-as-run": panel for name, panel in _survivors(lab, battle_royale_population(lab)).items()}


def findings(lab: Lab) -> dict[str, Ensemble]:
    """Loss and ties put right."""
    recurrent, round_robin = recurrent_populations(lab, [0])[0], round_robin_population(lab, "log")
    return _survivors(lab, battle_royale_population(lab, "log")) | {
        "mean6": ensemble_of(lab, round_robin.nets, round_robin.ranking[:6]),
        "conv-lstm": ensemble_of(lab, recurrent.nets, ["conv with LSTM"]),
        "taught": ensemble_of(lab, train_students(lab, teacher_of(lab)).nets, [WIDE]),
    }


def _survivors(lab: Lab, trained: Trained) -> dict[str, Ensemble]:
    """Every net that remained, and the aggregate of the paper's tables. Others are joined by name: `mean:paper/...`."""
    found = {name.lower(): ensemble_of(lab, trained.nets, [name]) for name in trained.alive}
    return found | {"min6": ensemble_of(lab, trained.nets, trained.ranking[:6], "min")}


MODELS = {"deep-zsy": deep_zsy, "iterations": iterations, "battle-royale": battle_royale, "findings": findings}
RECIPES: dict[str, Any] = {"deep-zsy": RECIPE, "iterations": MODEL_13}


def check_has_nets(experiment: str) -> None:
    if experiment not in MODELS:
        raise BadInput(f"{experiment} has no nets to export; {', '.join(MODELS)} have")


def export_models(lab: Lab, experiment: str, folder: Path, only: list[str] | None = None) -> list[Path]:
    """The nets of an experiment, or some of them, as NAME.onnx; where they lie. Trained first, if they are not yet."""
    check_has_nets(experiment)
    from shangyou.nets.export import to_onnx  # needs onnx and onnxscript, which experiments do without

    panels = MODELS[experiment](lab)
    if unknown := [name for name in only or [] if name not in panels]:
        raise BadInput(f"{experiment} has no net {', '.join(unknown)}; it has {', '.join(panels)}")
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name in only or panels:
        about = {"experiment": experiment, "scale": lab.scale, "seed": lab.seed, "nets": panels[name].nets}
        if experiment in RECIPES:
            about["recipe"] = asdict(RECIPES[experiment])
        files.append(folder / f"{name}.onnx")
        write_file(files[-1], to_onnx(panels[name].eval(), lab.game, about), overwrite=True)
    return files
