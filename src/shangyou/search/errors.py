"""Why the search refuses questions, in English."""

from shangyou.games.errors import Sentence


class Why(Sentence):
    # the solver
    solver_objective = "objective {objective!r}: {game} is solved for {options:or}"
    solver_nodes = "nodes {nodes!r}: a number of positions to search is needed, 1 or more"
    solver_two_packs = "the solver plays with one pack, not {packs}"
    solver_seats = "the solver plays games of up to {most} seats; {game} has {seats}"
    solver_rules = "the solver cannot play {game} with the rules {rules}"
    # beliefs and playouts
    world_sizes = "{game}: {n} cards in other hands, {unseen} are unseen"
    no_world = "{game}: no hands were found with which the others could have played as they did"
    turn_of_another = "{game}: turn {number} of the history is of another seat"
    no_playout_net = "no small net for playouts of {game} ({rules}) comes with this package"
    playout_net_table = "{path} is no small net for the table of plays of {game} and this version"
    budget = "a budget of {seconds} s and {playouts} playouts: both must be above 0, and one of them given"
    # puzzles
    no_puzzle = "{game} has the puzzles 1..{most}, not {number}"
    no_puzzles = "{game} has no puzzles"
