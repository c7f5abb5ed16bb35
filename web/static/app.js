// Starts the page: words, layout, the line to the table; then draws whatever the address asks for.
import { html, render, useEffect, useState } from "./base.js";
import { connect, get, language, pair, refreshSession, set, state, useStore } from "./store.js";
import { Words } from "./words.js";
import { Banners, TopBar, Ways } from "./frame.js";
import { Table } from "./table.js";
import { keepAwake, news, tell } from "./feedback.js";

const PARTS = {
  moves: () => import("./moves.js"), scores: () => import("./scores.js"), rules: () => import("./rules.js"),
  more: () => import("./more.js"), setup: () => import("./setup.js"), history: () => import("./history.js"),
};
const SHEETS = { pair: "./pair.js", join: "./pair.js", place: "./correct.js", edit: "./correct.js", share: "./share.js" };
const isTv = document.documentElement.dataset.view === "tv";

let wordsFor = "";
let layoutFor = "";

const names = (snapshot) => snapshot.players.map((player) => player.name);
const layoutKey = (snapshot) => JSON.stringify([snapshot.game_number, snapshot.game, snapshot.options, snapshot.players.length]);

// Words and layout belong to a game: they are fetched when it changes and never shown with another's places.
async function take(snapshot) {
  const before = state.snapshot;
  const wanted = `${language()}/${snapshot.game}`;
  if (wordsFor !== wanted) {
    wordsFor = wanted;
    const data = await get(`/api/strings/${language()}?game=${snapshot.game || ""}`);
    if (wordsFor !== wanted) return;
    state.words = new Words(data, snapshot.game, names(snapshot));
    document.documentElement.lang = data.language;
  }
  if (state.words) { state.words.names = names(snapshot); }
  if (layoutFor !== layoutKey(snapshot)) {
    layoutFor = layoutKey(snapshot);
    state.layout = null;
    if (snapshot.game) get("/api/layout").then((layout) => { if (layoutFor === layoutKey(snapshot)) set({ layout }); }, () => { layoutFor = ""; });
  }
  document.title = snapshot.game && state.words ? `${names(snapshot).map((name, at) => `${name} ${snapshot.players[at].score}`).join(" · ")}` : state.words?.say("app.title") || document.title;
  set({ snapshot });
  const what = news(before, snapshot);
  if (what) tell(what);
}

let pending = null;

// Words that could not be fetched are tried again: a phone at the edge of the Wi-Fi must not stay blank.
function failed() {
  wordsFor = "";
  setTimeout(() => { if (pending && state.snapshot !== pending) receive(pending); }, 2000);
}

let chain = Promise.resolve();

function receive(snapshot) {
  pending = snapshot;
  chain = chain.then(() => (pending === snapshot ? take(snapshot) : undefined)).catch(failed);
}

function useLazy(load, key) {
  const [part, setPart] = useState({ key: null, module: null });
  useEffect(() => {
    let wanted = true;
    if (load) load().then((module) => { if (wanted) setPart({ key, module }); });
    return () => { wanted = false; };
  }, [key]);
  return part.key === key ? part.module : null;
}

function App() {
  const store = useStore();
  const { snapshot, words, sheet } = store;
  const [route, argument] = store.route.replace(/^#\/?/, "").split("/");
  const part = useLazy(isTv ? () => import("./tv.js") : PARTS[route], isTv ? "tv" : route);
  const sheetPart = useLazy(sheet && (() => import(SHEETS[sheet.kind])), sheet ? sheet.kind : "");
  useEffect(() => { document.documentElement.dataset.theme = store.settings.theme; }, [store.settings.theme]);
  useEffect(() => { keepAwake(); }, [store.settings.awake]);
  useEffect(() => { scrollTo(0, 0); }, [route]);
  useEffect(() => { if (snapshot) { wordsFor = ""; take(snapshot).catch(failed); } }, [store.settings.language]);
  if (!snapshot || !words) {
    return html`<main class="opening"><h1>${document.title}</h1>${store.line === "lost" && words && html`<p>${words.say("line.lost")}</p>`}</main>`;
  }
  if (isTv) return html`<${Banners} store=${store} />${part ? html`<${part.Tv} store=${store} />` : null}<div id="sky" aria-hidden="true"></div>`;
  const Page = PARTS[route] ? part?.Page : snapshot.game === null ? Welcome : Live;
  return html`<${TopBar} store=${store} /><${Banners} store=${store} />
    <main id="page" class="page at-${route || "table"}">${Page ? html`<${Page} store=${store} argument=${argument} />` : html`<p class="quiet">${words.say("app.opening")}</p>`}</main>
    <${Ways} route=${route === "setup" || route === "history" ? "more" : route} words=${words} />
    ${sheet && sheetPart && html`<${sheetPart.default} store=${store} sheet=${sheet} key=${JSON.stringify([sheet.kind, sheet.place, sheet.entry])} />`}
    <div id="sky" aria-hidden="true"></div>`;
}

function Live({ store }) {
  const { words, snapshot, picking } = store;
  return html`<${Table} store=${store} picking=${picking} onPick=${(place) => set({ sheet: { kind: "place", place } })} />
    <div class="tools">
      <button type="button" aria-pressed=${picking} onClick=${() => set({ picking: !picking })}>${words.say(picking ? "correct.done" : "correct.start")}</button>
      ${snapshot.source === "simulated" && html`<${Simulated} store=${store} />`}
    </div>
    ${picking && html`<p class="quiet">${words.say("correct.how")}</p>`}`;
}

function Simulated({ store }) {
  const part = useLazy(() => import("./simulated.js"), "simulated");
  return part && html`<${part.Steering} words=${store.words} />`;
}

function Welcome({ store }) {
  const { words } = store;
  return html`<section class="welcome"><h2>${words.say("welcome.title")}</h2><p>${words.say("welcome.text")}</p>
    <p><a class="button main" href="#setup">${words.say("welcome.start")}</a></p>
    <p><a href="#history">${words.say("history.title")}</a></p></section>`;
}

async function start() {
  addEventListener("hashchange", () => set({ route: location.hash }));
  const pin = /^#pin=(\d{4,32})$/.exec(location.hash);
  if (pin) {
    history.replaceState(null, "", location.pathname);
    set({ route: "" });
    await pair(pin[1]);
  }
  refreshSession();
  document.addEventListener("visibilitychange", keepAwake);
  connect(receive);
  render(html`<${App} />`, document.getElementById("app"));
}

document.getElementById("app").replaceChildren();
start();
