"""People's games: who won them, and who would have played the same."""

from dataclasses import replace

import pytest

from shangyou import agents, games
from shangyou.games import BadInput
from shangyou.lab.experiments.people import HUMAN, _read, agreement, people_won
from shangyou.records import Record
from shangyou.records.jsonl import format_jsonl

GAME = games.load("zsy2")


def record(players, seed, names):
    state = agents.play_game(GAME, [agents.load(name) for name in players], seed=seed)
    return replace(Record.from_state(state), players=names)


@pytest.fixture(scope="module")
def played():
    """Somebody who plays as greedy does, against random."""
    return [record(["greedy", "random"], seed, (HUMAN, "random@1")) for seed in range(8)]


def test_who_plays_as_the_agent_does_agrees_with_it_always(played):
    shares = agreement(played)
    assert shares["greedy"].mean == 1.0
    assert shares["random"].mean < 0.7
    assert set(shares) == {"random", "greedy", "paper-greedy", "champion/zsy2"}


def test_plays_of_agents_are_not_asked_about(played):
    turned = [replace(one, players=(HUMAN, "greedy")) for one in (record(["random", "greedy"], seed, ()) for seed in range(8))]
    assert agreement(turned)["greedy"].mean < 0.7  # the greedy seat would agree with itself
    assert agreement([replace(played[0], players=("a", "b"))]) == {}


def test_wins_are_counted_for_every_person_at_the_table(played):
    ((key, share),) = people_won(played).items()
    assert key == ("zsy2", "random@1")
    assert share.mean == sum(0 in one.result.winners for one in played) / 8
    both = [replace(one, players=(HUMAN, HUMAN)) for one in played]
    assert people_won(both) == {}  # no agent took part


def test_games_are_read_from_a_folder_and_bad_ones_are_named(played, tmp_path):
    assert list(_read(tmp_path / "none")) == []
    (tmp_path / "games.jsonl").write_text(format_jsonl(played))
    assert len(list(_read(tmp_path))) == 8
    (tmp_path / "worse.jsonl").write_text(format_jsonl(played[:1]) + '{"game": "zsy2"}\n')
    with pytest.raises(BadInput, match=r"worse\.jsonl, line 2"):
        list(_read(tmp_path))
