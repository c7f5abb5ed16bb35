// Every move of the game, newest first; each can be taken back or put right.
import { html } from "./base.js";
import { command, set } from "./store.js";
import { moveSentence } from "./table.js";

export function Page({ store }) {
  const { snapshot, words } = store;
  const rounds = new Map();
  for (const move of [...snapshot.moves].reverse()) {
    if (!rounds.has(move.round)) rounds.set(move.round, []);
    rounds.get(move.round).push(move);
  }
  return html`<h2>${words.say("moves.title")}</h2>
    <p class="quiet">${words.say("moves.help")}</p>
    ${!snapshot.moves.length && html`<p class="quiet">${words.say("moves.none")}</p>`}
    ${[...rounds].map(([round, moves]) => html`<section key=${round}><h3>${words.say("table.round", { round })}</h3>
      <ol class="moves" reversed>${moves.map((move) => html`<${Move} key=${move.entry} move=${move} words=${words} />`)}</ol></section>`)}`;
}

function Move({ move, words }) {
  const about = { n: move.n };
  return html`<li><span class="n">${move.n}</span><p>${moveSentence(move, words)}${move.source === "person" && html` <span class="by">${words.say("moves.by-hand")}</span>`}</p>
    <div class="buttons">
      <button type="button" aria-label=${words.say("moves.edit-one", about)} onClick=${() => set({ sheet: { kind: "edit", entry: move.entry, n: move.n } })}>${words.say("moves.edit")}</button>
      <button type="button" aria-label=${words.say("moves.undo-one", about)} onClick=${() => command("undo", { entry: move.entry })}>${words.say("moves.undo")}</button>
    </div></li>`;
}
