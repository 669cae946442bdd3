"""The shapes of the nets of Deep ZSY and Battle Royale, and of the recurrent one that both papers wished for."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class NetSpec:
    """One net: what decides its shape, and what may differ inside a stack."""

    hidden: tuple[int, ...]  # dense layers before the output
    convs: tuple[tuple[int, int], ...] = ()  # (columns, channels); if any, the first two are three by three
    last: str = "relu"  # what comes after the last hidden layer: relu or sigmoid
    lstm: int = 0  # units of a recurrent layer over the past plays
    turns: int = 0  # past plays it is shown
    slope: float = 0.0  # below zero: 0 is ReLU, 0.2 the papers' leaky one
    dropout: float = 0.0  # of every hidden layer, while learning

    @property
    def shape(self) -> NetSpec:
        """Equal for nets that fit into one stack."""
        return replace(self, slope=0.0)

    def scaled_down(self, by: int) -> NetSpec:
        """The same net with fewer channels and units."""
        convs = tuple((width, -(-out // by)) for width, out in self.convs)
        return replace(self, convs=convs, hidden=tuple(-(-units // by) for units in self.hidden), lstm=-(-self.lstm // by))


def _dense(*hidden: int) -> NetSpec:
    return NetSpec(hidden)


def _conv(*convs: tuple[int, int], last: str = "sigmoid") -> NetSpec:
    return NetSpec((100,), ((3, 32), (3, 64), *convs), last)


def _leaky(spec: NetSpec) -> NetSpec:
    return replace(spec, slope=0.2)


DEEP_Q = replace(_dense(200, 40), dropout=0.5)
OLD_DQN = replace(_dense(400, 40), dropout=0.5)  # models 10 to 16, of which model 13 became the Old DQN
LSTM = NetSpec((200, 40), lstm=64, turns=15)
CONV_LSTM = NetSpec((100,), ((3, 32), (3, 64)), "sigmoid", lstm=64, turns=15)

EXPERIMENT_1 = {  # the dense nets' activations are never read where they were run: all are ReLU
    "DenseNet1": _dense(300, 40),
    "DenseNet2": _dense(300, 40),
    "ConvNet1": _conv(last="relu"),
    "ConvNet2": _conv(),
    "ConvNet3": _leaky(_conv(last="relu")),
}
_THIRD, _FOURTH = (3, 128), (1, 32)
EXPERIMENT_2 = {
    **{f"DenseNet{i}": _dense(300, 40) for i in (1, 2, 3)},
    **{f"DenseNet{i}": _dense(300, 400, 40) for i in (4, 5, 6)},
    "ConvNet1": _conv(),
    "ConvNet2": _leaky(_conv()),
    "ConvNet3": _conv(_THIRD),
    "ConvNet4": _leaky(_conv(_THIRD)),
    "ConvNet5": _conv(_THIRD, _FOURTH),
    "ConvNet6": _leaky(_conv(_THIRD, _FOURTH)),
}
EXPERIMENT_5 = {  # two of each net of Experiment 2
    f"{kind}{2 * i - second}": EXPERIMENT_2[f"{kind}{i}"]
    for kind in ("DenseNet", "ConvNet")
    for i in range(1, 7)
    for second in (1, 0)
}
