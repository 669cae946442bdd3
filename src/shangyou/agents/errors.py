"""Why an agent cannot be loaded or cannot play, in English."""

from shangyou.games.errors import Sentence


class Why(Sentence):
    agent_unknown = "there is no agent {name!r}; there are {options}"
    agent_only_for = "agent {name!r} plays {other} only, not {game}"
    agent_needs = "agent {name!r} needs {package}: pip install {package}"
    no_bids = "agent {name!r} does not bid: it has no `bid`, which {game} with bidding needs"
    nobody_bid = "{n} deals and no landlord: {names} never bid"
    seats_number = "{game} has {seats} seats, not {n}"
    aggregate = "aggregate {name!r}: {options:or} of at least one agent"
    hidden_cards = "hands of {game}: {n:unseen card is|unseen cards are} in nobody's hand; wait until the bidding is over"
    search_objective = "agent {name!r} plays for points; search plays to win"
    search_game = "agent {name!r} needs to know its game before it plays"
    search_name = "agent {name!r}: the agent to search over follows, as in search:champion/doudizhu"
    think = "think {text!r}: write a time such as 500ms or 2s, or a number of playouts such as 4000p"
    # models
    no_model_file = "there is no model file {path}"
    no_model = "there is no model {name!r}; there are {options}"
    no_hands_model = "no model that infers hidden hands of {game} comes with this package"
    none_there = "none"
    model_fault = "model {path}: {error}"
    model_kind = "model {path} is a {found} model, not a {wanted} model"
    model_game = "the model was made for {made_for}; this is {wanted}"
    model_inputs = "the model asks for {inputs}, which this version does not supply"
    model_metadata = "model {path} does not say what it is: its metadata has {found}"
    objective = "objective {objective!r}: a net plays for {options:or}"
