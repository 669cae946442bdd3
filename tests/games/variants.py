"""The games and rule variants that tests go through."""

VARIANTS = [
    ("zsy2", {}),
    ("zsy2", {"two_in_chain": False, "shortest_chain": 3, "cards_each": 12}),
    ("doudizhu", {}),
    ("doudizhu", {"bidding": True, "spring": True}),
    ("doudizhu", {"pass_is_final": True, "base": 3, "joker_kickers": True}),
    ("doudizhu", {"bidding": True, "doubling": True, "spring": True}),
    ("doudizhu", {"doubling": True}),
    ("zsy4", {}),
    ("zsy4", {"decks": 2}),
    ("zsy4", {"two_in_straight": True, "pass_is_final": True, "points": "winner"}),
    ("zsy4", {"flush_is_higher": False, "first_lead": "random"}),
]

ON_TENSORS = [(name, rules) for name, rules in VARIANTS if not rules.get("doubling")]
"""Those that the batch engine plays."""


def variant_name(variant) -> str:
    name, rules = variant
    return "-".join([name, *(f"{key}={value}" for key, value in rules.items())])
