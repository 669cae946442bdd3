"""(a) to (c): what the populations of Experiment 2 show, trained and playing as the paper did it and fixed."""

from shangyou.agents.batch.ensemble import AS_PRINTED, FIXED
from shangyou.lab.experiments.findings.study import Side, Study
from shangyou.lab.populations import Trained

KINDS = ("Dense", "Conv")


def loss(study: Study) -> None:
    study.page.heading("(a) The right log loss against the swapped one")
    sides = (Side(loss_name, study.populations(loss_name)) for loss_name in ("log", "swapped"))
    won, rates = study.paired_match("a", *sides)
    study.page.text(
        "Same nets, same recipe, ties broken by the logit on both sides: a net of the population trained with the log loss "
        f"wins {study.claim('(a) log loss vs swapped', won)} against the same net of the one with the swapped loss."
    )
    study.table(rates, {"swapped loss": "swapped *", "log loss": "log *"})


def ties(study: Study) -> None:
    study.page.heading("(b) Ties broken by the logit against the first of the list")
    populations = study.populations("swapped")
    won, rates = study.paired_match("b", Side("logit", populations), Side("first", populations, AS_PRINTED))
    claimed = {}
    for kind in KINDS:
        of_kind = [deals[_places(trained, kind)] for deals, trained in zip(won, populations, strict=True)]
        claimed[kind] = study.claim(f"(b) ties by logit vs first of the list, {kind}Nets", of_kind)
    study.page.text(
        "The very same weights, trained with the swapped loss, with ties broken by the logit against themselves with ties to "
        f"the first of the list: DenseNets win {claimed['Dense']}, ConvNets {claimed['Conv']}."
    )
    kinds = [(kind, word) for kind in KINDS for word in ("first", "logit")]
    study.table(rates, {f"{kind}Nets, {word}": f"{word} {kind}*" for kind, word in kinds})
    study.page.text("The share of positions with a choice in which several plays share the highest value in float32:")
    rows = [
        [f"seed {one.seed}", *(seen["ties"][_places(one, kind)].mean().item() for kind in KINDS)]
        for seen, one in zip(study.choices("swapped"), populations, strict=True)
    ]
    study.page.table(["", *(f"{kind}Nets" for kind in KINDS)], rows)


def _places(trained: Trained, kind: str) -> list[int]:
    return [place for place, name in enumerate(trained.nets) if name.startswith(kind)]


def dense_or_convolutional(study: Study) -> None:
    study.page.heading("(c) Dense against convolutional nets, once both are fixed")
    for loss_name, style, words in (("swapped", AS_PRINTED, "as the paper ran it"), ("log", FIXED, "fixed")):
        shallow, deep = [], []
        for trained in study.populations(loss_name):
            dense, conv = ([name for name in trained.nets if name.startswith(kind)] for kind in KINDS)
            pairs = [(a, b) for a in conv for b in dense]
            won = study.duel(f"c-{loss_name}", trained.singles(study.ctx, style), pairs, trained.seed)
            won = won.view(len(conv), len(dense), -1)
            shallow.append(won[:, :3].flatten())
            deep.append(won[:, 3:].flatten())
        study.page.text(
            f"- {words.capitalize()}: a ConvNet wins {study.claim(f'(c) conv vs dense of three layers, {words}', shallow)} "
            f"against a DenseNet of three layers and {study.claim(f'(c) conv vs dense of four, {words}', deep)} against one of "
            "four."
        )
