// Tiles fly from where they lay to where they lie, once for each new move; not for those who asked for no motion.
import { reducedMotion, render, html } from "./base.js";
import { unfold } from "./heaps.js";
import { Tile } from "./tiles.js";

const FLIGHT_MS = 520;
const MOST = 12;

// What each place lost and gained, tile by tile.
function tilesOf(content, colours) {
  if (typeof content === "string") return content === "?" ? [] : [content];
  if (content && content.top) return [content.top];
  if (content && content.colour) return [content.colour];
  return content && !Array.isArray(content) ? unfold(content, colours) : [];
}

function minus(list, other) {
  const rest = [...other];
  return list.filter((name) => {
    const at = rest.indexOf(name);
    if (at < 0) return true;
    rest.splice(at, 1);
    return false;
  });
}

// Pairs a tile that left a place with one of the same colour that came elsewhere.
export function flights(changes, colours) {
  const left = [];
  const came = [];
  for (const [place, [before, after]] of Object.entries(changes)) {
    const [was, now] = [tilesOf(before, colours), tilesOf(after, colours)];
    left.push(...minus(was, now).map((name) => ({ place, name })));
    came.push(...minus(now, was).map((name) => ({ place, name })));
  }
  const found = [];
  for (const to of came) {
    const at = left.findIndex((from) => from.name === to.name && from.place !== to.place);
    if (at >= 0) found.push({ name: to.name, from: left.splice(at, 1)[0].place, to: to.place });
  }
  return found.slice(0, MOST);
}

const centre = (place) => {
  const element = document.querySelector(`[data-place="${CSS.escape(place)}"]`);
  if (!element) return null;
  const box = element.getBoundingClientRect();
  return box.width && box.bottom > 0 && box.top < innerHeight ? { x: box.x + box.width / 2, y: box.y + box.height / 2 } : null;
};

function landingSize(place) {
  const tile = document.querySelector(`[data-tile="${CSS.escape(place)}"]`);
  return tile ? Math.max(14, tile.getBoundingClientRect().width) : 24;
}

export function fly(moves, layout) {
  if (reducedMotion() || document.hidden || !layout || !Element.prototype.animate) return;
  const sky = document.getElementById("sky");
  if (!sky) return;
  const all = moves.flatMap((move) => flights(move.changes, layout.colours)).slice(0, MOST);
  all.forEach(({ name, from, to }, index) => {
    const [start, end] = [centre(from), centre(to)];
    if (!start || !end) return;
    const size = landingSize(to);
    const holder = document.createElement("div");
    holder.className = "flying";
    sky.append(holder);
    render(html`<svg viewBox="-13 -13 26 27" width=${size} height=${size}><${Tile} name=${name} x="0" y="0" size=${24} colours=${layout.colours} /></svg>`, holder);
    const at = ({ x, y }, scale) => `translate(${x - size / 2}px, ${y - size / 2}px) scale(${scale})`;
    const middle = { x: (start.x + end.x) / 2, y: Math.min(start.y, end.y) - 24 };
    const landing = document.querySelector(`[data-tile="${CSS.escape(to)}"]`);
    landing?.classList.add("landing");
    const flight = holder.animate(
      [{ transform: at(start, 1) }, { transform: at(middle, 1.25), offset: 0.5 }, { transform: at(end, 1) }],
      { duration: FLIGHT_MS, delay: index * 45, easing: "cubic-bezier(.4,.1,.3,1)", fill: "both" });
    const done = () => { holder.remove(); landing?.classList.remove("landing"); };
    flight.onfinish = done;
    flight.oncancel = done;
  });
}
