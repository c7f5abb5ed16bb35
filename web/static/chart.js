// The course of the game: one line a player, drawn small.
import { html } from "./base.js";
import { palette } from "./tiles.js";

const WIDTH = 320;
const HEIGHT = 150;
const PAD = { left: 26, right: 12, top: 12, bottom: 20 };
const MARKS = ["circle", "square", "diamond", "triangle", "cross"];

export function niceStep(span) {
  const rough = Math.max(span, 4) / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough);
}

function Mark({ kind, x, y }) {
  if (kind === "square") return html`<rect x=${x - 3} y=${y - 3} width="6" height="6" />`;
  if (kind === "diamond") return html`<path d="M${x} ${y - 4.2} ${x + 4.2} ${y} ${x} ${y + 4.2} ${x - 4.2} ${y}Z" />`;
  if (kind === "triangle") return html`<path d="M${x} ${y - 4} ${x + 4} ${y + 3.4} ${x - 4} ${y + 3.4}Z" />`;
  if (kind === "cross") return html`<path d="M${x - 3} ${y - 3} ${x + 3} ${y + 3}M${x + 3} ${y - 3} ${x - 3} ${y + 3}" stroke-width="2.4" />`;
  return html`<circle cx=${x} cy=${y} r="3.2" />`;
}

// `history`: the scores of all players after each round. Everyone starts at 0.
export function Chart({ players, history, words }) {
  const rows = [players.map(() => 0), ...history];
  const most = Math.max(1, ...rows.flat());
  const least = Math.min(0, ...rows.flat());
  const step = niceStep(most - least);
  const top = Math.ceil(most / step) * step;
  const bottom = Math.floor(least / step) * step;
  const x = (index) => PAD.left + (index * (WIDTH - PAD.left - PAD.right)) / Math.max(1, rows.length - 1);
  const y = (score) => HEIGHT - PAD.bottom - ((score - bottom) * (HEIGHT - PAD.top - PAD.bottom)) / (top - bottom);
  const ticks = [];
  for (let value = bottom; value <= top; value += step) ticks.push(value);
  const label = players.map((player, at) => `${player.name}: ${rows.map((row) => row[at]).join(", ")}`).join("; ");
  return html`<figure class="chart">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${words.say("chart.label")}: ${label}">
      ${ticks.map((value) => html`<line class="grid" x1=${PAD.left} x2=${WIDTH - PAD.right} y1=${y(value)} y2=${y(value)} />
        <text class="tick" x=${PAD.left - 5} y=${y(value) + 3.5} text-anchor="end">${value}</text>`)}
      ${rows.map((_, index) => (rows.length < 14 || index % 4 === 0) && html`<text class="tick" x=${x(index)} y=${HEIGHT - 5} text-anchor="middle">${index}</text>`)}
      ${players.map((player, at) => {
        const colour = palette(player.colour).base;
        return html`<g class="series" stroke=${colour} fill=${colour}>
          <polyline fill="none" points=${rows.map((row, index) => `${x(index)},${y(row[at])}`).join(" ")} />
          ${rows.map((row, index) => html`<${Mark} kind=${MARKS[at % 5]} x=${x(index)} y=${y(row[at])} />`)}
        </g>`;
      })}
    </svg>
    <figcaption>${players.map((player, at) => html`<span class="key"><svg viewBox="-6 -6 12 12" aria-hidden="true" fill=${palette(player.colour).base} stroke=${palette(player.colour).base}><${Mark} kind=${MARKS[at % 5]} x=${0} y=${0} /></svg>${player.name}</span>`)}</figcaption>
  </figure>`;
}
