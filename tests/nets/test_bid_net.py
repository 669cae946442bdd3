from __future__ import annotations

import torch

from shangyou import games
from shangyou.nets.bid_net import BidNet


def test_a_bid_is_none_or_higher():
    bids = torch.tensor([[-1, -1, -1], [-1, 0, 1], [-1, -1, 2], [-1, 0, 0]])
    net = BidNet(games.load("doudizhu", bidding=True), width=4)
    assert net.allowed(bids).int().tolist() == [[1, 1, 1, 1], [1, 0, 1, 1], [1, 0, 0, 1], [1, 1, 1, 1]]


def test_hands_are_judged_alone_and_bids_are_heard():
    torch.manual_seed(0)
    game = games.load("doudizhu", bidding=True)
    net = BidNet(game, width=16)
    hand = torch.tensor([[game.deck.parse("3 44 5 666 7 88 T J Q KK A")], [game.deck.parse("3 4 5 6 7 8 9 T J Q K A 2222 B")]])
    quiet, heard = torch.full((2, 3), -1), torch.tensor([[-1, -1, 1], [-1, -1, 1]])
    assert net(hand, quiet).shape == (2, 4)
    torch.testing.assert_close(net(hand, quiet)[1:], net(hand[1:], quiet[1:]))
    assert not torch.equal(net(hand, quiet), net(hand, heard))
