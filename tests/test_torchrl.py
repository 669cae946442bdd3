"""The TorchRL environment: the library's own check, the same games as the batch engine, and one of its losses learns."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torchrl")

from torchrl.envs.utils import check_env_specs  # noqa: E402

from shangyou.agents.batch import load_batch  # noqa: E402
from shangyou.agents.batch.agent import BatchAgent  # noqa: E402
from shangyou.agents.batch.play import play  # noqa: E402
from shangyou.games import BadInput, IllegalPlay  # noqa: E402
from shangyou.torchrl import VIEW, env, raw_env  # noqa: E402

GAMES = [("zsy2", {"cards_each": 5}), ("zsy4", {"decks": 2}), ("doudizhu", {"spring": True})]
every_game = pytest.mark.parametrize(("game", "rules"), GAMES, ids=[name for name, _ in GAMES])
on_gpu = pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"))


class Lowest(BatchAgent):
    """Plays its lowest row: the first action of the environment."""

    name = "lowest"

    def values(self, view, legal):
        return -legal.plays.float()


@pytest.mark.parametrize("device", ["cpu", on_gpu])
@every_game
def test_the_check_of_specs_passes(game, rules, device):
    check_env_specs(env(game, games=8, device=device, others="random", **rules), break_when_any_done="both")


@pytest.mark.parametrize("device", ["cpu", on_gpu])
@every_game
def test_a_game_pays_what_the_engine_pays(game, rules, device):
    """The learner takes every first action, greedy has the other seats; the same games are played by the loop of agents."""
    table = raw_env(game, games=32, seed=5, device=device, **rules)
    seen, paid = table.reset(), torch.zeros(32, device=device)
    while not bool(seen["done"].all()):
        seen["action"] = torch.zeros(32, dtype=torch.long, device=device)
        seen = table.step(seen)["next"]
        paid += seen["reward"][:, 0]
    seats = torch.ones(32, table.game.seats, dtype=torch.long, device=device).scatter(1, table.learner[:, None], 0)
    agents = [Lowest(table.game), load_batch("greedy", table.game, device=device)]
    played = play(table.engine, agents, seats, table.engine.deal_these(table.state.index, 5))
    assert table.learner.unique().tolist() == list(range(table.game.seats))
    assert torch.equal(paid, played.scores.gather(1, table.learner[:, None])[:, 0].float())


def test_what_is_seen_is_the_view_of_the_seat():
    table = raw_env("doudizhu", games=6, turns=4, seed=3)
    seen, view = table.reset(), table.engine.view(table.state)
    for _, name in VIEW:
        if name != "objective":
            expected = getattr(view, name)
            assert torch.equal(seen["view", name], expected[:, :4] if name.startswith("history") else expected)
    legal = table.engine.legal(table.state)
    assert torch.equal(seen["plays"][seen["action_mask"]], legal.plays.long())


def test_hidden_cards_do_not_change_what_is_seen():
    """The hands of the two others are exchanged, which a peasant cannot know of a landlord whose cards are not public."""
    table = raw_env("doudizhu", games=6, seat=0)
    seen = table.reset()
    hands = table.state.cards[:3].clone()
    table.state.cards[:3] = hands[[0, 2, 1]]
    assert (table._observation() == seen.select("view", "plays", "action_mask")).all()
    assert not torch.equal(hands[1], hands[2])


def test_some_games_begin_anew_and_the_others_go_on():
    table = raw_env("zsy2", games=6, seed=2)
    before = table.reset()
    wanted = torch.tensor([0, 1, 0, 0, 1, 0], dtype=torch.bool)
    after = table.reset(before.clone().set("_reset", wanted[:, None]))
    same = (after["view", "hand"] == before["view", "hand"])[:, 0]
    assert torch.equal(same, ~wanted)
    assert table.state.index.tolist() == [0, 6, 2, 3, 7, 5]
    table.set_seed(2)
    assert torch.equal(table.reset()["view", "hand"], before["view", "hand"])


def test_of_too_many_plays_some_are_offered_evenly_spaced():
    wide, narrow = raw_env("doudizhu", games=16, seat=0), raw_env("doudizhu", games=16, seat=0, plays=8)
    all_plays, few = wide.reset(), narrow.reset()
    crowded = int((all_plays["action_mask"].sum(1) > 8).sum())
    assert narrow.left_out >= crowded > 10
    for plays, mask, offered in zip(all_plays["plays"], all_plays["action_mask"], few["plays"], strict=True):
        listed = plays[mask].tolist()
        assert offered.tolist() == ([listed[i * len(listed) // 8] for i in range(8)] if len(listed) > 8 else offered.tolist())


def test_an_illegal_action_is_named():
    table = raw_env("zsy2", games=4, cards_each=5)
    seen = table.reset()
    seen["action"] = torch.tensor([0, 0, 127, 0])
    with pytest.raises(IllegalPlay, match=r"action 127 of game 2: its legal plays are 0\.\.\d"):
        table.step(seen)


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("doudizhu", {"bidding": True}, "doudizhu with bidding: in this environment actions are plays"),
        ("zsy2", {"objective": "fun"}, "objective 'fun' is not one of win, points"),
        ("zsy2", {"seat": 2}, r"seat 2: zsy2 has seats 0\.\.1"),
        ("zsy2", {"games": 0}, "games 0 is not a number from 1 to"),
        ("zsy2", {"turns": 19}, "turns 19 is not a number from 1 to 18"),
    ],
)
def test_what_cannot_be_made_is_refused(game, options, message):
    with pytest.raises(BadInput, match=message):
        raw_env(game, **options)


def test_without_torchrl_the_error_names_the_extra():
    program = "import sys; sys.modules['torchrl'] = None; import shangyou.torchrl"
    failed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert "pip install 'shangyou[torchrl]'" in failed.stderr


def test_the_example_of_the_page_learns(capsys):
    """DQN of TorchRL, from nothing, beats random play, of which it wins half by itself."""
    page = (Path(__file__).parents[1] / "docs" / "torchrl.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    found = {}
    exec(example, found)
    assert 0.46 < found["before"] < 0.54
    assert found["after"] > 0.65
    assert capsys.readouterr().out == f"{found['before']:.2f} {found['after']:.2f}\n"
