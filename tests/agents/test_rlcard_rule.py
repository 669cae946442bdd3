"""RLCard's rule agent plays here as it plays at home."""

import sys

import numpy as np
import pytest

from shangyou import agents, games
from shangyou.agents.play import play
from shangyou.engines import reference
from shangyou.engines.reference import View
from shangyou.games import NOBODY, PASS, BadInput
from shangyou.testing import check_agent

rlcard = pytest.importorskip("rlcard")
GAME = games.load("doudizhu")
TABLE, DECK = GAME.table, GAME.deck


def read(text):
    return 0 if text == "pass" else DECK.parse(text.translate(str.maketrans("BR", "SB")))


def view_of(raw):
    """What a seat of RLCard's game sees, as ours sees it; the hands of others and the history do not matter to the agent."""
    me, plays = raw["self"], [(seat, TABLE.find(read(text))) for seat, text in raw["trace"]]
    standing = [(seat, play) for seat, play in plays[-2:] if play != PASS]
    by, last = standing[-1] if standing else (NOBODY, PASS)
    last_by = (by - me) % 3 if standing else NOBODY
    hand = read(raw["current_hand"])
    landlord = (raw["landlord"] - me) % 3
    return View(GAME, hand, DECK.full - hand, (0,) * 3, (1,) * 3, last, last_by, landlord)


def positions(count):
    """Raw states of RLCard's own games, half of whose plays are random."""
    np.random.seed(5)  # noqa: NPY002
    env = rlcard.make("doudizhu", {"seed": 5})
    choose = np.random.default_rng(5)
    rule = agents.load("rlcard-rule").rule
    while count > 0:
        state, _ = env.reset()
        while not env.is_over() and count > 0:
            raw = state["raw_obs"]
            yield raw
            count -= 1
            play = rule.step(state) if choose.random() < 0.5 else choose.choice(raw["actions"])
            state, _ = env.step(str(play), raw_action=True)


def test_it_plays_as_in_rlcards_own_games():
    agent = agents.load("rlcard-rule", GAME)
    seen = {"lead": 0, "follow": 0, "drawn": 0}
    for raw in positions(1000):
        answers = {str(agent.rule.step({"raw_obs": raw})) for _ in range(12)}
        view = view_of(raw)
        played = agent.act(view, TABLE.held(view.hand, TABLE.answers(view.last)))
        rows = {TABLE.find(read(text)) for text in answers}
        assert played in rows or len(rows) > 1, raw
        seen["drawn" if len(rows) > 1 else "lead" if view.last == PASS else "follow"] += 1
    assert seen["lead"] > 100
    assert seen["follow"] > 200
    assert seen["drawn"] > 0


def choice(hand, last="", last_by=NOBODY, landlord=0, seed=0):
    held, row = DECK.parse(hand), TABLE.find(DECK.parse(last))
    seen = View(GAME, held, DECK.full - held, (0,) * 3, (1,) * 3, row, last_by, landlord)
    return TABLE.labels[agents.load("rlcard-rule", GAME, seed).act(seen, TABLE.held(held, TABLE.answers(row)))]


@pytest.mark.parametrize(
    ("hand", "last", "last_by", "landlord", "played"),
    [
        ("34567K", "", NOBODY, 0, "34567"),
        ("SB", "", NOBODY, 0, "SB"),
        ("3345", "", NOBODY, 0, "33"),
        ("56B", "S", 2, 2, "B"),
        ("4567", "3", 2, 0, "4"),
        ("4444SB5", "2", 2, 1, "S"),
        ("444456", "2", 2, 1, "pass"),  # the partner's
        ("444456", "2", 1, 1, "pass"),  # the landlord's, but the partner has passed
    ],
)
def test_known_positions(hand, last, last_by, landlord, played):
    assert choice(hand, last, last_by, landlord) == played


def test_it_draws_where_it_knows_no_answer():
    """A bomb or a pass, at random."""
    drawn = [choice("444456", "2", 2, 2, seed) for seed in range(40)]
    assert set(drawn) == {"pass", "4444"}
    assert 8 < drawn.count("pass") < 32


def test_the_kit_is_content_and_numpy_is_left_as_it_was():
    np.random.seed(7)  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    check_agent(lambda: agents.load("rlcard-rule", GAME, 3), GAME, games=5)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_what_numpy_has_drawn_before_does_not_matter():
    states = [reference.deal(GAME, 1, i) for i in range(5)]
    played = []
    for seed in (1, 2):
        np.random.seed(seed)  # noqa: NPY002
        played.append(play(GAME, [agents.load("rlcard-rule", GAME)] * 3, None, states))
    assert played[0] == played[1]


def test_an_illegal_answer_becomes_the_lowest_legal_play(monkeypatch):
    agent = agents.load("rlcard-rule", GAME)
    for nonsense in (None, "34", "2222"):
        monkeypatch.setattr(agent.rule, "step", lambda state, answer=nonsense: answer)
        state = reference.deal(GAME, 1)
        legal = reference.legal(state)
        assert agent.act(reference.view(state), legal) == legal[0]


def test_it_is_for_doudizhu_and_says_what_it_needs(monkeypatch):
    with pytest.raises(BadInput, match="plays doudizhu only"):
        agents.load("rlcard-rule", games.load("zsy2"))
    monkeypatch.setitem(sys.modules, "rlcard.models.doudizhu_rule_models", None)
    with pytest.raises(BadInput, match="needs rlcard: pip install rlcard"):
        agents.load("rlcard-rule", GAME)


def test_plays_that_rlcard_does_not_know():
    """Both jokers as kickers: it passes on such a play, and makes none where it could."""
    game = games.load("doudizhu", joker_kickers=True)
    agent, table, deck = agents.load("rlcard-rule", game), game.table, game.deck

    def answer(hand: str, last: str) -> str:
        held = deck.parse(hand)
        view = View(game, held, deck.full - held, (0,) * 3, (1,) * 3, table.find(deck.parse(last)), 2, 0)
        return table.labels[agent.act(view, table.held(held, table.answers(view.last)))]

    assert answer("4444 5 6", "3333SB") == "pass"
    assert "5555SB" in [
        table.labels[row] for row in table.held(deck.parse("5555SB"), table.answers(table.find(deck.parse("333346"))))
    ]
    assert answer("5555SB", "333346") in ("5555", "SB", "pass")
