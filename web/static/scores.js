// All rounds so far, with the chart.
import { html } from "./base.js";
import { Chart } from "./chart.js";
import { FinalCard, RoundTable, finalHistory } from "./summary.js";

export function Page({ store }) {
  const { snapshot, words } = store;
  if (snapshot.game === null) return html`<p class="quiet">${words.say("table.no-game")}</p>`;
  return html`<h2>${words.say("nav.scores")}</h2>
    ${snapshot.result ? html`<${FinalCard} store=${store} />` : html`<${Chart} players=${snapshot.players} history=${finalHistory(snapshot)} words=${words} />`}
    ${!snapshot.rounds.length && html`<p class="quiet">${words.say("round.none")}</p>`}
    ${[...snapshot.rounds].reverse().map((round, at) => html`<section class="panel" key=${round.round}>
      <header><h3>${words.say("round.title", { round: round.round })}</h3></header>
      <${RoundTable} players=${snapshot.players} round=${round} words=${words} opened=${at === 0} /></section>`)}`;
}
