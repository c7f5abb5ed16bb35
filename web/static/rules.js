// The rules at hand: the game's own short text, searched as one types.
import { html, useEffect, useState } from "./base.js";
import { get, language } from "./store.js";

const plain = (text) => text.toLocaleLowerCase().normalize("NFD").replace(/\p{M}/gu, "");

export function Page({ store }) {
  const { snapshot, words } = store;
  const [game, setGame] = useState(snapshot.game || Object.keys(words.games)[0]);
  const [rules, setRules] = useState(null);
  const [asked, setAsked] = useState("");
  useEffect(() => {
    setRules(null);
    if (game) get(`/api/rules/${game}/${language()}`).then(setRules, () => setRules([]));
  }, [game, language()]);
  const parts = plain(asked).split(/\s+/).filter(Boolean);
  const found = (rules || []).filter((rule) => parts.every((part) => plain(`${rule.title} ${rule.text}`).includes(part)));
  return html`<h2>${words.say("nav.rules")}</h2>
    ${Object.keys(words.games).length > 1 && html`<div class="choices" role="group" aria-label=${words.say("setup.game")}>${Object.keys(words.games).map((each) => html`<button type="button"
      key=${each} aria-pressed=${each === game} onClick=${() => setGame(each)}>${words.say("game.name", {}, each)}</button>`)}</div>`}
    <label class="search"><span>${words.say("rules.search")}</span><input type="search" value=${asked} onInput=${(event) => setAsked(event.target.value)} autocomplete="off" /></label>
    <div aria-live="polite">${rules && !found.length && html`<p class="quiet">${words.say("rules.none")}</p>`}</div>
    ${found.map((rule) => html`<article class="rule-text" key=${rule.id}><h3><${Marked} text=${rule.title} parts=${parts} /></h3>
      ${rule.text.split(/\n+/).map((line) => html`<p><${Marked} text=${line} parts=${parts} /></p>`)}</article>`)}`;
}

// The text with what was searched for marked; works on letters without their accents.
function Marked({ text, parts }) {
  if (!parts.length) return text;
  const letters = [...text];
  const bare = letters.map((letter) => plain(letter).slice(0, 1) || letter);
  const line = bare.join("");
  const marked = letters.map(() => false);
  for (const part of parts) {
    for (let at = line.indexOf(part); at >= 0; at = line.indexOf(part, at + 1)) marked.fill(true, at, at + part.length);
  }
  const pieces = [];
  letters.forEach((letter, at) => {
    const last = pieces[pieces.length - 1];
    if (last && last.marked === marked[at]) last.text += letter;
    else pieces.push({ marked: marked[at], text: letter });
  });
  return pieces.map((piece) => (piece.marked ? html`<mark>${piece.text}</mark>` : piece.text));
}
