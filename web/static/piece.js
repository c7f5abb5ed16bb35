// Draws one piece of any game from its layout: slots, heaps, piles, plates, cells, chips and counters.
import { html } from "./base.js";
import { lean, spread, unfold } from "./heaps.js";
import { Face, Tile, motif, palette } from "./tiles.js";

const AREA_MM = 230;
const ORDER = { plate: 0, chip: 0.5, counter: 2 };
const MARGIN_MM = 4;

const isArea = (piece) => !(piece.size_mm[0] > 0);

// The size of the drawing in millimetres; an area that is only tapped as a polygon gets as many rows as it needs.
export function pieceSize(piece, layout, places) {
  if (!isArea(piece)) return piece.size_mm;
  const width = AREA_MM;
  const heap = piece.places[0];
  const tile = heap ? layout.items[heap.item].size_mm : 18;
  const count = piece.places.reduce((sum, place) => sum + unfold(places[place.name], layout.colours).length, 0);
  const columns = Math.floor((width - 2 * MARGIN_MM) / (tile * 1.16));
  return [width, Math.max(1, Math.ceil(count / columns)) * tile * 1.16 + 3 * MARGIN_MM];
}

// The part that is worth showing: a long score track is left out while nothing about it needs looking at.
function viewBox(piece, [width, height], hot) {
  const rest = piece.places.filter((place) => place.kind !== "counter");
  const counters = piece.places.filter((place) => place.kind === "counter");
  if (piece.frame !== "corners" || !rest.length || !counters.length || counters.some((place) => hot.has(place.name)) || piece.player === null) {
    return [0, 0, width, height];
  }
  const box = rest.reduce(([x0, y0, x1, y1], { at: [u, v], size: [w, h] }) => [
    Math.min(x0, (u - w / 2) * width), Math.min(y0, (v - h / 2) * height),
    Math.max(x1, (u + w / 2) * width), Math.max(y1, (v + h / 2) * height)], [width, height, 0, 0]);
  return [box[0] - MARGIN_MM * 1.5, box[1] - MARGIN_MM * 1.5, box[2] - box[0] + MARGIN_MM * 3, box[3] - box[1] + MARGIN_MM * 3];
}

export function contentWords(content, words) {
  if (content === null || content === undefined || content === "") return words.say("place.empty");
  if (content === "?") return words.say("place.unknown");
  if (typeof content === "number") return String(content);
  if (typeof content === "string") return words.has(`colours.${content}`) ? words.colour(content) : words.say(`content.${content}`);
  if (Array.isArray(content)) return content.map((part) => contentWords(part, words)).join(", ");
  if ("top" in content) return words.colour(content.top);
  if ("colour" in content) return `${words.colour(content.colour)} ${words.has(`faces.${content.face}`) ? words.say(`faces.${content.face}`) : content.face || ""}`.trim();
  const parts = Object.entries(content).filter(([, count]) => count).map(([colour, count]) => `${count} ${words.say(`colours.${colour}`, { count })}`);
  return parts.length ? parts.join(", ") : words.say("place.empty");
}

export function Piece({ piece, layout, places, words, hot, asked, fresh, labels, onPick, picking, title }) {
  const size = pieceSize(piece, layout, places);
  const [width, height] = size;
  const box = viewBox(piece, size, hot);
  const shown = [...piece.places].sort((a, b) => (ORDER[a.kind] ?? 1) - (ORDER[b.kind] ?? 1));
  const common = { layout, width, height, words, labels };
  const under = piece.places.filter((place) => place.kind === "plate" || place.kind === "chip");
  const pick = (event) => {
    const found = event.target.closest("[data-place]");
    if (found && onPick) onPick(found.dataset.place);
  };
  const key = (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); pick(event); } };
  return html`<svg class="piece frame-${piece.frame}" viewBox=${box.join(" ")} role=${picking ? "group" : "img"}
      aria-label=${title} onClick=${pick} onKeyDown=${picking ? key : undefined} data-piece=${piece.name}>
    ${piece.frame === "disc"
      ? html`<circle class="disc" cx=${width / 2} cy=${height / 2} r=${width / 2 - 0.6} /><circle class="disc-line" cx=${width / 2} cy=${height / 2} r=${width * 0.42} />`
      : html`<rect class="board" x=${box[0] + 0.5} y=${box[1] + 0.5} width=${box[2] - 1} height=${box[3] - 1} rx="7" />`}
    ${shown.filter((place) => place.kind !== "counter" || box[1] === 0).map((place) => {
      const Draw = KINDS[place.kind] || Slot;
      const content = places[place.name];
      const state = hot.has(place.name) ? "hot" : asked.has(place.name) ? "asked" : fresh.has(place.name) ? "fresh" : "";
      return html`<g key=${place.name} class="place ${place.kind} ${state}" data-place=${place.name}
          role=${picking ? "button" : undefined} tabindex=${picking ? 0 : undefined}
          aria-label=${picking ? `${words.place(place.name)}: ${contentWords(content, words)}` : undefined}>
        <${Draw} ...${common} place=${place} content=${content} area=${isArea(piece)} bare=${under.some((lower) => covers(lower, place))} />
        ${state && html`<${Ring} place=${place} width=${width} height=${height} area=${isArea(piece)} />`}
      </g>`;
    })}
    <${Grid} piece=${piece} places=${places} width=${width} height=${height} />
  </svg>`;
}

// Around a board of lettered cells: its letters and numbers, and a line around each group of one colour.
function Grid({ piece, places, width, height }) {
  const cells = piece.places.filter((place) => place.kind === "cell");
  if (!cells.length) return null;
  const at = new Map(cells.map((place) => [place.at.join(), place]));
  const across = [...new Set(cells.map((place) => place.at[0]))].sort((a, b) => a - b);
  const down = [...new Set(cells.map((place) => place.at[1]))].sort((a, b) => a - b);
  const colour = (column, row) => places[at.get([across[column], down[row]].join())?.name]?.colour;
  const [w, h] = [cells[0].size[0] * width, cells[0].size[1] * height];
  const name = (place) => place.name.split(".").pop();
  let lines = "";
  across.forEach((u, column) => down.forEach((v, row) => {
    const own = colour(column, row);
    if (!own) return;
    const [x0, x1, y0, y1] = [u * width - w / 2, u * width + w / 2, v * height - h / 2, v * height + h / 2];
    if (colour(column - 1, row) !== own) lines += `M${x0} ${y0}V${y1}`;
    if (colour(column + 1, row) !== own) lines += `M${x1} ${y0}V${y1}`;
    if (colour(column, row - 1) !== own) lines += `M${x0} ${y0}H${x1}`;
    if (colour(column, row + 1) !== own) lines += `M${x0} ${y1}H${x1}`;
  }));
  const label = (text, x, y) => html`<text class="axis" x=${x} y=${y} dy="0.35em" text-anchor="middle">${text}</text>`;
  return html`<g aria-hidden="true" pointer-events="none">
    ${down.map((v) => label(name(at.get([across[0], v].join())).slice(0, 1), across[0] * width - w * 0.85, v * height))}
    ${across.map((u) => label(name(at.get([u, down[0]].join())).slice(1), u * width, down[0] * height - h * 0.85))}
    <path class="group" d=${lines} /></g>`;
}

// A space under which a plate or a chip can lie: what lies below is what one sees while it is empty.
const covers = (lower, { kind, at: [u, v] }) => (kind === "slot" || kind === "pile")
  && Math.abs(u - lower.at[0]) < lower.size[0] / 2 && Math.abs(v - lower.at[1]) < lower.size[1] / 2;

function boxOf(place, width, height, area) {
  const [w, h] = area ? [width - MARGIN_MM, height - MARGIN_MM] : [place.size[0] * width, place.size[1] * height];
  return { x: place.at[0] * width, y: place.at[1] * height, w, h };
}

function Ring({ place, width, height, area }) {
  const { x, y, w, h } = boxOf(place, width, height, area);
  const grow = 1.4;
  const radius = place.round_area ? Math.min(w, h) / 2 + grow : 4;
  return html`<rect class="ring" x=${x - w / 2 - grow} y=${y - h / 2 - grow} width=${w + 2 * grow} height=${h + 2 * grow} rx=${radius} />`;
}

const itemOf = (place, layout) => layout.items[place.item] || { shape: "square", size_mm: 18 };
const isRound = (place, layout) => itemOf(place, layout).shape === "round";

function Print({ name, x, y, size }) {
  const { base, print } = palette(name);
  return html`<g class="print" transform="translate(${x} ${y}) scale(${size / 24 * 0.72}) translate(-12 -12)" fill=${print || base} color=${print || base}>${motif(name)}</g>`;
}

function Slot({ place, content, layout, width, height, labels, bare }) {
  const { x, y, w, h } = boxOf(place, width, height);
  const round = isRound(place, layout);
  const cell = Math.min(w, h);
  const size = Math.min(itemOf(place, layout).size_mm, cell * 0.98);
  const tint = place.prints ? palette(place.prints, layout.colours).base : null;
  return html`
    <rect class=${bare ? "touch" : "cell"} x=${x - w / 2} y=${y - h / 2} width=${w} height=${h} rx=${round ? cell / 2 : 2.6} />
    ${tint && !content && html`<rect class="tint" x=${x - w / 2} y=${y - h / 2} width=${w} height=${h} rx=${round ? cell / 2 : 2.6} fill=${tint} />
      <${Print} name=${place.prints} x=${x} y=${y} size=${cell} />`}
    ${content === "?" ? html`<${Unknown} x=${x} y=${y} />` : content && html`<${Tile} name=${content} x=${x} y=${y} size=${size} round=${round}
      colours=${layout.colours} label=${labels && labels[content]} place=${place.name} />`}`;
}

const Unknown = ({ x, y }) => html`<text class="unknown" x=${x} y=${y} dy="0.35em" text-anchor="middle">?</text>`;

function Heap({ place, content, layout, width, height, labels, area }) {
  const { x, y, w, h } = boxOf(place, width, height, area);
  if (content === "?") return html`<${Unknown} x=${x} y=${y} />`;
  const names = unfold(content, layout.colours);
  const item = itemOf(place, layout);
  const { size, at } = spread(names.length, w, h, item.size_mm * (place.round_area ? 1.3 : 1), place.round_area);
  return html`<rect class="touch" x=${x - w / 2} y=${y - h / 2} width=${w} height=${h} />
    ${names.map((name, index) => html`<${Tile} key=${index} name=${name} x=${x + at[index][0]} y=${y + at[index][1]} size=${size}
      round=${item.shape === "round"} turn=${item.shape === "round" ? 0 : lean(index)} colours=${layout.colours}
      label=${labels && labels[name]} place=${place.name} />`)}`;
}

function Pile({ place, content, layout, width, height, labels, bare }) {
  const { x, y, w, h } = boxOf(place, width, height);
  const size = Math.min(itemOf(place, layout).size_mm, w, h);
  const round = isRound(place, layout);
  const top = content && content !== "?" ? content.top : null;
  return html`<rect class=${bare ? "touch" : "cell"} x=${x - w / 2} y=${y - h / 2} width=${w} height=${h} rx=${round ? Math.min(w, h) / 2 : 2.6} />
    ${content === "?" && html`<${Unknown} x=${x} y=${y} />`}
    ${top && html`<g opacity="0.45"><${Tile} name=${top} x=${x} y=${y + 1.6} size=${size} round=${round} colours=${layout.colours} /></g>
      <${Tile} name=${top} x=${x} y=${y - 0.6} size=${size} round=${round} colours=${layout.colours} label=${labels && labels[top]} place=${place.name} />`}`;
}

function Plate({ place, content, layout, width, height }) {
  const { x, y, w, h } = boxOf(place, width, height);
  if (!Array.isArray(content)) {
    return html`<rect class="cell plate-empty" x=${x - w / 2 + 0.8} y=${y - h / 2 + 0.8} width=${w - 1.6} height=${h - 1.6} rx="3" />`;
  }
  const cell = Math.min(w, h) / 2;
  return html`<rect class="plate" x=${x - w / 2 + 0.4} y=${y - h / 2 + 0.4} width=${w - 0.8} height=${h - 0.8} rx="3" />
    ${content.map((name, index) => {
      const cx = x + (index % 2 ? 1 : -1) * w / 4;
      const cy = y + (index > 1 ? 1 : -1) * h / 4;
      return html`<circle class="tint" cx=${cx} cy=${cy} r=${cell * 0.42} fill=${palette(name, layout.colours).base} />
        <${Print} name=${name} x=${cx} y=${cy} size=${cell * 0.86} />`;
    })}`;
}

function Chip({ place, content, layout, width, height }) {
  const { x, y, w, h } = boxOf(place, width, height);
  const r = Math.min(w, h) / 2;
  const colours = Array.isArray(content) ? content : [];
  return html`<circle class="cell" cx=${x} cy=${y} r=${r} />
    ${content === "face-down" && html`<circle class="chip-back" cx=${x} cy=${y} r=${r * 0.9} /><circle class="chip-line" cx=${x} cy=${y} r=${r * 0.55} />`}
    ${content === "?" && html`<${Unknown} x=${x} y=${y} />`}
    ${colours.map((name, index) => html`<${Tile} name=${name} round x=${x + (colours.length > 1 ? (index ? 1 : -1) * r * 0.4 : 0)} y=${y} size=${r * (colours.length > 1 ? 1.1 : 1.7)} colours=${layout.colours} />`)}`;
}

function Cell({ place, content, layout, width, height }) {
  const { x, y, w, h } = boxOf(place, width, height);
  const item = itemOf(place, layout);
  const figure = place.faces.find((face) => face.length > 1 && face !== "joker");
  return html`<rect class="cell" x=${x - w / 2 + 0.5} y=${y - h / 2 + 0.5} width=${w - 1} height=${h - 1} rx="2.4" />
    ${!content && figure && html`<g class="figure" transform="translate(${x} ${y}) scale(${w / 24 * 0.62}) translate(-12 -12)"><${Face} face=${figure} /></g>`}
    ${content === "?" ? html`<${Unknown} x=${x} y=${y} />` : content && html`<${Tile} name=${content.colour} face=${content.face || "?"} x=${x} y=${y}
      size=${Math.min(item.size_mm, w * 0.94)} colours=${layout.colours} place=${place.name} />`}`;
}

function Counter({ place, content, layout, width, height }) {
  const stone = itemOf(place, layout).size_mm;
  return html`${place.tracks.map(({ weight, at }, index) => {
    const above = place.tracks[index - 1];
    const points = above ? content % above.weight : content;
    const step = typeof content === "number" ? Math.floor(points / weight) : -1;
    const stand = at[step];
    return html`${at.map(([u, v], number) => html`<circle class=${number % 5 ? "dot" : "dot five"} cx=${u * width} cy=${v * height} r=${number % 5 ? 1.1 : 1.9} />`)}
      ${stand && html`<rect class="stone" x=${stand[0] * width - stone / 2} y=${stand[1] * height - stone / 2} width=${stone} height=${stone} rx="2" />`}`;
  })}`;
}

const KINDS = { slot: Slot, heap: Heap, pile: Pile, plate: Plate, chip: Chip, cell: Cell, counter: Counter };
