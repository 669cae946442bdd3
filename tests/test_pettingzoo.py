"""The PettingZoo environments: the library's own tests, and the same games as the reference engine."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from games.variants import VARIANTS, variant_name
from shangyou import games
from shangyou.engines import reference
from shangyou.games import BadInput, IllegalPlay
from shangyou.pettingzoo import ILLEGAL_REWARD, env, raw_env

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)


def make(variant, **options):
    name, rules = variant
    return env(name, **options, **rules)


@pytest.mark.filterwarnings(
    # api_test knows by name which of PettingZoo's own games observe with a mask, and warns about every other one.
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
    # Nothing is legal once a game is over, and api_test looks at the last observations too.
    "ignore:Action mask numpy array is all zeros:UserWarning",
)
@every_variant
def test_the_api_test_passes(variant):
    api_test(make(variant), num_cycles=100)


@every_variant
def test_the_seed_test_passes(variant):
    seed_test(lambda: make(variant), num_cycles=50)


@every_variant
def test_a_game_pays_what_the_engine_pays(variant):
    for seed in range(3):
        table, generator = make(variant), np.random.default_rng(seed)
        table.reset(seed=seed)
        state = reference.deal(games.load(variant[0], **variant[1]), seed)
        paid = {}
        for agent in table.agent_iter():
            seen, reward, over, _, _ = table.last()
            if over:
                paid[agent] = reward
                table.step(None)
                continue
            assert agent == f"player_{state.turn}"
            action = int(generator.choice(np.flatnonzero(seen["action_mask"])))
            rows = len(state.game.table)
            state = reference.bid(state, action - rows) if state.bidding else reference.step(state, action)
            table.step(action)
        assert state.over
        assert paid == {f"player_{seat}": score for seat, score in enumerate(state.scores)}


@every_variant
def test_an_observation_is_what_the_seat_sees(variant):
    """Taken apart by its slices, in the middle of a game, for every seat."""
    table = make(variant).unwrapped
    table.reset(seed=4)
    for _ in range(9):
        table.step(int(np.flatnonzero(table.last()[0]["action_mask"])[-1]))
    game, position = table.game, table.position
    for seat, agent in enumerate(table.agents):
        numbers = table.observe(agent)["observation"]
        part = {name: numbers[where].tolist() for name, where in table.slices.items()}
        seen = reference.view(position, seat)
        assert part["hand"] == [game.deck.copies(seen.hand, *kind) for kind in game.deck.kinds]
        assert part["unseen"] == [game.deck.copies(seen.unseen, *kind) for kind in game.deck.kinds]
        assert part["left"] == list(seen.left)
        assert sum(part["played"]) == sum(map(game.deck.size, seen.played))
        assert sum(part["to_beat"]) == game.table.size[seen.last]
        assert part["to_beat_by"] == [int(seen.last_by == other) for other in range(game.seats)]
        assert numbers.size == max(where.stop for where in table.slices.values())


def test_bids_are_the_last_four_actions():
    table = env("doudizhu", bidding=True)
    table.reset(seed=0)
    rows = len(table.unwrapped.game.table)
    assert table.action_space("player_0").n == rows + 4
    assert np.flatnonzero(table.last()[0]["action_mask"]).tolist() == [rows, rows + 1, rows + 2, rows + 3]
    bidder = table.agent_selection
    table.step(rows + 2)
    seen = table.observe(bidder)["observation"]
    assert seen[table.unwrapped.slices["bids"]].tolist() == [3, 0, 0]  # one more than the bid; 0 is not yet
    assert seen[table.unwrapped.slices["public"]].sum() == 0  # not shown before there is a landlord


def test_an_illegal_play_loses_the_game(caplog):
    table = env("zsy2")
    table.reset(seed=0)
    culprit = table.agent_selection
    table.step(0)  # the leader may not pass
    assert "Illegal move made" in caplog.text
    assert all(table.terminations.values())
    assert table.rewards[culprit] == ILLEGAL_REWARD


def test_the_raw_environment_says_why_a_play_is_illegal():
    table = raw_env("zsy2")
    table.reset(seed=0)
    with pytest.raises(IllegalPlay, match="the leader may not pass"):
        table.step(0)


def test_resets_without_a_seed_go_through_the_deals_of_one_seed():
    table = raw_env("zsy2")
    table.reset(seed=5)
    table.reset()
    assert table.position == reference.deal(table.game, 5, 1)
    one, other = raw_env("zsy2"), raw_env("zsy2")
    one.reset()
    other.reset()
    assert one.position.seed != other.position.seed


def test_an_environment_can_be_pickled():
    copy = pickle.loads(pickle.dumps(raw_env("zsy4", decks=2)))
    assert copy.game.rules == games.load("zsy4", decks=2).rules


def test_ansi_draws_the_table():
    table = env("doudizhu", render_mode="ansi")
    table.reset(seed=1)
    assert "> player_0  landlord" in table.render()
    assert "player_0 leads" in table.render()
    table.step(1)
    assert "to beat: 3 by player_0" in table.render()


def test_human_prints_each_position(capsys):
    table = env("zsy2", render_mode="human")
    table.reset(seed=1)
    table.step(int(np.flatnonzero(table.last()[0]["action_mask"])[0]))
    assert capsys.readouterr().out.count("zsy2 seed 1 deal 0") == 2


def test_a_render_mode_that_does_not_exist_is_refused():
    with pytest.raises(BadInput, match="render mode 'rgb_array' is not one of human, ansi"):
        env(render_mode="rgb_array")


def test_without_pettingzoo_the_error_names_the_extra():
    program = "import sys; sys.modules['pettingzoo'] = None; import shangyou.pettingzoo"
    failed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert "pip install 'shangyou[pettingzoo]'" in failed.stderr


def test_the_page_shows_what_its_example_prints(capsys):
    page = (Path(__file__).parents[1] / "docs" / "pettingzoo.md").read_text(encoding="utf-8")
    example, printed = re.findall(r"```(?:python)?\n(.*?)```", page, re.DOTALL)
    exec(example, {})
    assert capsys.readouterr().out == printed
