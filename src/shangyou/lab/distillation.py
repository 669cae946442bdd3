"""Students distilled from the mean of all nets of the populations, and the same nets trained on who won."""

from shangyou.lab.net_store import ensemble_of
from shangyou.lab.populations import Trained, round_robin_populations, train_population
from shangyou.lab.stages import Context
from shangyou.nets.papers import EXPERIMENT_2, Ensemble, NetSpec, StoredNets
from shangyou.training.population import Args

WIDE = "wide DenseNet"
STUDENTS = {
    "DenseNet": EXPERIMENT_2["DenseNet6"],
    "ConvNet": EXPERIMENT_2["ConvNet1"],
    WIDE: NetSpec((1024, 512, 128)),
}
ARGS = {
    "smoke": Args(2, 5, 64, 60, 60, 120, removal=False, with_statics=0.5, cooling=1),
    "small": Args(4, 40, 512, 2000, 4000, 10_000, removal=False, with_statics=0.5, cooling=2),
    "paper": Args(epochs=20, removal=False, with_statics=0.5, cooling=10),
}


def teacher_of(ctx: Context) -> Ensemble:
    """The mean of all nets of the populations with the log loss."""
    populations = round_robin_populations(ctx, "log")
    nets: StoredNets = {f"{trained.seed} {name}": net for trained in populations for name, net in trained.nets.items()}
    return ensemble_of(ctx, nets, list(nets))


def train_students(ctx: Context, teacher: Ensemble | None) -> Trained:
    """Without a teacher they learn from who won."""
    stage = "students-outcomes" if teacher is None else "students-distilled"
    return train_population(ctx, stage, STUDENTS, ARGS[ctx.scale], teacher=teacher)
