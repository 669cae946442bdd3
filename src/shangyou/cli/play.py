"""`shangyou play`: a game in the terminal: one person, the other seats played by agents."""

import secrets
from itertools import count, groupby
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from shangyou import agents, games
from shangyou.agents import Agent, suggest, take_turn
from shangyou.agents.models.model_files import is_model
from shangyou.cli.options import GameName, RulesText, complete_agent, console, counted
from shangyou.engines import reference
from shangyou.engines.reference import State, Turn
from shangyou.evaluation.simulate import fill_seats
from shangyou.games import PASS, BadInput, Cards, Game
from shangyou.games.cards import RANKS, SMALL_JOKER, SUIT_SIGNS
from shangyou.games.parse_play import read_play
from shangyou.records import Record, write

HELP = """\
  [bold]JJQQKK[/]      put these cards down (lower case is fine, 10 is T; S small joker, B big joker)
  [bold]pass[/]        let the others have it; Enter alone does the same
  [bold]plays[/]       all legal plays
  [bold]hint[/]        the plays {adviser} likes best
  [bold]undo[/]        back to your decision before this one
  [bold]history[/]     what was played so far
  [bold]save FILE[/]   write the game as text, or as JSON Lines if FILE ends in .jsonl
  [bold]quit[/]        leave"""

OFFERED = 24  # legal plays shown without being asked
HINTS = 5


def play(
    game: GameName,
    against: Annotated[
        list[str] | None,
        typer.Option(
            help="Who sits in the other seats, in order; may be repeated. An agent, a model, or a model's file.",
            autocompletion=complete_agent,
        ),
    ] = None,
    seat: Annotated[int, typer.Option(help="Your seat; in doudizhu without bidding seat 0 is the landlord.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Seed of the deal, for the same cards again; default: random.")] = None,
    rules: RulesText = "",
) -> None:
    """Play in the terminal. Type help at the prompt for the commands."""
    loaded = games.load_text(game, rules)
    if not 0 <= seat < loaded.seats:
        raise BadInput(f"seat {seat}: {loaded.name} has seats 0..{loaded.seats - 1}")
    try:
        for deal_seed in count(seed) if seed is not None else iter(lambda: secrets.randbelow(10**9), None):
            _one_game(loaded, seat, against, deal_seed)
            if console.input("\nAnother game? \\[y/N] ").strip().lower() not in ("y", "yes"):
                return
    except (Quit, EOFError, KeyboardInterrupt):
        console.print("\nGoodbye.")


def _one_game(game: Game, seat: int, against: list[str] | None, seed: int) -> None:
    best = agents.strongest(game)
    names = fill_seats(against or [best], game.seats - 1)
    adviser = next((name for name in names if is_model(name)), best)  # a net estimates chances of winning
    others = [(seat + i) % game.seats for i in range(1, game.seats)]
    seated = {other: agents.load(name, game, seed + other) for other, name in zip(others, names, strict=True)}
    console.print(f"[bold]{game.name}[/], deal {seed} [dim](the same cards again: --seed {seed})[/]")
    TerminalGame(console, reference.deal(game, seed), seat, seated, agents.load(adviser, game)).run()


class Quit(Exception):
    """The person leaves."""


class TerminalGame:
    """Plays one deal. `me` is the person's seat; `agents` has an entry for every other seat."""

    def __init__(self, console: Console, state: State, me: int, agents: dict[int, Agent], adviser: Agent) -> None:
        self.console, self.state, self.game = console, state, state.game
        self.me, self.agents, self.adviser = me, agents, adviser
        self.earlier: list[State] = []  # the states at the person's own decisions, for undo

    # -- the loop -------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Play to the end, or until the person quits."""
        self.say(f"[dim]You sit in seat {self.me}. Type [bold]help[/bold] for what you can do.[/dim]\n")
        while not self.state.over:
            if self.state.turn == self.me:
                self.my_bid() if self.state.bidding else self.my_turn()
            else:
                self.advance(take_turn(self.state, self.agents[self.state.turn]))
        self.show_result()

    def advance(self, after: State) -> None:
        """Go on to the next state and print what happened."""
        before, self.state = self.state, after
        if before.bidding:
            self.show_bid(before, after)
        else:
            self.show_turn(after, after.history[-1])

    def show_turn(self, after: State, turn: Turn) -> None:
        if turn.seat != self.me:
            self.say(f"{self.who(turn.seat)}: {self.show_play(turn)}")
        if turn.cards and not after.hands[turn.seat]:
            self.say(f"[bold]{self.does(turn.seat, 'get')} rid of the last card.[/]")
        elif after.last == PASS and not after.over:
            self.say(f"[dim]Nobody goes on; {self.does(after.turn, 'lead')}.[/]\n")

    def show_bid(self, before: State, after: State) -> None:
        if after.start != before.start:
            self.say("[bold]Nobody wants to be landlord: cards are dealt again.[/]\n")
        elif before.phase == "double":
            self.say(f"{self.who(before.turn)}: {'double' if after.bids[-1] else 'no double'}")
        else:
            self.say(f"{self.who(before.turn)}: bid {after.bids[-1] or 'no'}")
        if after.landlord != before.landlord:
            self.say(f"[bold]{self.does(after.landlord, 'become')} landlord for {max(after.bids)}[/]")
            self.say(f"public cards {self.show_cards(after.start.public)}\n")

    # -- the person's turn ----------------------------------------------------------------------------------------

    def my_turn(self) -> None:
        legal = reference.legal(self.state).tolist()
        self.show_table()
        if legal == [PASS]:
            self.say("[dim]Nothing you hold beats it: you pass.[/]")
            self.advance(reference.step(self.state, PASS))
        else:
            self.offer(legal, OFFERED)
            before = self.state
            while self.state is before:
                try:
                    self.obey(self.ask("your play"), legal)
                except BadInput as error:
                    self.say(f"[red]{escape(str(error))}[/]")

    def obey(self, text: str, legal: list[int]) -> None:
        """Carry out what the person typed; a play and undo lead to another state."""
        word, _, rest = text.strip().partition(" ")
        match word.lower():
            case "help" | "h" | "?":
                self.say(HELP.format(adviser=self.adviser.name))
            case "plays" | "legal":
                self.offer(legal, len(legal))
            case "hint":
                self.show_hint()
            case "history":
                self.show_history()
            case "save":
                self.save(rest.strip())
            case "undo":
                self.undo()
            case _:
                self.put(text)

    def put(self, text: str) -> None:
        cards = read_play(self.game, self.state.hands[self.me], self.state.last, text or "pass")
        self.earlier.append(self.state)
        self.advance(reference.put(self.state, cards))

    def undo(self) -> None:
        if not self.earlier:
            raise BadInput("There is nothing to take back.")
        self.state = self.earlier.pop()
        self.say("[bold]Taken back.[/]")

    def my_bid(self) -> None:
        """A bid, or whether the person doubles."""
        words = self.words()
        self.say(f"your hand  {self.show_cards(self.state.hands[self.me])}")
        ask = "double? (yes, no)" if self.state.phase == "double" else f"your bid ({', '.join(words)}; 0 is no)"
        while True:
            text = self.ask(ask).strip().lower()
            meant = [points for word, points in words.items() if text and word.startswith(text)]
            if meant:
                return self.advance(reference.bid(self.state, meant[0]))
            if text == "hint":
                self.say(self.hint_before_play())
            else:
                what = "no answer" if self.state.phase == "double" else "no bid you may make"
                self.say(f"[red]{escape(text)!r} is {what}: {', '.join(words)}[/]")

    def words(self) -> dict[str, int]:
        """What the person may say before the first play."""
        if self.state.phase == "double":
            return {"yes": 1, "no": 0}
        return {str(points): points for points in reference.legal_bids(self.state)}

    def hint_before_play(self) -> str:
        said = self.adviser.say(reference.view(self.state), reference.legal_bids(self.state))
        if self.state.phase == "double":
            return f"{self.adviser.name} would {'double' if said else 'not double'}"
        return f"{self.adviser.name} would bid {said}"

    def ask(self, prompt: str) -> str:
        try:
            text = self.console.input(f"[bold]{prompt}>[/] ")
        except EOFError:
            raise Quit from None
        if text.strip().lower() in ("quit", "exit"):  # not q: that is a queen
            raise Quit
        return text

    def save(self, name: str) -> None:
        if not name:
            raise BadInput("save needs a file name: save game.txt")
        players = [self.agents[seat].name if seat in self.agents else "you" for seat in range(self.game.seats)]
        write(Path(name), [Record.from_state(self.state, players=players)])
        self.say(f"saved to {escape(name)}")

    # -- what the person sees -------------------------------------------------------------------------------------

    def say(self, text: str) -> None:
        self.console.print(text)

    def who(self, seat: int) -> str:
        if seat == self.me:
            return "you"
        role = {-1: "", seat: " landlord"}.get(self.state.landlord, " peasant")
        return f"seat {seat}{role} ({self.agents[seat].name})"

    def does(self, seat: int, verb: str) -> str:
        return f"{self.who(seat)} {verb}{'' if seat == self.me else 's'}"

    def show_table(self) -> None:
        others = [(self.me + i) % self.game.seats for i in range(1, self.game.seats)]
        held = [counted(self.game.deck.size(self.state.hands[seat]), "card") for seat in others]
        left = "   ".join(f"{self.who(seat)}: {cards}" for seat, cards in zip(others, held, strict=True))
        self.say(f"\n[dim]{left}[/]")
        if self.state.last == PASS:
            self.say("to beat    nothing: you lead")
        else:
            last = next(turn for turn in reversed(self.state.history) if turn.cards)
            self.say(f"to beat    {self.show_play(last)} [dim]by {self.who(last.seat)}[/]")
        self.say(f"your hand  {self.show_cards(self.state.hands[self.me])}")

    def show_cards(self, cards: Cards) -> str:
        """Cards low to high, equal ranks together: `3 44 555 J 2 B`, suits as signs."""
        deck, ranks = self.game.deck, [""] * len(RANKS)
        for rank, suit in deck.kinds:
            sign = SUIT_SIGNS[suit] if deck.suited and rank < SMALL_JOKER else ""
            card = f"[red]{RANKS[rank]}{sign}[/]" if sign in ("♥", "♦") else RANKS[rank] + sign
            ranks[rank] += card * deck.copies(cards, rank, suit)
        return " ".join(filter(None, ranks))

    def show_play(self, turn: Turn) -> str:
        if not turn.cards:
            return "[dim]pass[/]"
        table = self.game.table
        shown = self.show_cards(turn.cards) if self.game.deck.suited else table.labels[turn.play]
        bomb = " [bold red]bomb![/]" if table.bomb[turn.play] else ""
        return f"[bold]{shown}[/] [dim]{table.pattern_of(turn.play)}[/]{bomb}"

    def offer(self, legal: list[int], most: int) -> None:
        """Legal plays, a family to a line."""
        table = self.game.table
        for family, rows in groupby(legal[:most], key=lambda row: table.family[row]):
            self.say(f"  [dim]{family:<21}[/] {' '.join(table.labels[row] for row in rows)}")
        if len(legal) > most:
            self.say(f"  [dim]and {len(legal) - most} more: type plays[/]")

    def show_hint(self) -> None:
        for place, one in enumerate(suggest(reference.view(self.state), self.adviser)[:HINTS], 1):
            forecast = "" if one.win is None else f"  wins {one.win:.0%}, {one.points:+z.2f} points"
            self.say(f"  {place}. [bold]{one.label}[/] [dim]{self.game.table.pattern_of(one.play)}[/]{forecast}")

    def show_history(self) -> None:
        for number, turn in enumerate(self.state.history, 1):
            self.say(f"  {number:>3}  {self.who(turn.seat)}: {self.show_play(turn)}")

    def show_result(self) -> None:
        verdict = "[bold green]You win[/]" if self.me in self.state.winners else "[bold red]You lose[/]"
        self.say(f"\n{verdict} ({self.state.scores[self.me]:+d} points)")
        for seat, hand in enumerate(self.state.hands):
            held = f"held {self.show_cards(hand)}" if hand else "out of cards"
            self.say(f"  {self.who(seat)}: {self.state.scores[seat]:+d}, {held}")
