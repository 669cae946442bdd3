// Suits for the eye. In games without suits the server sends ranks alone; here every card gets a suit it keeps for the whole deal.

import { dressed, eyeSuit, id, rankOf, same, withSuits } from "./cards.js";

/** Takes the first cards of these ranks out of `pool`; it then holds the rest. @param {string[]} pool @param {string[]} cards */
function take(pool, cards) {
  return cards.map((text) => {
    const exact = pool.findIndex((one) => id(one) === id(text));
    const at = exact >= 0 ? exact : pool.findIndex((one) => rankOf(one) === rankOf(text));
    return at >= 0 ? pool.splice(at, 1)[0] : text;
  });
}

/** The cards as they look in this hand. @param {string[]} cards @param {string[]} hand */
export const asHeld = (cards, hand) => take([...hand], cards);

export class EyeSuits {
  /** @type {Map<number, string[]>} the cards of my own turns as I chose them */ own = new Map();

  /** The state with a suit on every card. @param {Server.StateOut} state @param {string[]} sent the cards I played last, as I chose them */
  dress(state, sent = []) {
    if (state.suits) return state;
    const deal = new Deal(state);
    const turns = state.history.map((turn, i) => ({ ...turn, cards: this.turn(deal, turn, i, sent) }));
    if (!turns.length) this.own.clear();
    /** @param {number} seat */
    const latest = (seat) => turns.findLast((turn) => turn.seat === seat);
    const hands = state.result?.hands?.map((hand, seat) => deal.take(seat, hand));
    return {
      ...state,
      history: turns,
      hand: hands?.[deal.me] ?? deal.take(deal.me, state.hand),
      public: deal.public,
      seats: state.seats.map((seat, i) => (seat.put?.cards.length ? { ...seat, put: { ...seat.put, cards: latest(i)?.cards ?? [] } } : seat)),
      to_beat: state.to_beat && { ...state.to_beat, cards: turns.findLast((turn) => turn.cards.length)?.cards ?? [] },
      result: state.result && { ...state.result, hands: hands ?? [] },
    };
  }

  /** @param {Deal} deal @param {Server.TurnOut} turn @param {number} i @param {string[]} sent */
  turn(deal, turn, i, sent) {
    if (turn.seat !== deal.me) return deal.take(turn.seat, turn.cards);
    if (!this.own.has(i)) this.own.set(i, same(sent, turn.cards) ? sent : turn.cards);
    const cards = deal.take(deal.me, this.own.get(i) ?? []);
    this.own.set(i, cards);
    return cards;
  }
}

/** Who has which suits: mine count from one end of each rank, those of the others from the other end. */
class Deal {
  /** @param {Server.StateOut} state */
  constructor(state) {
    this.me = state.seat ?? -1;
    const played = state.history.filter((turn) => turn.seat === this.me).flatMap((turn) => turn.cards);
    this.mine = withSuits([...state.hand, ...played]);
    /** @type {Record<string, number>} to others, by rank */ this.given = {};
    this.landlord = state.seats.findIndex((seat) => seat.landlord);
    const mine = [...this.mine].reverse();
    this.public = state.public && (this.landlord === this.me ? take(mine, state.public) : state.public.map((text) => this.next(text)));
    this.kept = this.landlord === this.me ? [] : [...(this.public ?? [])]; // for the landlord to play
  }

  /** @param {string} text */
  next(text) {
    const rank = rankOf(text);
    this.given[rank] = (this.given[rank] ?? 0) + 1;
    return dressed(text, eyeSuit(rank, 4 - this.given[rank]));
  }

  /** @param {number} seat @param {string[]} cards */
  take(seat, cards) {
    if (seat === this.me) return take(this.mine, cards);
    if (seat !== this.landlord) return cards.map((text) => this.next(text));
    return take(this.kept, cards).map((text) => (text.includes("~") ? text : this.next(text)));
  }
}
