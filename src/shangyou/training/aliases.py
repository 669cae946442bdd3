"""Names that older checkpoints and commands use, and what they are called now. Nothing else knows the old ones."""

from typing import Any

SETTINGS = {
    "aims": "objectives",
    "gauge_games": "eval_deals",
    "gauge_seconds": "eval_seconds",
    "keep_seconds": "checkpoint_seconds",
}


def current_name(setting: str) -> str:
    return SETTINGS.get(setting, setting)


def upgraded(checkpoint: dict[str, Any]) -> dict[str, Any]:
    """A checkpoint with the names of this version. Those without an algorithm are of dmc or, with a width, of bids."""
    args = {current_name(name): value for name, value in checkpoint["args"].items()}
    progress = {name: value for name, value in checkpoint["progress"].items() if name != "bids"}
    algorithm = checkpoint.get("algorithm", "bids" if "width" in args else "dmc")
    if algorithm == "bids":
        args = {"game": "doudizhu", "rules": "bidding=true", **args}
    return {**checkpoint, "algorithm": algorithm, "args": args, "progress": progress}
