"""An agent that plays by an ONNX model, with numpy and onnxruntime alone.

n positions, N legal plays in all.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt
import onnxruntime

from shangyou.agents.agent import Agent, Values
from shangyou.agents.errors import Why
from shangyou.agents.scripted.bidding import bid_by_strength
from shangyou.engines.position import legal
from shangyou.engines.reference import View
from shangyou.games import NOBODY, PASS, BadInput, Game, Rows, load_text
from shangyou.nets.spec import ALL_OBJECTIVES, MODEL_NAMES, NO_BID, OBJECTIVES, value_of

Floats = npt.NDArray[np.float32]
Arrays = dict[str, npt.NDArray[np.int64]]

SUPPLIED = (
    "hand", "unseen", "played", "left", "last", "last_by", "landlord", "public", "passed", "bombs", "history", "history_by",
    "last_cards", "aim", "rows", "plays", "play_cards", "bids",
)  # fmt: skip
"""The inputs that a model may have, by their names in the model."""


class Estimate(NamedTuple):
    """What a model expects of each legal play, [N]."""

    value: Values  # by which the agent chooses
    win: Floats | None = None  # chance of winning, and points, if the model estimates them
    points: Floats | None = None


@dataclass(frozen=True)
class ModelInfo:
    """The metadata of a model."""

    kind: str  # value: for plays; bids: for bids
    game: str
    rules: str
    table: str  # hash of the table of plays
    encoding: int
    turns: int  # past plays it wants to see
    about: dict[str, Any]  # how it was trained and how strong it was found
    objectives: list[str] = field(default_factory=lambda: list(OBJECTIVES))  # what it can be asked to play for


class Model:
    """An ONNX file in onnxruntime, and its metadata."""

    def __init__(self, path: Path, kind: str = "value", threads: int = 1) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = threads, 3
        try:
            self.session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has a class for every way a file can be wrong, and no common one
            raise BadInput(Why.model_fault(path=str(path), error=str(error).splitlines()[0])) from error
        self.info = _read_info(path, self.session.get_modelmeta().custom_metadata_map)
        if self.info.kind != kind:
            raise BadInput(Why.model_kind(path=str(path), found=self.info.kind, wanted=kind))
        self.inputs = [given.name for given in self.session.get_inputs()]
        self.outputs = [answer.name for answer in self.session.get_outputs()]

    def check_plays(self, game: Game) -> None:
        """Refuse a game with another table of plays, and unknown inputs. The encoder is inside, of whatever version."""
        if game.table.hash != self.info.table:
            made_for = f"{self.info.game} ({self.info.rules}), table {self.info.table}"
            raise BadInput(Why.model_game(made_for=made_for, wanted=f"{game.name} ({game.rules}), table {game.table.hash}"))
        if unknown := [name for name in self.inputs if name not in SUPPLIED]:
            raise BadInput(Why.model_inputs(inputs=unknown))

    def other_rules(self, game: Game) -> str:
        """The rules of its training that this game, with the same table of plays, does not have; "" if there are none."""
        return " ".join(rule for rule in self.info.rules.split() if rule not in str(game.rules).split())

    def stakes(self, view: View) -> float:
        """How many times as much is played for as in the games of its training, bombs aside: it does not see bids.

        1 where the bids are not known, there or here.
        """
        here = view.game.stake(max((points for _, points in view.bids), default=0), 0)
        return here / self._stake if here and self._stake else 1.0

    @cached_property
    def _stake(self) -> int:
        """What its training was played for without bombs; 0 where bids decided."""
        return load_text(self.info.game, self.info.rules).stake(0, 0)

    def run(self, arrays: Arrays) -> list[Floats]:
        """The answers of the model to arrays by the names of `Inputs`; those that are no inputs of the model are ignored."""
        named = {MODEL_NAMES.get(name, name): array for name, array in arrays.items()}
        return self.session.run(None, {name: named[name] for name in self.inputs})  # type: ignore[no-any-return]


def _read_info(path: Path, metadata: dict[str, str]) -> ModelInfo:
    try:
        info = ModelInfo(**{key: json.loads(value) for key, value in metadata.items()})
        for name, kind in get_type_hints(ModelInfo).items():
            if not isinstance(getattr(info, name), get_origin(kind) or kind):
                raise TypeError(name)
        return info
    except (TypeError, ValueError) as error:
        raise BadInput(Why.model_metadata(path=str(path), found=sorted(metadata) or Why.none_there())) from error


class NetAgent(Agent):
    """Plays what is best for its objective, to win or points, by the estimates of its model."""

    def __init__(self, path: Path, name: str, objective: str = "win", bids: Path | None = None) -> None:
        self.name, self.objective = name, objective
        self.model = Model(path)
        if objective not in self.model.info.objectives:
            raise BadInput(Why.objective(objective=objective, options=self.model.info.objectives))
        self.bids = Model(bids, kind="bids") if bids else None

    def estimate_many(self, views: Sequence[View], legals: Sequence[Rows]) -> list[Estimate]:
        """What the model expects of every legal play of many positions, in one call."""
        if not views:
            return []
        for game in {view.game for view in views}:
            self.model.check_plays(game)
        ends = np.cumsum([len(legal) for legal in legals])[:-1]
        answers = self.model.run(self.inputs(views, legals))
        value = value_of([column.astype(np.float64) for column in answers], self.objective)
        columns = [value, *(answers if len(answers) > 1 else ())]
        if len(columns) > 1:
            stakes = [self.model.stakes(view) for view in views]
            columns[2] = columns[2] * np.repeat(stakes, [len(legal) for legal in legals])
        return [Estimate(*parts) for parts in zip(*(np.split(column, ends) for column in columns), strict=True)]

    def inputs(self, views: Sequence[View], legals: Sequence[Rows]) -> Arrays:
        """The legal plays of many positions as inputs of the model."""
        cards = {"play_cards": _cards_of(views, legals)} if "play_cards" in self.model.inputs else {}
        return (
            arrays_of(views, self.model.info.turns)
            | cards
            | {
                "objective": np.full(len(views), ALL_OBJECTIVES.index(self.objective)),
                "rows": np.repeat(np.arange(len(views)), [len(legal) for legal in legals]),
                "plays": np.concatenate(legals).astype(np.int64),
            }
        )

    def estimate(self, view: View, legal: Rows) -> Estimate:
        return self.estimate_many([view], [legal])[0]

    def values(self, view: View, legal: Rows) -> Values:
        return self.estimate(view, legal).value

    def act_many(self, views: Sequence[View], legals: Sequence[Rows]) -> list[int]:
        estimates = self.estimate_many(views, legals)
        return [int(legal[np.argmax(one.value)]) for legal, one in zip(legals, estimates, strict=True)]

    def bid(self, view: View, bids: tuple[int, ...]) -> int:
        """The bid with the highest expected points; by the strength of the hand where there is no model for bids."""
        points = self.bid_points(view, bids)
        return bid_by_strength(view, bids) if points is None else max(bids, key=lambda bid: points[bids.index(bid)])

    def bid_points(self, view: View, bids: tuple[int, ...]) -> list[float] | None:
        """The points expected of each of these bids; None where there is no model for bids."""
        if self.bids is None:
            return None
        made = view.auction
        so_far = [[made.get(seat, NO_BID) for seat in range(view.game.seats)]]
        (points,) = self.bids.run({"hand": np.array([view.game.deck.words(view.hand)]), "bids": np.array(so_far)})
        return [float(points[0, bid]) for bid in bids]

    def double(self, view: View) -> bool:
        """The landlord by the points of its best lead; a peasant by strength, as a model answers for the seat to act alone."""
        points = None if view.role else self.estimate(view, legal(view)).points
        return super().double(view) if points is None else bool(points.max() > 0)


def _cards_of(views: Sequence[View], legals: Sequence[Rows]) -> npt.NDArray[np.int64]:
    """[N, W] the very cards of each legal play."""
    pairs = ((view, play) for view, legal in zip(views, legals, strict=True) for play in legal.tolist())
    return np.array([view.game.deck.words(view.game.pick(view.hand, play)) for view, play in pairs], np.int64)


def arrays_of(views: Sequence[View], turns: int) -> Arrays:
    """Views as arrays, by the fields of `nets.inputs.Inputs` without the objective."""
    seats, words = views[0].game.seats, views[0].game.deck.words
    history = [view.history[: -turns - 1 : -1] for view in views]
    columns = {
        "hand": [words(view.hand) for view in views],
        "unseen": [words(view.unseen) for view in views],
        "played": [[words(cards) for cards in view.played] for view in views],
        "left": [view.left for view in views],
        "last": [view.last for view in views],
        "last_by": [view.last_by for view in views],
        "landlord": [view.landlord for view in views],
        "public": [view.public for view in views],
        "passed": [[seat in view.passed for seat in range(seats)] for view in views],
        "bombs": [sum(turn.play in view.game.table.bombs for turn in view.history) for view in views],
        "last_cards": [words(view.last_cards) for view in views],
        "history": [[turn.play for turn in past] + [PASS] * (turns - len(past)) for past in history],
        "history_by": [[turn.seat for turn in past] + [NOBODY] * (turns - len(past)) for past in history],
    }
    return {name: np.array(column, np.int64) for name, column in columns.items()}
