"""Why the search refuses questions, in English."""

from shangyou.games.errors import Sentence


class Why(Sentence):
    # the solver
    solver_objective = "objective {objective!r}: {game} is solved for {options:or}"
    solver_nodes = "nodes {nodes!r}: a number of positions to search is needed, 1 or more"
    solver_two_packs = "the solver plays with one pack, not {packs}"
    solver_seats = "the solver plays games of up to {most} seats; {game} has {seats}"
    solver_rules = "the solver cannot play {game} with the rules {rules}"
    # puzzles
    no_puzzle = "{game} has the puzzles 1..{most}, not {number}"
    no_puzzles = "{game} has no puzzles"
    puzzle_unproven = "the solver cannot prove this puzzle"
