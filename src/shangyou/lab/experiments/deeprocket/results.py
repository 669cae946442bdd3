"""What is measured: accuracy with its bound, rounds against agents without a net, matches of the nets, inferred hands."""

from typing import Any

import numpy as np

from shangyou.agents.batch import load_batch
from shangyou.agents.batch.exploring import Sampler
from shangyou.agents.batch.policy_net import PolicyNetAgent
from shangyou.engines.batch import BatchEngine
from shangyou.evaluation.backends import by_name
from shangyou.evaluation.batch_backend import BatchBackend
from shangyou.evaluation.duplicate import play_deals
from shangyou.evaluation.intervals import RunningMean
from shangyou.evaluation.match import evaluate
from shangyou.lab.deeprocket_match import DEALS, read_records
from shangyou.lab.experiments.deeprocket.runs import CHAMPION, SCALES, hands_run
from shangyou.lab.runs import TrainedRun
from shangyou.lab.stages import Context
from shangyou.records.files import write_file
from shangyou.records.game_files import of_records
from shangyou.training import hands
from shangyou.training.supervised.accuracy import measure
from shangyou.training.supervised.decisions import decisions_of
from shangyou.training.supervised.generate import generate

ROUNDS = 10  # of the paper's match against it
ROLES = {"landlord": "as landlord", "peasants": "as peasants"}


def accuracy_of(ctx: Context, run: TrainedRun) -> dict[str, Any]:
    """Of labels and kickers, on games of other deals than those learned from, with the bound; and on the paper's games."""
    games, seed = SCALES[ctx.scale].games, ctx.deal_seed(31)

    def work() -> dict[str, Any]:
        player = PolicyNetAgent(ctx.game, run.net)
        expert = Sampler(load_batch(CHAMPION, ctx.game, device=ctx.device), ctx.device, run.args.temperature)
        stored = (part.at(rows) for part in generate(ctx.engine, expert, games, seed) for rows in _in_pieces(len(part)))
        batches = (decisions_of(ctx.engine, part, forced=True) for part in stored)
        found = measure(ctx.game, batches, player.values, expert)
        records = of_records(read_records()[: 2 * DEALS])
        engine = BatchEngine(records.game, ctx.device)
        of_paper = measure(records.game, [decisions_of(engine, records, forced=True)], player.values)
        return {"champion's games": found.to_json(), "paper's games": of_paper.to_json()}

    return ctx.stage(f"{run.name}-accuracy", {**run.settings, "games": games, "seed": seed}, work)


def _in_pieces(games: int) -> list[Any]:
    return np.array_split(np.arange(games), -(-games // 4096))


def model_of(ctx: Context, run: TrainedRun) -> str:
    """The net of a run as a model file: agents without a net play on other processes."""
    from shangyou.nets.export import to_onnx  # needs onnx and onnxscript

    file, about = run.path / "model.onnx", {"experiment": "deeprocket", "scale": ctx.scale, "seed": ctx.seed, "nets": 1}
    if not file.is_file():
        write_file(file, to_onnx(run.net.eval(), ctx.game, about))
    return str(file)


def curve_of(run: TrainedRun) -> list[dict[str, Any]]:
    return run.ctx.stage(f"{run.name}-curve", run.settings, lambda: run.curve)


def rounds_against(ctx: Context, run: TrainedRun, opponent: str, deals: int) -> dict[str, list[float]]:
    """The share won as landlord and as peasants in each of ten rounds."""
    seed = ctx.deal_seed(32)

    def work() -> dict[str, list[float]]:
        won: dict[str, list[float]] = {role: [] for role in ROLES}
        for number in range(ROUNDS):
            a, b = by_name(model_of(ctx, run)), by_name(opponent, seed + number)
            match = evaluate(ctx.game, a, b, deals, seed + number, workers=SCALES[ctx.scale].workers)
            for role in ROLES:
                won[role].append(match.by_role[role].win.mean)
        return won

    return ctx.stage(f"{run.name}-against-{opponent}", {**run.settings, "deals": deals, "seed": seed}, work)


def duel(ctx: Context, a: TrainedRun, b: TrainedRun | None) -> list[float]:
    """Share won by the first and its half width, points a game and theirs; against None it plays the champion."""
    deals, seed = SCALES[ctx.scale].duel_deals, ctx.deal_seed(33)

    def work() -> list[float]:
        players = [PolicyNetAgent(ctx.game, run.net, run.name) if run else load_batch(CHAMPION, ctx.game, device=ctx.device)
                   for run in (a, b)]  # fmt: skip
        played = play_deals(BatchBackend(ctx.engine, players, seed), range(deals))
        share, points = RunningMean.of(played.win.mean(1)), RunningMean.of(played.points.mean(1))
        return [share.mean, share.half_width, points.mean, points.half_width]

    of_both = [run.settings if run else CHAMPION for run in (a, b)]
    return ctx.stage(f"{a.name}-duel-{b.name if b else 'champion'}", {"of": of_both, "deals": deals, "seed": seed}, work)


def inferred_hands(ctx: Context) -> dict[str, Any]:
    """How well the net of hidden hands knows them, beside even splits."""
    games, run = SCALES[ctx.scale].hand_games, hands_run(ctx)
    work = lambda: hands.measure(run.net.eval(), ctx.engine, run.args, games).as_dict()  # noqa: E731
    return ctx.stage("deeprocket-hands-measured", {**run.settings, "games": games}, work)
