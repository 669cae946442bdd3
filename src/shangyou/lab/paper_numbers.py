"""What the papers print, and what their logs report beyond that; the numbers and their sources are in `paper_numbers.toml`."""

import tomllib
from pathlib import Path
from typing import Any

_NUMBERS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_TABLES = {name: {key: value for key, value in table.items() if key != "source"} for name, table in _NUMBERS.items()}

Shares = dict[str, list[float]]
"""By agent, the shares won against Random, Greedy and the Old DQN."""

DEEP_ZSY: dict[str, list[float]] = _TABLES["deep_zsy"]
DEEP_ZSY_TRAINING: dict[str, float] = _TABLES["deep_zsy_training"]
MODELS: dict[str, list[float]] = _TABLES["models"]
STORED_MODELS: dict[str, list[float]] = _TABLES["stored_models"]
STORED_RESULTS: dict[str, Any] = _TABLES["stored_results"]
ITERATIONS: list[list[float]] = _TABLES["iterations"]["percent"]

EXPERIMENT_1_LOG: Shares = _TABLES["experiment_1_log"]
PEOPLE: dict[str, list[int]] = _TABLES["people"]
MILESTONE: Shares = _TABLES["milestone"]
EXPERIMENT_2_LOG: Shares = _TABLES["experiment_2_log"]
EXPERIMENT_5_LOG: Shares = _TABLES["experiment_5_log"]
TABLE_1: dict[str, float] = _TABLES["table_1"]
TABLE_2: Shares = _TABLES["table_2"]
TABLE_3: dict[str, float] = _TABLES["table_3"]
TABLE_4: Shares = _TABLES["table_4"]
EXPERIMENT_4_LOG_2: Shares = _TABLES["experiment_4_log_2"]
EXPERIMENT_4_LOG_5: Shares = _TABLES["experiment_4_log_5"]
LAST_STEP_OF_REMOVED: dict[str, int] = _TABLES["last_step_of_removed"]
BEST: dict[str, float] = _TABLES["best"]
GAMES_IN_TABLES: list[int] = _TABLES["tables"]["games"]
EXPLORATION_IN_TABLES: float = _TABLES["tables"]["exploration"]
DIFFERENT_CHOICES_OF_CONVNETS: str = _TABLES["tables"]["different_choices_of_convnets"]

DEEPROCKET_MATCH: dict[str, list[int]] = _TABLES["deeprocket_match"]
DEEPROCKET_ACCURACY: dict[str, str] = _TABLES["deeprocket_accuracy"]
