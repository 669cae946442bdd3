"""Round robins: the matches of all pairs, told from both sides; their picture."""

import sys

import pytest

from shangyou import games
from shangyou.evaluation import match as module
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.match import evaluate
from shangyou.evaluation.plots import plot_tournament
from shangyou.evaluation.tournament import play_tournament
from shangyou.games import BadInput

ZSY2 = games.load("zsy2")
NAMES = "greedy", "paper-greedy", "random"
CAST = [by_name(name, seed) for seed, name in enumerate(NAMES)]


@pytest.fixture(scope="module")
def tournament():
    return play_tournament(ZSY2, CAST, deals=40, seed=3)


def test_every_pair_plays_its_match(tournament):
    assert len(tournament.matches) == 6
    alone = evaluate(ZSY2, CAST[0], CAST[2], deals=40, seed=3)
    assert tournament.matches["greedy", "random"].total == alone.total
    assert tournament.deals_played == 3 * 40
    assert tournament.games == 6 * 40


def test_what_one_wins_the_other_loses(tournament):
    for (a, b), match in tournament.matches.items():
        other = tournament.matches[b, a]
        assert match.total.points.mean == -other.total.points.mean
        assert match.total.win.mean == pytest.approx(1 - other.total.win.mean)
        assert match.total.win.half_width == pytest.approx(other.total.win.half_width)


def test_standings_and_ratings_agree_on_the_order(tournament):
    assert tournament.ranking == list(NAMES)
    standing = tournament.standing("greedy")
    rates = [tournament.win_rate("greedy", other) for other in NAMES[1:]]
    assert standing.win.mean == pytest.approx(sum(rates) / 2)
    assert standing.win.count == 40
    ratings = tournament.ratings()
    assert ratings["greedy"].mu > ratings["paper-greedy"].mu > ratings["random"].mu
    assert all(rating.games == 160 for rating in ratings.values())
    assert tournament.win_rate("greedy", "greedy") is None


def test_in_four_seats_each_is_alone_against_the_other():
    cast = [by_name("greedy"), by_name("random")]
    played = play_tournament(games.load("zsy4"), cast, deals=3, seed=3)
    match, other = played.matches["greedy", "random"], played.matches["random", "greedy"]
    assert match.games == 24
    assert match.by_role["three"].points.mean == -other.by_role["alone"].points.mean
    assert match.by_role["three"].win.mean == pytest.approx((1 - other.by_role["alone"].win.mean) / 3)
    assert played.ratings()["greedy"].mu > played.ratings()["random"].mu


def test_interrupting_keeps_what_was_played(monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 4)
    monkeypatch.setattr("shangyou.evaluation.tournament.deals_at_once", lambda game, contestants: 4)
    seen = []

    def watch(tournament):
        seen.append(tournament)
        if len(seen) == 4:  # of three pairs the first has played twice
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_tournament(ZSY2, CAST, deals=40, seed=3, after_each=watch)
    kept = seen[-1]
    assert [match.deals for match in kept.matches.values()] == [8, 4, 8, 4, 4, 4]
    assert kept.standing("greedy").win.count == 4
    assert sum(rating.games for rating in kept.ratings().values()) == 2 * 2 * (8 + 4 + 4)


def test_a_tournament_needs_different_agents():
    for cast in ([], CAST[:1], [CAST[0], CAST[0]]):
        with pytest.raises(BadInput, match="two or more different agents"):
            play_tournament(ZSY2, cast, deals=1, seed=3)


# -- the picture -----------------------------------------------------------------------------------------------------


def test_the_heat_map_has_names_and_numbers(tournament, tmp_path):
    path = tmp_path / "heat.svg"
    plot_tournament(tournament, path)
    text = path.read_text(encoding="utf-8")
    for name in NAMES:
        assert f"<!-- {name} -->" in text
    assert f"<!-- {tournament.win_rate('greedy', 'random'):.3f} -->" in text
    plot_tournament(tournament, tmp_path / "heat.PNG")
    assert (tmp_path / "heat.PNG").read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_drawn_is_said(tournament, tmp_path, monkeypatch):
    with pytest.raises(BadInput, match=r"must end in \.svg or \.png"):
        plot_tournament(tournament, tmp_path / "heat.pdf")
    with pytest.raises(BadInput, match="there is no folder"):
        plot_tournament(tournament, tmp_path / "nowhere" / "heat.svg")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BadInput, match="plots need matplotlib"):
        plot_tournament(tournament, tmp_path / "heat.svg")
