// Past games, and what they say about the players.
import { html, useEffect, useState } from "./base.js";
import { command, get, set } from "./store.js";
import { Chart } from "./chart.js";
import { finalHistory } from "./summary.js";

export function statistics(games) {
  const found = new Map();
  for (const game of games) {
    if (!game.winners.length) continue; // a game that was not finished says nothing
    game.players.forEach((player, at) => {
      const key = player.name.trim().toLocaleLowerCase();
      const row = found.get(key) || { name: player.name, games: 0, wins: 0, total: 0, best: -Infinity };
      row.games += 1;
      row.wins += game.winners.includes(at + 1) ? 1 : 0;
      row.total += game.scores[at];
      row.best = Math.max(row.best, game.scores[at]);
      found.set(key, row);
    });
  }
  return [...found.values()].sort((a, b) => b.wins - a.wins || b.games - a.games);
}

export function Page({ store, argument }) {
  const { words } = store;
  const [games, setGames] = useState(null);
  const [chosen, setChosen] = useState("");
  const load = () => get("/api/games").then(setGames, () => setGames([]));
  useEffect(() => { load(); }, []);
  if (argument) return html`<${One} number=${argument} words=${words} />`;
  if (!games) return html`<p class="quiet">${words.say("app.opening")}</p>`;
  const kinds = [...new Set(games.map((game) => game.game))];
  const kind = chosen || kinds[0];
  const rows = statistics(games.filter((game) => game.game === kind));
  const remove = async (number) => {
    if (confirm(words.say("history.sure")) && (await command("delete-game", { game_number: number })).ok) load();
  };
  return html`<h2>${words.say("history.title")}</h2>
    ${!games.length && html`<p class="quiet">${words.say("history.none")}</p>`}
    ${kinds.length > 1 && html`<div class="choices" role="group" aria-label=${words.say("setup.game")}>${kinds.map((each) => html`<button type="button" key=${each} aria-pressed=${each === kind} onClick=${() => setChosen(each)}>${words.say("game.name", {}, each)}</button>`)}</div>`}
    ${rows.length > 0 && html`<div class="panel"><h3>${words.say("history.players")}</h3><table class="stats">
      <thead><tr><th scope="col">${words.say("history.name")}</th><th scope="col">${words.say("history.games")}</th><th scope="col">${words.say("history.wins")}</th><th scope="col">${words.say("history.mean")}</th><th scope="col">${words.say("history.best")}</th></tr></thead>
      <tbody>${rows.map((row) => html`<tr key=${row.name}><th scope="row">${row.name}</th><td>${row.games}</td><td>${row.wins}</td><td>${words.number(Math.round((row.total / row.games) * 10) / 10)}</td><td>${row.best}</td></tr>`)}</tbody></table></div>`}
    <ul class="games">${games.filter((game) => game.game === kind).map((game) => html`<li key=${game.game_number} class="panel">
      <p class="quiet">${words.date(game.started)} · ${words.say("game.name", {}, game.game)}</p>
      <p class="result">${game.players.map((player, at) => html`<span class=${game.winners.includes(at + 1) ? "won" : ""}>${player.name} <b>${game.scores[at]}</b></span>`)}</p>
      <div class="buttons"><a class="button" href=${`#history/${game.game_number}`}>${words.say("history.open")}</a>
        <a class="button" href=${`/api/games/${game.game_number}/export.json`} download>JSON</a>
        <a class="button" href=${`/api/games/${game.game_number}/export.txt`} download>${words.say("history.text")}</a>
        <button type="button" onClick=${() => remove(game.game_number)}>${words.say("history.delete")}</button></div></li>`)}</ul>`;
}

function One({ number, words }) {
  const [game, setGame] = useState(null);
  useEffect(() => { get(`/api/games/${encodeURIComponent(number)}`).then(setGame, () => setGame(false)); }, [number]);
  if (!game) return html`<p class="quiet">${words.say(game === false ? "error.not-found" : "app.opening")}</p>`;
  const { snapshot } = game;
  return html`<p><a href="#history">← ${words.say("history.title")}</a></p><h2>${words.date(game.started)}</h2>
    <p class="result">${game.players.map((player, at) => html`<span class=${game.winners.includes(at + 1) ? "won" : ""}>${player.name} <b>${game.scores[at]}</b></span>`)}</p>
    <${Chart} players=${snapshot.players} history=${finalHistory(snapshot)} words=${words} />
    ${snapshot.result && html`<div class="buttons"><button type="button" onClick=${() => set({ sheet: { kind: "share", snapshot } })}>${words.say("share.title")}</button></div>`}`;
}
