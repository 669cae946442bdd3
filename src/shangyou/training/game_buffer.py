"""The games that many nets learn from: every play of the latest of them, in 32 bytes.

A decision is four int64: the cards played by whoever decides, those of the opponent, the hand after the play, and the rest in
one word: which play it was, whether the game was won, how many moves of the same side were to come, how many turns were played.
Games lie one after another in order of time, so that what was played before a decision stands right before it.

D decisions, T turns to look back, N rows drawn.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from shangyou.agents.batch.agent import BatchAgent
from shangyou.agents.batch.play import Decision, Played, play
from shangyou.engines.batch import BatchEngine, State
from shangyou.games import NOBODY, PASS, BadInput, Game
from shangyou.nets.papers import Ensemble
from shangyou.nets.papers.encoding import Pairs, Past

WORDS = 4
PLAY_BITS, WON_AT, TO_END_AT, TURN_AT = 16, 16, 17, 25
BYTE = 255
DECISIONS_A_GAME = 40  # room to leave; random games have 38, those of trained nets 28


class GameBuffer:
    """At most so many games; the oldest give way."""

    def __init__(self, game: Game, most_games: int, device: torch.device) -> None:
        if most_games < 1:
            raise BadInput(f"a buffer of {most_games} games: at least one is needed")
        if len(game.table) > 1 << PLAY_BITS or game.deck.suited or game.seats != 2:
            raise BadInput(f"a buffer of games of {game.name}: only small games for two without suits fit")
        self.most_games, self.device = most_games, device
        self.play_cards = torch.as_tensor(game.table.cards, device=device)
        self.data = torch.zeros(most_games * DECISIONS_A_GAME, WORDS, dtype=torch.int64, device=device)
        self.lengths = torch.zeros(0, dtype=torch.int64, device=device)  # [G] plays of each stored game, the oldest first
        self.used = 0

    @property
    def games(self) -> int:
        return len(self.lengths)

    def play(self, engine: BatchEngine, agents: Sequence[BatchAgent], seats: Tensor | None, start: State) -> Played:
        """Play games and store all their decisions, those without a choice too; of more games than fit, the last ones."""
        columns: list[tuple[Tensor, ...]] = []  # game, seat, mine, theirs, after, play; each [n] int64

        def record(decision: Decision) -> None:
            cards, seat, plays = decision.state.cards[:, decision.games], decision.seat, decision.plays.long()
            hand, mine, theirs = (cards.gather(0, row[None])[0] for row in (seat, seat + 2, 3 - seat))  # hands, cards played
            columns.append((decision.games, seat, mine, theirs, hand - self.play_cards[plays], plays))

        played = play(engine, agents, seats, start, record)
        self._add(_packed([torch.cat(column) for column in zip(*columns, strict=True)], played), played.turns.long())
        return played

    def _add(self, words: Tensor, lengths: Tensor) -> None:
        """Store games behind the others, then drop the oldest of all until the rest fits."""
        lengths = torch.cat([self.lengths, lengths])
        ends = lengths.cumsum(0)
        excess = int(ends[-1]) - len(self.data)  # decisions
        dropped = max(0, len(lengths) - self.most_games, int(torch.searchsorted(ends, excess)) + 1 if excess > 0 else 0)
        start = int(ends[dropped - 1]) if dropped else 0
        stay, words = max(0, self.used - start), words[max(0, start - self.used) :]
        if start and stay:
            self.data[:stay] = self.data[start : self.used].clone()
        self.data[stay : stay + len(words)] = words
        self.lengths, self.used = lengths[dropped:], stay + len(words)

    def state(self) -> dict[str, Tensor]:
        return {"data": self.data[: self.used].cpu(), "lengths": self.lengths.cpu()}

    def restore(self, stored: dict[str, Tensor]) -> None:
        self.used = len(stored["data"])
        self.data[: self.used] = stored["data"].to(self.device)
        self.lengths = stored["lengths"].to(self.device)

    # -- what is learned from ---------------------------------------------------------------------------------------

    def pairs(self, rows: Tensor, turns: int) -> Pairs:
        """Decisions [N] as inputs of nets, with the last `turns` plays if that is not 0."""
        words = self.data[rows]
        play = words[:, 3] & (1 << PLAY_BITS) - 1
        past = self._past(rows, words[:, 3], turns) if turns else None
        return Pairs(words[:, 0], words[:, 1], words[:, 2], self.play_cards[play], past)

    def _past(self, rows: Tensor, rest: Tensor, turns: int) -> Past:
        back = torch.arange(1, turns + 1, device=self.device)
        unknown = back > (rest >> TURN_AT & BYTE)[:, None]
        before = self.data[(rows[:, None] - back).clamp(min=0), 3] & (1 << PLAY_BITS) - 1
        by = (back % 2).expand_as(before)
        return Past(before.masked_fill(unknown, PASS), by.masked_fill(unknown, NOBODY))

    def outcomes(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """[N] whether the game was won, and the moves of the same side that were to come; floats both."""
        rest = self.data[rows, 3]
        return (rest >> WON_AT & 1).float(), (rest >> TO_END_AT & BYTE).float()


class DistillationBuffer(GameBuffer):
    """The target of a decision is the chance of winning that an ensemble of trained nets gives it, not who won.

    Who won is one sample for a whole game; the mean of many nets is close to the chance itself, for each of its plays.
    """

    def __init__(self, game: Game, most_games: int, device: torch.device, teacher: Ensemble) -> None:
        super().__init__(game, most_games, device)
        self.teacher = teacher.eval().requires_grad_(False)
        teacher.freeze()

    @torch.no_grad()
    def outcomes(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """[N] the chance of winning by the teacher, and the moves of the same side that were to come."""
        _, to_end = super().outcomes(rows)
        with torch.autocast(rows.device.type, torch.bfloat16, enabled=rows.is_cuda):  # as the nets that learn from it
            logits = self.teacher.logits(self.pairs(rows, self.teacher.turns))
        return self.teacher.joined(torch.sigmoid(logits)), to_end


def _packed(columns: list[Tensor], played: Played) -> Tensor:
    """[D, 4] the decisions as words, game by game."""
    order, lengths = torch.argsort(columns[0], stable=True), played.turns.long()
    game, seat, mine, theirs, after, play = (column[order] for column in columns)
    turn = torch.arange(len(game), device=game.device) - (lengths.cumsum(0) - lengths)[game]
    to_end = (lengths[game] - 1 - turn) // 2  # two players take turns
    won = played.won[game, seat].long()
    return torch.stack([mine, theirs, after, play + (won << WON_AT) + (to_end << TO_END_AT) + (turn << TURN_AT)], 1)


def one_side(buffer: GameBuffer) -> Tensor:
    """The decisions of whoever led each game: one point for every exchange of moves, as Deep ZSY counts them."""
    return torch.nonzero((buffer.data[: buffer.used, 3] >> TURN_AT & 1) == 0)[:, 0]
