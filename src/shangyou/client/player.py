"""An agent that answers the state messages of any table: the game and its rules are in the message."""

import secrets

from shangyou import agents, games
from shangyou.agents import Agent
from shangyou.client.view import Message, legal_of, view_of
from shangyou.engines import reference
from shangyou.games import BadInput, Game


class Player:
    def __init__(self, agent: str) -> None:
        self.agent, self.seed = agent, secrets.randbelow(1 << 31)
        self.loaded: dict[Game, Agent] = {}

    def load(self, game: str, rules: str) -> tuple[Game, Agent]:
        """The agent, if it plays a game under these rules, bids included."""
        loaded = games.load_text(game, rules)
        if loaded not in self.loaded:
            agent, first = agents.load(self.agent, loaded, self.seed), reference.deal(loaded, 0)
            if first.bidding:
                agent.say(reference.view(first), reference.legal_bids(first))
            self.loaded[loaded] = agent
        return loaded, self.loaded[loaded]

    def games(self) -> list[str]:
        """The games it plays under their default rules; none is an error with the reasons."""
        able: list[str] = []
        reasons: dict[str, None] = {}  # in order, each once
        for name in games.names():
            try:
                self.load(name, "")
                able.append(name)
            except BadInput as error:
                reasons[str(error)] = None
        if not able:
            raise BadInput("; ".join(reasons))
        return able

    def answer(self, state: Message) -> Message:
        """The message of its bid or play, in a state in which it is to act."""
        game, agent = self.load(state["game"], state["rules"])
        view, version = view_of(game, state), state["version"]
        if state["bids"]:
            return {"kind": "bid", "version": version, "points": agent.say(view, tuple(state["bids"]))}
        legal = legal_of(game, state)
        return {"kind": "play", "version": version, "play": int(legal[0]) if len(legal) == 1 else agent.act(view, legal)}
