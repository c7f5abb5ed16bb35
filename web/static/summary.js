// What a round brought and how the game ended, point by point.
import { html, useState } from "./base.js";
import { Chart } from "./chart.js";
import { palette } from "./tiles.js";
import { set } from "./store.js";

// Reasons are unfolded where there is room to read them.
const roomy = (players) => innerWidth >= 760 && players.length < 3 && document.documentElement.dataset.view !== "tv";
const SHOWN_MOVES = 3; // the card of a round goes when the next one is under way

export function Reasons({ reasons, words }) {
  return html`<ul class="reasons">${reasons.map((reason, index) => html`<li key=${index}>
    <span>${words.sentence(`reasons.${reason.key}`, { ...reason.params, player: reason.player })}</span>
    <b class=${reason.points < 0 ? "minus" : "plus"}>${words.signed(reason.points)}</b></li>`)}</ul>`;
}

const sum = (reasons) => reasons.reduce((total, reason) => total + reason.points, 0);

export function RoundTable({ players, round, words, opened }) {
  return html`<div class="by-player">${players.map((player, at) => {
    const own = round.reasons.filter((reason) => reason.player === player.player);
    return html`<details key=${player.player} open=${opened} style=${{ "--own": palette(player.colour).base }}>
      <summary><span class="who">${player.name}</span><span class="gain">${words.signed(sum(own))}</span><span class="total">${words.number(round.scores[at])}</span></summary>
      ${own.length ? html`<${Reasons} reasons=${own} words=${words} />` : html`<p class="quiet">${words.say("round.nothing")}</p>`}
    </details>`;
  })}</div>`;
}

export function RoundCard({ store }) {
  const { snapshot, words } = store;
  const [hidden, setHidden] = useState(null);
  const round = snapshot.rounds[snapshot.rounds.length - 1];
  if (!round || !round.reasons.length) return null;
  const mark = `${snapshot.game_number}/${round.round}`;
  const since = snapshot.moves.filter((move) => move.round > round.round && move.player).length;
  if (hidden === mark || since > SHOWN_MOVES) return null;
  return html`<section class="panel round" aria-label=${words.say("round.title", { round: round.round })}>
    <header><h2>${words.say("round.title", { round: round.round })}</h2>
      <button type="button" class="close" aria-label=${words.say("app.close")} onClick=${() => setHidden(mark)}>×</button></header>
    <${RoundTable} players=${snapshot.players} round=${round} words=${words} opened=${roomy(snapshot.players)} />
    <${Chart} players=${snapshot.players} history=${snapshot.history} words=${words} />
  </section>`;
}

export const finalHistory = ({ history, result }) => (result ? [...history, result.scores] : history);

export function decision(snapshot, words) {
  const { result, players } = snapshot;
  const names = players.filter((player) => result.winners.includes(player.player)).map((player) => player.name);
  const list = Intl.ListFormat ? new Intl.ListFormat(words.language).format(names) : names.join(", ");
  if (result.decided_by === "shared") return words.say("final.shared", { names: list });
  if (result.decided_by === "tie-break") return words.say("final.tie-break", { name: list, reason: words.say("game.tie_break") });
  return words.say("final.winner", { name: list });
}

// The winners first, then the others by their points: where the fewest win, the fewest first.
export function inOrder({ result, players }) {
  const points = (player) => result.scores[player.player - 1];
  const won = (player) => result.winners.includes(player.player);
  const fewest = players.some((player) => won(player) && points(player) < Math.max(...result.scores));
  return [...players].sort((a, b) => won(b) - won(a) || (points(b) - points(a)) * (fewest ? -1 : 1));
}

export function FinalCard({ store }) {
  const { snapshot, words } = store;
  const { result, players } = snapshot;
  const order = inOrder(snapshot);
  return html`<section class="panel final" aria-label=${words.say("final.title")}>
    <header><h2>${decision(snapshot, words)}</h2></header>
    <div class="by-player">${order.map((player) => {
      const own = result.reasons.filter((reason) => reason.player === player.player);
      const tie = result.tie_breaks[player.player - 1];
      return html`<details key=${player.player} open=${players.length < 3 && document.documentElement.dataset.view !== "tv"} style=${{ "--own": palette(player.colour).base }}>
        <summary><span class="who">${player.name}${result.winners.includes(player.player) ? " ★" : ""}</span>
          <span class="gain">${words.signed(sum(own))}</span><span class="total">${words.number(result.scores[player.player - 1])}</span></summary>
        ${own.length ? html`<${Reasons} reasons=${own} words=${words} />` : html`<p class="quiet">${words.say("final.no-bonus")}</p>`}
        ${tie !== null && tie !== undefined && html`<p class="quiet">${words.say("final.tie-value", { reason: words.say("game.tie_break"), value: tie })}</p>`}
      </details>`;
    })}</div>
    <${Chart} players=${players} history=${finalHistory(snapshot)} words=${words} />
    <div class="buttons"><button type="button" onClick=${() => set({ sheet: { kind: "share", snapshot } })}>${words.say("share.title")}</button>
      <a class="button" href="#setup">${words.say("final.again")}</a></div>
  </section>`;
}
