"""The games in OpenSpiel: its own checks, its algorithms, and the same games as the reference engine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from math import comb, isclose, prod
from pathlib import Path

import numpy as np
import pytest

from games.variants import VARIANTS, variant_name
from shangyou import games
from shangyou.engines import reference
from shangyou.games import BadInput
from shangyou.spaces import act

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import cfr, exploitability, generate_playthrough, ismcts, mcts  # noqa: E402
from open_spiel.python.observation import INFO_STATE_OBS_TYPE  # noqa: E402
from open_spiel.python.policy import UniformRandomPolicy  # noqa: E402

from shangyou.openspiel import MOST_DEALS  # noqa: E402

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=variant_name)

ALL = os.environ.get("SHANGYOU_ALL") == "1"  # make test-all
TINY = "shangyou_zsy2(cards_each=2,pack=33 44,first_lead=seat0)"


def load(variant):
    name, rules = variant
    return pyspiel.load_game(f"shangyou_{name}", rules)


def random_game(game, seed, until=None):
    """The states of a game of random outcomes and actions."""
    state, rng = game.new_initial_state(), np.random.default_rng(seed)
    yield state
    while not state.is_terminal():
        chance = state.chance_outcomes() if state.is_chance_node() else [(action, 0) for action in state.legal_actions()]
        outcomes, weights = map(np.array, zip(*chance, strict=True))
        state = state.child(int(rng.choice(outcomes, p=weights / weights.sum() if weights.any() else None)))
        yield state


@pytest.mark.parametrize(
    "variant", VARIANTS if ALL else [one for one in VARIANTS if one != ("zsy4", {"decks": 2})], ids=variant_name
)
def test_the_simulation_test_passes(variant):
    if "decks" in variant[1] and not ALL:
        pytest.skip("8 s: make test-all")
    pyspiel.random_sim_test(load(variant), num_sims=1, serialize=variant[0] != "zsy4", verbose=False)


@every_variant
def test_a_game_pays_what_the_engine_pays(variant):
    *_, end = random_game(load(variant), 5)
    deal = end.engine_state.start
    state = reference.start(games.load(variant[0], **variant[1]), deal)
    played = len(end.engine_state.bids) + len(end.engine_state.history)
    for action in end.history()[-played:]:
        state = act(state, action)
    assert state.over
    assert end.returns() == list(state.scores)
    assert state.game.make_deal(deal.hands, deal.public, deal.first) == deal


@pytest.mark.parametrize("variant", [one for one in VARIANTS if one[0] != "zsy4"], ids=variant_name)
def test_a_seat_is_told_nothing_of_hidden_cards(variant):
    """Cards it does not see are dealt anew; what it is told stays the same, number by number."""
    game = load(variant)
    observers = [game.make_py_observer(), game.make_py_observer(INFO_STATE_OBS_TYPE)]
    *_, start = (state for state in random_game(game, 7) if not state.is_terminal() and len(state.history()) < 70)
    state, changed = start if start.engine_state else start.parent, set()
    for player in range(game.num_players()):
        for sample in range(4):
            other = state.resample_from_infostate(player, lambda sample=sample: sample / 7)
            changed.add(other.engine_state.hands)
            assert other.history()[-3:] == state.history()[-3:]
            for observer in observers:
                assert observer.string_from(other, player) == observer.string_from(state, player)
                observer.set_from(other, player)
                seen = observer.tensor.copy()
                observer.set_from(state, player)
                assert (seen == observer.tensor).all()
    assert len(changed) > 4


def test_hidden_cards_with_suits_are_not_dealt_anew():
    *_, state = random_game(load(("zsy4", {})), 1)
    with pytest.raises(BadInput, match="zsy4: hidden cards are dealt anew only where suits do not matter"):
        state.resample_from_infostate(0, lambda: 0.5)


# -- dealing ----------------------------------------------------------------------------------------------------------


def all_deals(state, probability=1.0):
    if not state.is_chance_node():
        yield state.engine_state.start, probability
        return
    outcomes = state.chance_outcomes()
    assert isclose(sum(p for _, p in outcomes), 1)
    for outcome, p in outcomes:
        yield from all_deals(state.child(outcome), probability * p)


def test_every_deal_is_one_path_as_likely_as_its_cards():
    game = pyspiel.load_game("shangyou_zsy2(cards_each=2,pack=333 4456)")
    deals = list(all_deals(game.new_initial_state()))
    assert len(set(deals)) == len({deal for deal, _ in deals}) == len(deals)
    pack, deck = Counter("3334456"), games.load("zsy2").deck
    for deal, probability in deals:
        mine, other = (Counter(deck.format(hand)) for hand in deal.hands)
        ways = prod(comb(pack[c], mine[c]) * comb(pack[c] - mine[c], other[c]) for c in pack)
        assert isclose(probability, ways / (comb(7, 2) * comb(5, 2)) / 2)  # and a coin for the lead
    assert isclose(sum(probability for _, probability in deals), 1)


def test_there_are_as_many_deals_as_the_game_says():
    game = pyspiel.load_game("shangyou_zsy2(cards_each=1)")
    assert len(list(all_deals(game.new_initial_state()))) == 2 * games.load("zsy2", cards_each=1).number_of_deals


def test_a_pack_too_small_is_refused():
    with pytest.raises(BadInput, match="pack 334: 3 cards, and zsy2 deals 4"):
        pyspiel.load_game("shangyou_zsy2", {"cards_each": 2, "pack": "334"})


def test_a_rule_that_does_not_exist_is_refused():
    with pytest.raises(BadInput, match=r"zsy2 rules: cards_each=99 is not one of 1\.\.20"):
        pyspiel.load_game("shangyou_zsy2(cards_each=99)")


def test_nobody_bids_until_the_game_is_drawn():
    game = pyspiel.load_game("shangyou_doudizhu(bidding=True)")
    state, rng, rows = game.new_initial_state(), np.random.default_rng(2), len(games.load("doudizhu").table)
    while not state.is_terminal():
        state.apply_action(int(rng.choice([o for o, _ in state.chance_outcomes()])) if state.is_chance_node() else rows)
    assert state.returns() == [0, 0, 0]
    assert state.history().count(rows) >= 3 * MOST_DEALS
    assert len(state.history()) <= game.max_history_length()


# -- algorithms -------------------------------------------------------------------------------------------------------


def test_counterfactual_regret_minimization_approaches_an_equilibrium():
    game = pyspiel.load_game(TINY)
    assert isclose(exploitability.nash_conv(game, UniformRandomPolicy(game)), 5 / 6)
    solver, found = cfr.CFRSolver(game), []
    for _ in range(3):
        for _ in range(8):
            solver.evaluate_and_update_policy()
        found.append(exploitability.nash_conv(game, solver.average_policy()))
    assert all(later < 0.7 * earlier for earlier, later in pairwise(found))
    assert found[-1] < 0.05


def test_tree_search_over_sampled_cards_plays_doudizhu_with_bidding():
    """Seat 0 searches, the others play at random."""
    game, rng = pyspiel.load_game("shangyou_doudizhu(bidding=True)"), np.random.RandomState(3)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, rng), 2.0, 8, random_state=rng)
    state, searched = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            action = rng.choice(outcomes, p=weights)
        elif state.current_player():
            action = rng.choice(state.legal_actions())
        else:
            action = bot.step(state)
            searched += len(state.legal_actions()) > 1
        state.apply_action(int(action))
    assert searched > 5
    assert state.engine_state.over
    assert state.returns() == list(state.engine_state.scores)


def test_a_playthrough_is_written():
    text = generate_playthrough.playthrough(TINY, None, seed=1)
    assert "GameType.provides_information_state_tensor = True" in text
    assert "ObservationString(0)" in text


# -- around it --------------------------------------------------------------------------------------------------------


def test_without_openspiel_the_error_names_the_extra():
    program = "import sys; sys.modules['pyspiel'] = None; import shangyou.openspiel"
    failed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert "pip install 'shangyou[openspiel]'" in failed.stderr


def test_the_page_shows_what_its_example_prints():
    """In a process of its own, which must end well: OpenSpiel keeps the classes of games until the very end."""
    page = (Path(__file__).parents[1] / "docs" / "openspiel.md").read_text(encoding="utf-8")
    example, printed = re.findall(r"```(?:python)?\n(.*?)```", page, re.DOTALL)[:2]
    done = subprocess.run([sys.executable, "-c", example], capture_output=True, text=True, check=True)
    assert done.stdout == printed
