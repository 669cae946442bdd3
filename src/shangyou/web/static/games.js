// The games as the page shows them, in the order of the lobby. What is legal and what the rules are is asked of the server.

/**
 * @typedef {{ seats: number, landlord?: boolean, suits?: boolean, places?: boolean, shown: string[], example: Record<string, string> }} Game
 * places: whether the second place is worth more than the last; shown: the cards on its tile; example: the fields of a position to start from.
 */

/** @type {Record<string, Game>} */
export const GAMES = {
  doudizhu: {
    seats: 3,
    landlord: true,
    shown: ["3", "3", "3", "4", "4", "4", "S", "B"],
    example: {
      hand: "4 5 66 7 8 9 T JJ QQ K A 2 S B",
      role: "before",
      public: "345",
      played1: "34567",
      last: "34567",
      last_by: "1",
    },
  },
  zsy2: {
    seats: 2,
    shown: ["5", "5", "6", "6", "6"],
    example: { hand: "3 55 K A", played0: "66 77 88 99 TT JJ Q", played1: "33 44 9", last: "9" },
  },
  zsy4: {
    seats: 4,
    suits: true,
    places: true,
    shown: ["7♠", "8♠", "9♠", "10♠"],
    example: { hand: "4s5s6s 8h8d Tc Jc Qh Kd Kc As 2h 2d", played3: "7c7d", last: "7c7d", left: "13 14 12" },
  },
};

/** The game of that name, or else the first. */
export const known = (name) => (GAMES[name] ? name : Object.keys(GAMES)[0]);
