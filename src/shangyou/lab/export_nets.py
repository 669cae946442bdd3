"""Nets of finished experiments as models: to be played in the arena, or anywhere without torch."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from shangyou import lab
from shangyou.games import BadInput
from shangyou.lab.stages import Context
from shangyou.nets.net import Net
from shangyou.records.files import write_file


def nets_of(experiment: str) -> Callable[[Context], dict[str, Net]]:
    """What makes the nets of an experiment that has any to export: its function `nets`."""
    if (nets := getattr(lab.find(experiment), "nets", None)) is not None:
        return nets  # type: ignore[no-any-return]
    have = [name for name in lab.EXPERIMENTS if hasattr(lab.find(name), "nets")]
    raise BadInput(f"{experiment} has no nets to export; {', '.join(have)} have")


def export_nets(ctx: Context, experiment: str, folder: Path, only: list[str] | None = None) -> list[Path]:
    """The nets of an experiment, or some of them, as NAME.onnx; the files. Trained first, if they are not yet."""
    from shangyou.nets.export import to_onnx  # needs onnx and onnxscript, which experiments do without

    nets, recipe = nets_of(experiment)(ctx), getattr(lab.find(experiment), "RECIPE", None)
    if unknown := [name for name in only or [] if name not in nets]:
        raise BadInput(f"{experiment} has no net {', '.join(unknown)}; it has {', '.join(nets)}")
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name in only or nets:
        about: dict[str, Any] = {
            "experiment": experiment, "scale": ctx.scale, "seed": ctx.seed, "nets": getattr(nets[name], "nets", 1),
            **({"recipe": asdict(recipe)} if recipe else {}),
        }  # fmt: skip
        files.append(folder / f"{name}.onnx")
        write_file(files[-1], to_onnx(nets[name].eval(), ctx.game, about), overwrite=True)
    return files
