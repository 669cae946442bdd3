"""Every experiment at smoke scale: it runs, says what it should, goes on where it stopped, and says the same again."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
import torch
from rich.console import Console

from shangyou import lab as experiments
from shangyou.agents.models.net_agent import NetAgent
from shangyou.engines import reference
from shangyou.games import BadInput
from shangyou.lab import paper_numbers
from shangyou.lab.experiments.discordance import compare_choices
from shangyou.lab.experiments.findings.champion import _above
from shangyou.lab.experiments.findings.study import Claim, Study
from shangyou.lab.export_nets import export_nets, nets_of
from shangyou.lab.figures import dots
from shangyou.lab.old_dqn import scripted, train_model_13
from shangyou.lab.page import Page
from shangyou.lab.populations import ROUND_ROBIN, round_robin_population
from shangyou.lab.rates import PrintedRate, Rate
from shangyou.lab.stages import Context
from shangyou.nets.papers import EXPERIMENT_5
from shangyou.training.population import Population

RATE = re.compile(r"^\d\.\d{3} ± \d\.\d{3}$")


def make_context(folder: Path, seed: int = 0, device: str = "cpu", name: str = "deep-zsy") -> Context:
    return Context(experiments.find(name).SETUPS, "smoke", seed, device, folder, Console(file=StringIO()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Experiments that need the same nets share them here."""
    return tmp_path_factory.mktemp("lab")


@pytest.fixture(scope="module")
def page_of(folder):
    """The text of an experiment's page, made once."""
    made: dict[str, str] = {}

    def page(name: str) -> str:
        if name not in made:
            made[name] = experiments.run(name, make_context(folder, name=name), folder / "results").read_text()
        return made[name]

    return page


def tables(text: str) -> list[list[list[str]]]:
    """The cells of every table, heads first."""
    found: list[list[list[str]]] = []
    for line, before in zip(text.splitlines(), ["", *text.splitlines()], strict=False):
        if line.startswith("|"):
            if not before.startswith("|"):
                found.append([])
            found[-1].append([cell.strip() for cell in line.strip("|").split("|")])
    return [[table[0], *table[2:]] for table in found]


def mean(cell: str) -> float:
    assert RATE.match(cell), cell
    return float(cell.split()[0])


@pytest.mark.parametrize("name", experiments.EXPERIMENTS)
def test_an_experiment_writes_its_page(name, page_of, folder):
    text = page_of(name)
    assert f"`shangyou lab {name} --scale smoke --seed 0` on cpu" in text
    for figure in re.findall(r"!\[.*?\]\((.*?)\)", text):
        assert (folder / "results" / figure).read_text().startswith("<?xml")
    for table in tables(text):
        assert {len(row) for row in table} == {len(table[0])}
        assert len(table) > 1
    opened = text.split("##")[0].splitlines()[4:]
    assert [re.match(r"- \*\*(.+?)\*\*: \S", line)[1] for line in opened[:3]] == ["Asked", "The paper", "Found"]
    assert opened[4].startswith("![")


@pytest.mark.parametrize("name", experiments.EXPERIMENTS)
def test_the_numbers_of_its_tables_are_beside_it(name, page_of, folder):
    text = page_of(name)
    stored = json.loads((folder / "results" / f"{name}.json").read_text())
    assert stored["command"] == f"shangyou lab {name} --scale smoke --seed 0"
    shown = tables(text)
    assert [table["columns"] for table in stored["tables"]] == [table[0] for table in shown]
    for numbers, (_, *lines) in zip(stored["tables"], shown, strict=True):
        for cells, line in zip(numbers["rows"], lines, strict=True):
            assert all(text in _texts_of(cell) for cell, text in zip(cells, line, strict=True))


def _texts_of(cell):
    """What a page may show for a stored cell: an interval has two forms."""
    if isinstance(cell, dict):
        low, high = cell["interval"]
        return f"{cell['mean']:.3f} ± {(high - low) / 2:.3f}", f"{cell['mean']:.3f} ({low:.3f} .. {high:.3f})"
    return ("" if cell is None else f"{cell:.3f}" if isinstance(cell, float) else str(cell).strip(),)


def test_a_printed_rate_judges_ours_by_its_own_games():
    said = PrintedRate(0.5, 100)  # Wilson's interval: 0.404 .. 0.596
    verdicts = [said.verdict(Rate(mean, 0.01, 10_000)) for mean in (0.5, 0.41, 0.4, 0.605, 0.65)]
    close = "; the intervals meet"
    assert verdicts == ["within", "within", f"outside by 0.004{close}", f"outside by 0.009{close}", "outside by 0.054"]


def test_deep_q_learns_and_stands_beside_the_paper(page_of):
    rates, headlines, checked, learned = tables(page_of("deep-zsy"))
    by_name = {row[0]: row for row in rates[1:]}
    assert by_name["Deep Q, as played"][1] == "0.719"
    assert by_name["Deep Q, 2nd iteration, as played"][5] == "67.3"
    assert mean(by_name["Deep Q, fixed"][4]) > 0.6  # against random
    assert [row[0] for row in learned[1:]] == ["Deep Q", "Deep Q, 2nd iteration"]
    assert float(learned[1][4]) < 0.69  # better than knowing nothing
    assert headlines[1][:2] == ["Deep Q against Greedy", "0.719 (0.710 .. 0.728)"]
    assert all(re.fullmatch(r"within|outside by 0\.\d{3}(; the intervals meet)?", row[3]) for row in headlines[1:])
    assert checked[1] == ["the paper's, as played", "0.757", "0.972"]
    assert len(checked) == 2 + 2 * 4  # two ways to begin, twice each, told of first moves in two ways
    assert all(mean(row[2]) > 0.6 for row in checked[2:])


def test_models_10_to_16_are_there_in_three_ways(page_of):
    (table,) = tables(page_of("hyperparameters"))
    assert [row[0] for row in table[1:]] == list(paper_numbers.MODELS)
    stored = {row[0] for row in table[1:] if row[6]}
    assert stored == set(paper_numbers.STORED_MODELS)
    assert all(RATE.match(row[5]) and RATE.match(row[7]) and RATE.match(row[11]) for row in table[1:])


def test_tables_1_to_4_have_their_rows(page_of):
    for name, average, shares in (
        ("aggregation", paper_numbers.TABLE_1, paper_numbers.TABLE_2),
        ("battle-royale", paper_numbers.TABLE_3, paper_numbers.TABLE_4),
    ):
        ranked, *static = tables(page_of(name))[:4]
        nets = 12 if name == "aggregation" else 24
        assert len(ranked) == 1 + nets + 9 + 3
        said = {row[0]: row[1] for row in ranked[1:] if row[1]}
        assert said == {agent: f"{share:.3f}" for agent, share in average.items()}
        averages = [mean(row[2]) for row in ranked[1:]]
        assert averages == sorted(averages, reverse=True)
        assert sum(averages) / len(averages) == pytest.approx(0.5, abs=1e-3)  # what one wins another loses
        for place, table in enumerate(static):
            said = {row[0]: row[1] for row in table[1:] if row[1]}
            assert said == {agent: f"{three[place]:.3f}" for agent, three in shares.items()}
        headlines, iterations = tables(page_of(name))[4:6]
        assert len(headlines) == 1 + 3 * len(shares)
        assert iterations[0] == ["against", *shares, "within"]
        assert iterations[1][1:-1] == [f"{three[2]:.3f}" for three in shares.values()]
        assert [row[0] for row in iterations[2:]] == ["iteration 1", "iteration 2"]
        assert all(re.fullmatch(rf"\d of {len(shares)}", row[-1]) for row in iterations[2:])


def test_every_net_of_the_battle_royale_is_accounted_for(page_of):
    text = page_of("battle-royale")
    removed = next(table for table in tables(text) if table[0][1] == "last step, paper")
    assert {row[0] for row in removed[1:]} == set(EXPERIMENT_5)
    alive = sum(row[2] == "" for row in removed[1:])
    assert f"{alive} nets remained" in text


def test_discordance_is_of_thousands_of_positions_and_nobody_differs_from_itself(page_of, folder):
    page_of("discordance")
    ctx = make_context(folder)
    seen = compare_choices(ctx, "discordance", round_robin_population(ctx))
    assert seen["positions"] > 500
    assert seen["cosine"].shape == seen["different"].shape == (12, 12)
    torch.testing.assert_close(seen["cosine"].diagonal(), torch.ones(12, dtype=torch.float64))
    assert (seen["different"].diagonal() == 0).all()
    assert torch.equal(seen["different"], seen["different"].T)
    assert 0 < seen["different"][0, 8] < 1


@pytest.mark.parametrize(
    ("won", "verdict"),
    [
        ([0.6, 0.61, 0.62], "yes"),
        ([0.4, 0.41, 0.42], "no, the second"),
        ([0.5, 0.501, 0.502], "undecided"),  # too few games
        ([0.55, 0.6, 0.9], "undecided"),  # every seed says so, but they differ by more
        ([0.6], "yes, in one seed"),
        ([0.4], "no, the second, in one seed"),
        ([0.51], "undecided"),
    ],
)
def test_a_claim_needs_its_games_and_its_seeds(won, verdict):
    deals = torch.arange(1000) / 1000
    claim = Claim.of([(deals < share).float() for share in won])
    assert claim.verdict == verdict
    assert claim.rate.mean == pytest.approx(sum(won) / len(won))
    assert claim.seeds == ", ".join(f"{share:.3f}" for share in won)


def test_the_interval_over_seeds_is_students():
    deals = torch.arange(1000) / 1000
    claim = Claim.of([(deals < share).float() for share in (0.5, 0.6, 0.7)])
    assert claim.over_seeds == pytest.approx(4.303 * 0.1 / 3**0.5, abs=1e-3)


def test_findings_are_nine(page_of, folder):
    text = page_of("findings")
    assert re.findall(r"^## \((.)\)", text, re.M) == list("abcdefghi")
    assert "wins 0." in text
    claims = (folder / "results" / "findings-claims.svg").read_text()
    assert re.findall(r"<!-- \(([a-i])\) .* vs .* -->", claims) == [*"abbccccddddeeeeeefggiiiiii"]
    (alone,) = (table for table in tables(text) if table[1][0] == "the best of the battle royale")
    assert [row[1] for row in alone[1:]] == ["1"] * 5
    against_best, distilled, together = tables(text)[-3:]
    assert [row[0] for row in distilled[1:]][-3:] == [
        "wide DenseNet, distilled",
        "wide DenseNet, trained on who won",
        "their teacher",
    ]
    assert {row[4].removesuffix(", in one seed") for row in together[1:]} <= {"yes", "no, the second", "undecided"}
    (errors,) = (table for table in tables(text) if table[0][1] == "the six, on average")
    average, best, joined = map(float, errors[1][1:])
    assert best <= average
    assert joined <= average  # a mean chance is never worse than chances are on average
    assert len(together) == 1 + 26
    assert {"Deep Q, 2nd iteration", "Mean6 of the battle royale, fixed", "conv with LSTM", "wide DenseNet, distilled"} <= {
        row[0] for row in against_best
    }


def test_a_finished_stage_is_not_done_again(page_of, folder, monkeypatch):
    before = page_of("aggregation")

    def fail(*args: object) -> None:
        raise AssertionError("was done again")

    monkeypatch.setattr(Population, "run", fail)
    monkeypatch.setattr("shangyou.lab.rates.shares_won", fail)
    assert experiments.run("aggregation", make_context(folder), folder / "again").read_text() == before


@pytest.mark.parametrize(
    ("name", "trained"),
    [
        ("ddqn-pool", 8 + 3 + 4),  # six rows and two of Monte Carlo; three with two packs; four that compare gradients
        ("deeprocket", 3 + 2 + 1),  # full, distilled, by policy gradient; two rows of the sweep; hidden hands
    ],
)
def test_a_page_is_made_again_without_nets(page_of, folder, tmp_path, name, trained):
    """Nets are large and curves and rates are not: a page is made again from the latter, on another machine too."""
    before, context = page_of(name), make_context(tmp_path, name=name)
    stages, prefix = folder / context.folder.name, name.split("-")[0]
    runs = [path for path in stages.iterdir() if path.is_dir()]
    assert len([run for run in runs if run.name.startswith(prefix)]) == trained
    ignored = {path.name for path in runs}
    shutil.copytree(stages, context.folder, ignore=lambda _, names: ignored & set(names), dirs_exist_ok=True)
    assert experiments.run(name, context, tmp_path / "results").read_text() == before
    assert not [path for path in context.folder.iterdir() if path.is_dir()]


def test_deeprocket_stands_beside_the_paper(page_of):
    text = page_of("deeprocket")
    accuracy, by_choice, duels, ten_deals, *of_positions, rounds, of_gradient, of_hands, sweep = tables(text)
    assert [row[0] for row in accuracy[1:]] == ["full", "distilled"]
    assert [row[0] for row in sweep[1:]] == ["base", "a net a role"]
    labels, bound = (float(accuracy[1][column].split()[0]) for column in (3, 4))
    assert 0 < labels <= bound < 100
    assert ["2+ legal labels", "policy"] in [row[:2] for row in by_choice]
    assert [row[:3] for row in rounds[1:3]] == [["distilled", "rule", "as landlord"], ["distilled", "rule", "as peasants"]]
    assert [row[0] for row in rounds[5:]] == ["full"] * 4
    beside = [f"{one} - champion/doudizhu" for one in ("full", "distilled")]
    assert [row[0] for row in duels[1:]] == ["full - distilled", *beside]
    assert [row[0] for row in of_gradient[1:]][-1] == "by policy gradient - champion/doudizhu"
    assert "Reinforcement as in AlphaGo" in text
    assert ten_deals[1][0] == "DeepRocket"
    assert [row[-1] for row in ten_deals[1:3]] == ["30", "24"]
    assert len(of_positions) == 3
    assert of_hands[1][:2] == ["all", "30"]
    assert ["champion/doudizhu", "3"] in [row[:2] for row in of_positions[0]]  # the low single that the paper praises
    assert "86 to 88%" in text


def test_the_same_seed_gives_the_same_page(page_of, folder, tmp_path):
    first = page_of("round-robin")
    assert experiments.run("round-robin", make_context(tmp_path), tmp_path).read_text() == first


def test_faults_are_mended_one_after_the_other(page_of):
    """The first nets, of random games: plain zeros on first moves and ties change what the same weights play."""
    for table in tables(page_of("iterations")):
        assert table[0] == ["iteration", "paper", "as run", "first moves", "ties", "log loss"]
        assert all(RATE.match(cell) for row in table[1:] for cell in row[2:])
        columns = list(zip(*table[1:], strict=True))[2:]
        assert len(set(columns)) == len(columns)


def test_another_seed_gives_another_page_beside_the_first(page_of, tmp_path):
    page = experiments.run("iterations", make_context(tmp_path / "stages", seed=1), tmp_path)
    assert sorted(file.name for file in tmp_path.glob("*.*")) == [
        "iterations-seed1-rates.svg", "iterations-seed1.json", "iterations-seed1.md",
    ]  # fmt: skip
    assert "![rates](iterations-seed1-rates.svg)" in page.read_text()
    assert tables(page.read_text()) != tables(page_of("iterations"))


def test_populations_of_other_seeds_are_measured_on_other_deals(page_of, folder):
    page_of("iterations")
    ctx = make_context(folder)
    study = Study(ctx, Page(ctx, "findings", "", folder / "study"))
    study.deals = 50
    greedy = scripted(ctx)["Greedy"]
    first, other = (study.duel("test", {"a": greedy, "b": study.baselines["Random"]}, [("a", "b")], seed) for seed in (0, 1))
    assert first.shape == other.shape == (1, 50)
    assert not torch.equal(first, other)
    rates = [study.measure("test", {"a": greedy}, seed) for seed in (0, 1)]
    assert [list(row) for row in rates] == [["a 0"], ["a 1"]]
    assert rates[0]["a 0"]["Random"] != rates[1]["a 1"]["Random"]
    assert [ctx.deal_seed(20, seed) for seed in (0, 1)] == [20, 1020]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
@pytest.mark.parametrize("name", ["deep-zsy", "battle-royale"])
def test_the_same_seed_gives_the_same_page_on_a_gpu(name, tmp_path):
    one, again = (
        experiments.run(name, make_context(tmp_path / time, device="cuda"), tmp_path / time / "results").read_text()
        for time in ("first", "second")
    )
    assert " on cuda" in one
    assert one == again


def test_an_interrupted_population_ends_where_a_whole_one_does(page_of, folder, tmp_path, monkeypatch):
    """Stopped after the first epoch, with the next begun in vain."""
    page_of("round-robin")
    whole = round_robin_population(make_context(folder))
    shutil.copytree(folder / "zsy2-smoke-0", tmp_path / "zsy2-smoke-0", ignore=shutil.ignore_patterns("round-robin-swapped*"))
    monkeypatch.setattr("shangyou.lab.populations.SAVE_EVERY", 1)
    epoch = Population._epoch

    def stop_at_second(self: Population, number: int):
        if number == 1:
            raise KeyboardInterrupt
        return epoch(self, number)

    with monkeypatch.context() as during:
        during.setattr(Population, "_epoch", stop_at_second)
        with pytest.raises(KeyboardInterrupt):
            round_robin_population(make_context(tmp_path))
    assert (tmp_path / "zsy2-smoke-0" / "round-robin-swapped-0-partial.pt").is_file()
    resumed = round_robin_population(make_context(tmp_path))
    assert resumed.history == whole.history
    assert resumed.rate == whole.rate
    for name, net in whole.nets.items():
        assert all(torch.equal(a, b) for a, b in zip(net["weights"], resumed.nets[name]["weights"], strict=True))
    assert not (tmp_path / "zsy2-smoke-0" / "round-robin-swapped-0-partial.pt").exists()


def test_a_population_of_other_settings_is_not_gone_on_with(tmp_path, monkeypatch):
    """What an interruption left is refused as a finished stage would be."""
    monkeypatch.setattr("shangyou.lab.populations.SAVE_EVERY", 1)

    def stop(*args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr(Population, "_test", lambda self, epoch: stop() if epoch else {})
        with pytest.raises(KeyboardInterrupt):
            round_robin_population(make_context(tmp_path))
    monkeypatch.setitem(ROUND_ROBIN, "smoke", replace(ROUND_ROBIN["smoke"], batches=6))
    with pytest.raises(BadInput, match=r"round-robin-swapped-0-partial.pt was made with other args"):
        round_robin_population(make_context(tmp_path))


def test_marks_are_drawn_where_they_belong():
    rates = {"agent": {"won": Rate(0.6, 0.1, 100)}}
    left, right = dots({"one": rates, "other": rates}, {"other": 0.25}).axes
    assert [line.get_xdata() for line in right.lines if line.get_linestyle() == "--"] == [[0.25, 0.25]]
    assert not [line for line in left.lines if line.get_linestyle() == "--"]


def test_above_the_papers_best_is_the_whole_interval():
    sure, unsure = Rate(0.992, 0.002, 10_000), Rate(0.992, 0.005, 10_000)
    assert _above({"Random": sure, "Greedy": Rate(0.817, 0.007, 10_000)}) == "Random and Greedy"
    assert _above({"Random": unsure, "Greedy": Rate(0.817, 0.007, 10_000)}) == "Greedy"
    assert _above({"Random": unsure, "Greedy": Rate(0.797, 0.007, 10_000)}) == ""


def test_nets_become_models(page_of, folder, tmp_path):
    page_of("deep-zsy")
    ctx = make_context(folder)
    (file,) = export_nets(ctx, "deep-zsy", tmp_path, ["deep-q-2"])
    agent = NetAgent(file, "deep-q-2")
    state = reference.deal(ctx.game, 1)
    found = agent.estimate(reference.view(state), reference.legal(state))
    assert ((found.win > 0) & (found.win < 1)).all()
    assert agent.model.info.about["experiment"] == "deep-zsy"
    assert set(nets_of("iterations")(ctx)) == {"old-dqn"}
    page_of("ddqn-pool")
    (file,) = export_nets(make_context(folder, name="ddqn-pool"), "ddqn-pool", tmp_path, ["ddqn-bot"])
    assert NetAgent(file, "ddqn-bot").model.info.game == "zsy4"
    page_of("findings")
    shipped = nets_of("findings")(ctx)
    assert {"min6", "mean6", "conv-lstm", "taught"} < set(shipped)
    assert shipped["min6"].nets == 6
    assert all(name.endswith("-as-run") for name in nets_of("battle-royale")(ctx))
    with pytest.raises(BadInput, match="has no net alphago; it has deep-q-1"):
        export_nets(ctx, "deep-zsy", tmp_path, ["alphago"])
    with pytest.raises(BadInput, match="no nets to export"):
        export_nets(ctx, "discordance", tmp_path)


def test_a_rate_has_the_interval_of_its_deals():
    rate = Rate.of(torch.tensor([1.0, 0.5, 0.5, 0.0] * 25))
    assert rate.games == 200
    assert str(rate) == "0.500 ± 0.070"  # 1.96 * sqrt(0.1263 / 100)


def test_model_13_goes_on_from_itself(page_of, folder):
    page_of("iterations")
    rounds = train_model_13(make_context(folder), "swapped")
    weights = [found["nets"]["Model 13"]["weights"][0] for found in rounds]
    assert len(rounds) == 3
    assert not torch.equal(weights[0], weights[1])
