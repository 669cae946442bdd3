"""The View that is made of a state message is the one the server made the message of."""

import json
from random import Random

import pytest

from games.variants import VARIANTS, variant_name
from shangyou import games
from shangyou.client.view import legal_of, view_of
from shangyou.engines import reference
from shangyou.games import BadInput
from shangyou.web.table import Seat, Table
from shangyou.web.wire.messages import state_message


def random_game(name, rules, seed):
    """A table at every turn of a game of random bids and plays."""
    game, chance = games.load(name, **rules), Random(seed)
    table = Table("t", reference.deal(game, seed), tuple(Seat("person", "A", seat) for seat in range(game.seats)))
    while not table.state.over:
        yield table
        bids = reference.legal_bids(table.state)
        table = table.bid(chance.choice(bids)) if bids else table.play(chance.choice(reference.legal(table.state).tolist()))


def sent(table, seat):
    return json.loads(state_message(table, seat).model_dump_json())


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)
def test_views_of_whole_games(variant):
    name, rules = variant
    compared = 0
    for seed in range(4):
        for table in random_game(name, rules, seed):
            seat = table.state.turn
            assert view_of(table.game, sent(table, seat)) == reference.view(table.state, seat)
            assert legal_of(table.game, sent(table, seat)).tolist() == reference.legal(table.state).tolist()
            compared += 1
    assert compared > 40


def test_another_table_of_plays_is_found():
    table = next(random_game("zsy2", {}, 1))
    with pytest.raises(BadInput, match="it has another version of the game"):
        legal_of(games.load("doudizhu"), sent(table, table.state.turn))
