// Looks at a table: which controls, cards and boxes have something else lying over them.

/** @param {any} one */
const seen = (one) => one.checkVisibility({ visibilityProperty: true });
/** @param {any} one */
const called = (one) => one.getAttribute("aria-label") || one.innerText || one.className;

/** What is on top of an element at some points of it, if not the element itself. @param {any} one @param {number[][]} points */
function over(one, points) {
  const wrong = points.filter(([x, y]) => !one.contains(document.elementFromPoint(x, y)));
  return wrong.map(([x, y]) => {
    const top = document.elementFromPoint(x, y)?.outerHTML.slice(0, 80) ?? "off the screen";
    return `${called(one)} at ${Math.round(x)},${Math.round(y)}: ${top}`;
  });
}

/**
 * Centre and corners; since corners are round, a little inside of them. What is long may be scrolled.
 * @param {any} one @param {any} scrolls
 */
function control(one, scrolls) {
  if (scrolls) one.scrollIntoView({ block: "nearest" });
  const { left, right, top, bottom } = one.getBoundingClientRect();
  const [dx, dy] = [Math.min(10, (right - left) / 4), Math.min(10, (bottom - top) / 4)];
  const corners = [left + dx, right - dx].flatMap((x) => [top + dy, bottom - dy].map((y) => [x, y]));
  return over(one, [[(left + right) / 2, (top + bottom) / 2], ...corners]);
}

/**
 * Where a finger lands on a card: the part that the next card leaves free, of the upper of two rows its upper part.
 * @param {any} one @param {any} next @param {boolean} twoRows
 */
function cardInHand(one, next, twoRows) {
  const { left, top, width, height } = one.getBoundingClientRect();
  const end = next?.getBoundingClientRect().left ?? 0;
  const free = end > left ? end - left : width;
  const low = top + height * (twoRows ? 0.3 : 0.8);
  return over(one, [[left + free / 2, top + height / 4], [left + 7, low], [left + free * 0.6, low]]);
}

/** Boxes of the table that lie over one another; my own last play may lie under hints. */
function overlapping() {
  const kinds = ".counter, .badge, .badge .marks, .pile, .actions, .hand, .public, .felt .put > :not(.pattern), .tools, .hints:not([hidden])";
  const hinted = document.querySelector(".hints:not([hidden])");
  const boxes = [...document.querySelectorAll(kinds)].filter((one) => seen(one) && !(hinted && one.closest(".me")));
  return boxes.flatMap((one, i) =>
    boxes.slice(i + 1).flatMap((other) => {
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      const nested = one.contains(other) || other.contains(one);
      return Math.min(wide, high) > 3 && !nested ? [`${called(one)} and ${called(other)} overlap by ${wide} by ${high}`] : [];
    }),
  );
}

/** Everything that is wrong on the page as it is; of a dialog that is open, in the dialog. */
/** @type {any} */ (window).covered = () => {
  const front = document.querySelector("dialog[open], .ending:not([hidden])");
  const controls = [...(front ?? document).querySelectorAll("button:not(.card), a[href], select, input")];
  const found = controls.filter((one) => seen(one) && !one.closest(".skip, .bars")).flatMap((one) => control(one, front));
  if (front) return found;
  const cards = [...document.querySelectorAll(".hand .card")];
  const twoRows = Boolean(document.querySelector(".hand.tworows"));
  return [...found, ...cards.flatMap((one, i) => cardInHand(one, cards[i + 1], twoRows)), ...overlapping()];
};
