"""Random games to be written down and read again."""

from random import Random

from shangyou import games, records
from shangyou.engines import reference
from shangyou.records import Record


def random_states(name, rules, seed):
    """Every state of a random game, in which seats mostly play high: passes are not all there is."""
    chance = Random(f"{name}{rules}{seed}")
    state = reference.deal(games.load(name, **rules), seed)
    yield state
    while not state.over:
        if state.bidding:
            state = reference.bid(state, chance.choice(reference.legal_bids(state)))
        else:
            legal = reference.legal(state).tolist()
            state = reference.step(state, chance.choice(legal if chance.random() < 0.5 else legal[-4:]))
        yield state


def random_record(name, rules, seed, finished=True):
    """A finished game, or one broken off anywhere."""
    states = list(random_states(name, rules, seed))
    state = states[-1] if finished else Random(seed).choice(states[:-1])
    return Record.from_state(state, [f"player {seat}" for seat in range(state.game.seats)], f"{name} {seed}")


def read_all(folder, content, name="records.txt", **options):
    """The records of a file of this content."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return list(records.read(path, **options))
