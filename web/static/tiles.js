// How a tile looks: own motifs, so that every colour also has a shape of its own.
import { html } from "./base.js";

export const PALETTE = {
  blue: { base: "#2c66b0", ink: "#d8e9ff", edge: "#1c4680" },
  yellow: { base: "#e9a727", ink: "#7a4206", edge: "#b37a0e" },
  red: { base: "#c2402f", ink: "#ffdcd0", edge: "#8c2719" },
  black: { base: "#363f4c", ink: "#8fd0d6", edge: "#1f252e" },
  white: { base: "#e6eff0", ink: "#1f8592", edge: "#a9bfc3", print: "#3f9fab" },
  turquoise: { base: "#2fa9a3", ink: "#e2fffb", edge: "#1b7a76" },
  green: { base: "#4c9150", ink: "#e3f7dc", edge: "#2f6734" },
  purple: { base: "#7d52a0", ink: "#f0e0ff", edge: "#563276" },
  orange: { base: "#dd7a2c", ink: "#fff0df", edge: "#a3541a" },
  marker: { base: "#f7f1e3", ink: "#c4512d", edge: "#c9bda2" },
  special: { base: "#f1d98a", ink: "#7a5410", edge: "#c2a24a", print: "#b08a22" },
  token: { base: "#8b6b3a", ink: "#f3e3c4", edge: "#5f4622" },
  joker: { base: "#f4ecdd", ink: "#6b6f7d", edge: "#c8bda8", print: "#6b6f7d" },
};

export function palette(name, colours) {
  if (PALETTE[name]) return PALETTE[name];
  const [r, g, b] = (colours && colours[name]) || [150, 150, 150];
  const dark = r * 0.3 + g * 0.6 + b * 0.1 < 130;
  return { base: `rgb(${r} ${g} ${b})`, ink: dark ? "#fff" : "#222", edge: `rgb(${r * 0.7} ${g * 0.7} ${b * 0.7})` };
}

const petal = (turn) => html`<ellipse cx="12" cy="6.6" rx="2.7" ry="4.3" transform="rotate(${turn} 12 12)" />`;
const spoke = (turn) => html`<path d="M12 12 10.6 7.6 12 3.6 13.4 7.6Z" transform="rotate(${turn} 12 12)" />`;

// Each motif is drawn in a box of 24 by 24 in the current ink.
const MOTIFS = {
  blue: () => html`${[0, 90, 180, 270].map(petal)}<circle cx="12" cy="12" r="1.6" />`,
  yellow: () => html`<path d="M12 3.5 20.5 12 12 20.5 3.5 12Z" fill="none" stroke="currentColor" stroke-width="2.2" /><path d="M12 8.6 15.4 12 12 15.4 8.6 12Z" />`,
  red: () => html`<path d="M3 11A8 8 0 0 0 11 3M21 11A8 8 0 0 1 13 3M3 13A8 8 0 0 1 11 21M21 13A8 8 0 0 0 13 21" fill="none" stroke="currentColor" stroke-width="2.6" />`,
  black: () => html`${[[6.5, 6.5], [17.5, 6.5], [12, 12], [6.5, 17.5], [17.5, 17.5]].map(([x, y]) => html`<rect x=${x - 2.2} y=${y - 2.2} width="4.4" height="4.4" rx="0.8" />`)}`,
  white: () => html`${[0, 45, 90, 135, 180, 225, 270, 315].map(spoke)}<circle cx="12" cy="12" r="2.4" />`,
  turquoise: () => html`<path d="M3.5 8.5q2.8-3.4 5.6 0t5.7 0 5.7 0M3.5 13q2.8-3.4 5.6 0t5.7 0 5.7 0M3.5 17.5q2.8-3.4 5.6 0t5.7 0 5.7 0" fill="none" stroke="currentColor" stroke-width="2" />`,
  green: () => html`<path d="M4 13 12 5 20 13M4 20 12 12 20 20" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linejoin="round" />`,
  purple: () => html`<circle cx="12" cy="12" r="7.6" fill="none" stroke="currentColor" stroke-width="2.2" /><circle cx="12" cy="12" r="3" />`,
  orange: () => html`<path d="M12 3.6 19.5 18H4.5Z" fill="none" stroke="currentColor" stroke-width="2.4" stroke-linejoin="round" />`,
  marker: () => html`<path d="M9.2 7.4 12.4 5v14M9 19h6.8" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round" />`,
  special: () => html`<path d="m12 3.4 2.5 5.6 6 .6-4.5 4.1 1.3 6L12 16.6l-5.3 3.1 1.3-6L3.500 9.600l6-.6Z" />`,
  token: () => html`<path d="M12 4.500 19 12 12 19.500 5 12Z" />`,
  joker: () => html`<circle cx="12" cy="12" r="7" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="3.2 2.3" /><circle cx="12" cy="12" r="1.8" />`,
};

export const motif = (name) => (MOTIFS[name] ? MOTIFS[name]() : html`<path d="M7 7 17 17M17 7 7 17" fill="none" stroke="currentColor" stroke-width="2.4" />`);

// Figures of printed or lettered tiles that have a drawing here; other faces are written.
const FIGURES = {
  triangle: "M12 4.500 20 19H4Z", cross: "M9.500 4h5v5.500H20v5h-5.500V20h-5v-5.500H4v-5h5.500Z",
  star: "m12 3.400 2.500 5.600 6 .6-4.500 4.100 1.300 6L12 16.600l-5.300 3.100 1.300-6L3.500 9.600l6-.6Z",
  circle: "M12 4.500a7.500 7.500 0 1 0 .01 0Z", diamond: "M12 3 19 12 12 21 5 12Z", square: "M5.500 5.500h13v13h-13Z",
  heart: "M12 20C4 14 3.500 10.500 3.500 8.700 3.500 6 5.600 4.300 7.800 4.300c1.900 0 3.400 1.200 4.200 2.900.8-1.700 2.300-2.900 4.200-2.900 2.200 0 4.300 1.700 4.300 4.400 0 1.800-.5 5.300-8.500 11.300Z",
  moon: "M15.500 3.800A8.700 8.700 0 1 0 20 16.500 7.500 7.500 0 0 1 15.500 3.800Z",
  joker: "M12.0 2.5L13.8 6.5L17.6 4.3L16.7 8.6L21.0 9.1L17.8 12.0L21.0 14.9L16.7 15.4L17.6 19.7L13.8 17.5L12.0 21.5L10.2 17.5L6.4 19.7L7.3 15.4L3.0 14.9L6.2 12.0L3.0 9.1L7.3 8.6L6.4 4.3L10.2 6.5Z",
  club: "M12 3.500a3.700 3.700 0 0 1 2.600 6.300 3.800 3.800 0 1 1-1.500 6.200L14.500 20h-5l1.400-4a3.800 3.800 0 1 1-1.500-6.200A3.700 3.700 0 0 1 12 3.500Z",
};
FIGURES.plus = FIGURES.cross; FIGURES.crescent = FIGURES.moon; FIGURES.clover = FIGURES.club;

export function Face({ face, box = 24 }) {
  if (FIGURES[face]) return html`<path d=${FIGURES[face]} transform="scale(${box / 24})" />`;
  return html`<text x=${box / 2} y=${box / 2} dy="0.36em" text-anchor="middle" class="face">${String(face).slice(0, 2).toUpperCase()}</text>`;
}

// A tile of `size` around (x, y), in the units of the drawing it stands in.
export function Tile({ name, x, y, size, round, turn = 0, colours, label, face, place }) {
  const { base, ink, edge } = palette(name, colours);
  const half = size / 2;
  const scale = size / 24;
  const radius = round ? half : size * 0.16;
  return html`<g class="tile" transform="translate(${x} ${y}) rotate(${turn})" data-colour=${name} data-tile=${place}>
    <rect x=${-half} y=${-half + size * 0.05} width=${size} height=${size} rx=${radius} fill=${edge} />
    <rect x=${-half} y=${-half} width=${size} height=${size} rx=${radius} fill=${base} />
    <rect x=${-half + size * 0.06} y=${-half + size * 0.06} width=${size * 0.88} height=${size * 0.88} rx=${radius * 0.8} fill="none"
      stroke=${ink} stroke-opacity="0.35" stroke-width=${size * 0.035} />
    ${face ? html`<g transform="scale(${scale * 0.8}) translate(-12 -12)" fill=${ink} color=${ink}><${Face} face=${face} /></g>`
      : label ? html`<text class="label" y=${size * 0.16} font-size=${size * (label.length > 2 ? 0.36 : 0.46)} text-anchor="middle" fill=${ink}>${label}</text>`
      : html`<g transform="scale(${scale * 0.84}) translate(-12 -12)" fill=${ink} color=${ink}>${motif(name)}</g>`}
  </g>`;
}

// The shortest beginnings by which the colours of a game can be told apart, for those who like letters.
export function labels(words, colours) {
  const names = Object.keys(colours || {}).map((key) => [key, words.colour(key).replace(/\s/g, "")]);
  return Object.fromEntries(names.map(([key, name]) => {
    let length = 1;
    const clash = () => names.some(([other, text]) => other !== key && text.slice(0, length).toLowerCase() === name.slice(0, length).toLowerCase());
    while (length < Math.min(3, name.length) && clash()) length += 1;
    return [key, name.slice(0, length).toLocaleUpperCase(words.language)];
  }));
}
