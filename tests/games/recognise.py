"""The rules said a second time, as tests of a given set of cards rather than as a table: what brute force compares with."""

from collections import Counter

ACE, TWO = 11, 12


def is_run(ranks, shortest, top):
    ranks = sorted(ranks)
    return len(ranks) >= shortest and ranks[-1] <= top and ranks == list(range(ranks[0], ranks[0] + len(ranks)))


def of_one_rank(counts, names):
    """Equal cards, by number; a joker is only ever alone."""
    (rank, count), *more = counts.items()
    if more or count > len(names) or (rank > TWO and count > 1):
        return None
    return names[count - 1]


def zsy2(counts):
    """The family of a zsy2 play, or None. `counts` maps rank to number of cards."""
    if len(counts) == 1:
        return of_one_rank(counts, ["single", "pair", "triple", "bomb"])
    chain = is_run(counts, 2, TWO) and all(n >= 2 for n in counts.values()) and sum(counts.values()) <= 18
    return "chain" if chain else None


def doudizhu(counts):
    """The family of a doudizhu play, or None."""
    counts, size = Counter(counts), sum(counts.values())
    if len(counts) == 1:
        return of_one_rank(counts, ["solo", "pair", "trio", "bomb"])
    if set(counts) == {13, 14}:
        return "rocket"
    numbers = set(counts.values())
    for number, name, shortest in ((1, "solo-chain", 5), (2, "pair-chain", 3), (3, "plane", 2)):
        if numbers == {number} and is_run(counts, shortest, ACE) and size <= 20:
            return name
    for length in range(1, 6):
        for start in range(13):
            family = with_kickers(counts, size, range(start, start + length))
            if family:
                return family
    return None


def with_kickers(counts, size, main):
    """Three of each of the main ranks (or four of one), and the rest as kickers."""
    length = len(main)
    kickers = Counter({rank: n for rank, n in counts.items() if rank not in main})
    if (length > 1 and main[-1] > ACE) or main[-1] > TWO or {13, 14} <= set(kickers):
        return None
    pairs = all(n == 2 for n in kickers.values())
    joins = [kickers[rank] for rank in (main[0] - 1, main[-1] + 1) if 0 <= rank <= ACE]
    if all(counts[rank] == 3 for rank in main) and max(kickers.values(), default=0) <= 3:
        name = "trio" if length == 1 else "plane"
        if size == 4 * length and 3 not in joins:
            return f"{name}+solo{'s' * (length > 1)}"
        if size == 5 * length and pairs and len(kickers) == length <= 4:
            return f"{name}+pair{'s' * (length > 1)}"
    if length == 1 and counts[main[0]] == 4 and size == 6:
        return "four+solos"
    if length == 1 and counts[main[0]] == 4 and size == 8 and pairs and len(kickers) == 2:
        return "four+pairs"
    return None


def zsy4(cards, packs):
    """The family of a zsy4 play, or None. `cards` is a list of (rank, suit)."""
    counts = Counter(rank for rank, _ in cards)
    suits = {suit for _, suit in cards}
    if len(counts) == 1:
        (rank, count), *_ = counts.items()
        if rank > TWO:
            return ["single", "pair" if packs == 2 else None][count - 1]
        return ["single", "pair", "triple"][count - 1] if count < 4 else "bomb" if packs == 1 else f"bomb x{count}"
    numbers = set(counts.values())
    if not is_run(counts, 3, ACE) or len(numbers) > 1:
        return None
    (number,) = numbers
    if number > 3 or len(cards) > (14 if packs == 1 else 27):
        return None
    flush = "flush-" if len(suits) == 1 else ""
    return flush + ["straight", "double-straight", "triple-straight"][number - 1]
