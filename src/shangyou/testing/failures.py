"""How a failed check shows where it failed."""

from shangyou.engines.reference import State
from shangyou.games import Game


def position(state: State) -> str:
    """Where a check failed, in words: enough to get there again."""
    game, hand = state.game, state.game.deck.format(state.hands[state.turn])
    rules = " ".join(f"{name}={value}" for name, value in game.rules.changes().items())
    where = f"{game.name} ({rules or 'default rules'}) seed {state.seed} deal {state.index} turn {len(state.history)}"
    return f"{where}: seat {state.turn} holds {hand or 'nothing'}, to beat {game.table.labels[state.last]}"


def require(holds: bool, what: str, where: State | Game) -> None:
    """`assert` with the position, and one that Python's -O does not take away."""
    if not holds:
        raise AssertionError(f"{what}\n  {position(where) if isinstance(where, State) else f'{where.name} {where.rules}'}")
