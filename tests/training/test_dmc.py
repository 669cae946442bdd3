"""The loop: it learns, goes on where it stopped, and learns the same with company."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial

import pytest
import torch

from shangyou.games import BadInput
from shangyou.nets.value_net import Size
from shangyou.records.runs import HALF, RunFolder, load_checkpoint
from shangyou.training import dmc
from shangyou.training.algorithm import Progress, args_of, net_of, start
from shangyou.training.dmc import Args

ARGS = Args(
    "zsy2", rules="cards_each=10", device="cpu", batches=6, batch=128, minibatch=256, lr=3e-3, objectives=("win",),
    points_scale=1.0, size=Size(trunk=64, trunk_depth=1, head=32, head_depth=1, turns=2), eval_deals=400, eval_seconds=1e9,
    checkpoint_seconds=0.0,
)  # fmt: skip


train = partial(start, "dmc")


class Stop(Exception):
    pass


def weights(net: torch.nn.Module) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in net.parameters()])


def stop_after(batches: int):
    def report(progress: Progress) -> None:
        if progress.iterations == batches:
            raise Stop

    return report


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run from start to end."""
    folder = RunFolder(tmp_path_factory.mktemp("whole"))
    return folder, train(ARGS, folder)


def test_it_learns(whole):
    folder, _ = whole
    first, last = folder.curve[0]["strength"], folder.curve[-1]["strength"]
    assert last["random"][0] > 0.75
    assert last["random"][0] > first["random"][0] + 0.1


def test_the_last_measurement_is_reported(tmp_path):
    told, folder = [], RunFolder(tmp_path)
    train(replace(ARGS, batches=1, eval_deals=20), folder, lambda progress: told.append(dict(progress.strength)))
    assert told[-1] == {name: tuple(found) for name, found in folder.curve[-1]["strength"].items()}
    assert len(folder.curve) == 2


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_recorded_steps_teach_what_others_teach(monkeypatch, tmp_path):
    args = replace(ARGS, device="cuda", batches=3, batch=4096, minibatch=1024)
    recorded = weights(train(args, RunFolder(tmp_path / "recorded")))
    monkeypatch.setattr(dmc, "CudaGraphStep", lambda step: step)
    assert torch.equal(weights(train(args, RunFolder(tmp_path / "plain"))), recorded)


def test_an_interrupted_run_ends_where_a_whole_one_does(whole, tmp_path):
    _, net = whole
    with pytest.raises(Stop):
        train(ARGS, RunFolder(tmp_path), stop_after(4))  # the checkpoint is of three batches: the fourth is played again
    folder = RunFolder(tmp_path)
    resumed = train(ARGS, folder, resumed=folder.resume())
    torch.testing.assert_close(weights(resumed), weights(net))
    assert [point["iterations"] for point in folder.read_curve()] == [0, 6]


def test_a_net_comes_back_from_its_checkpoint(whole):
    folder, net = whole
    kept = RunFolder(folder.path).resume()
    assert torch.equal(weights(net_of(kept)), weights(net))
    assert args_of(kept) == ARGS
    assert json.loads((folder.path / "args.json").read_text())["rules"] == "cards_each=10"


def test_the_net_at_half_time_is_kept(whole, tmp_path):
    folder, _ = whole
    half = load_checkpoint(folder.path, HALF)
    with pytest.raises(Stop):
        train(ARGS, RunFolder(tmp_path), stop_after(4))  # the checkpoint is of three batches, half of the run
    torch.testing.assert_close(weights(net_of(half)), weights(net_of(load_checkpoint(tmp_path))))
    assert half["progress"]["iterations"] == 3


def test_a_run_goes_on_without_the_memory_of_its_optimiser(whole, tmp_path):
    folder, net = whole
    kept = folder.resume()
    del kept["optimiser"]
    longer = train(replace(ARGS, batches=8), RunFolder(tmp_path), resumed=kept)
    assert 0 < (weights(longer) - weights(net)).abs().max() < 0.1


def test_a_run_does_not_go_on_as_another(whole):
    folder, _ = whole
    with pytest.raises(BadInput, match="other lr"):
        train(replace(ARGS, lr=1.0), folder, resumed=folder.resume())


def test_a_broken_checkpoint_is_named(tmp_path):
    with pytest.raises(BadInput, match=r"is no folder of a run: it has no checkpoint\.pt"):
        RunFolder(tmp_path).resume()
    (tmp_path / "checkpoint.pt").write_bytes(b"half a fi")
    with pytest.raises(BadInput, match="is no checkpoint"):
        RunFolder(tmp_path).resume()


def test_a_frozen_net_can_be_learned_against(whole, tmp_path):
    folder = RunFolder(tmp_path)
    train(replace(ARGS, batches=3, against=str(whole[0].path)), folder)
    assert set(folder.curve[-1]["strength"]) == {"random", "greedy", "frozen"}
    assert 0 < folder.curve[-1]["strength"]["frozen"][0] < 1


COMMAND = ["train", "zsy2", "--rules", "cards_each=10", "--device", "cpu", "--batch", "64"]


def test_killed_and_resumed(tmp_path):
    """Kill -9 at any moment leaves a whole checkpoint, from which the run goes on."""
    run = [sys.executable, "-m", "shangyou", *COMMAND, "--out", str(tmp_path / "run"), "--keep-seconds", "0.1"]
    process = subprocess.Popen([*run, "--minutes", "100"], stderr=subprocess.DEVNULL)
    checkpoint = tmp_path / "run" / "checkpoint.pt"
    deadline = time.monotonic() + 240
    while not checkpoint.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(1.0)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = RunFolder(tmp_path / "run").resume()
    done = kept["progress"]["iterations"]
    assert done >= 1
    minutes = str((kept["progress"]["seconds"] + 5) / 60)  # any time left is a batch, however long it takes
    again = subprocess.run([*run, "--minutes", minutes, "--resume"], capture_output=True, text=True, timeout=300)
    assert again.returncode == 0, again.stderr
    assert RunFolder(tmp_path / "run").resume()["progress"]["iterations"] > done


TWO_RANKS = """
import json, os, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from training.test_dmc import ARGS, weights
from shangyou.training.algorithm import start
from dataclasses import replace
class Nothing:
    def save(self, checkpoint): pass
    def save_half(self, checkpoint): pass
    def log(self, progress): pass
seen = []
net = start("dmc", replace(ARGS, batches=2), Nothing(), lambda progress: seen.append((progress.games, progress.loss)))
connected = [name for name in Path("/proc/self/task").glob("*/comm") if "gloo" in name.read_text()]  # threads, on Linux
line = json.dumps([weights(net).double().sum().item(), *zip(*seen), len(connected)])
os.write(1, f"RANK {{line}}\\n".encode())  # at once: both write into one pipe
"""


def test_two_processes_learn_one_net(tmp_path):
    """Each plays its own games; gradients are shared, so both end with the same weights."""
    script = tmp_path / "two.py"
    script.write_text(TWO_RANKS.format(tests=os.path.dirname(os.path.dirname(__file__))))
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", str(script)]
    found = subprocess.run(torchrun, capture_output=True, text=True, timeout=600)
    assert found.returncode == 0, found.stderr[-2000:]
    one, other = (json.loads(line[5:]) for line in found.stdout.splitlines() if line.startswith("RANK"))
    assert one[0] == other[0]
    assert one[1] == other[1] == [256, 512, 512]  # games of both, reported once more at the end
    assert one[2] != other[2]  # losses of their own games
    assert one[3] == other[3] == 0  # what runs on after the end may abort the process


def test_biases_of_hidden_layers_begin_higher():
    net, raised = (dmc.make_net(ARGS, ARGS.load_game()) for _ in range(2))
    dmc.raise_biases(raised, 0.5)
    changed = {
        name: (after - before).unique().tolist()
        for (name, before), after in zip(net.named_parameters(), raised.parameters(), strict=True)
        if not torch.equal(before, after)
    }
    assert set(changed) == {"look.bias", "trunk.0.linear.bias", "to_head.bias", "head.0.linear.bias"}
    assert all(difference == pytest.approx(0.5) for found in changed.values() for difference in found)


def test_weight_decay_shrinks_weights(whole, tmp_path):
    _, net = whole
    shrunk = train(replace(ARGS, weight_decay=5.0, eval_deals=2), RunFolder(tmp_path))
    assert weights(shrunk).norm() < 0.9 * weights(net).norm()
