// What stands around every page: the bar on top, the ways below, banners, and sheets that slide in.
import { html, classes, useEffect, useRef } from "./base.js";
import { set } from "./store.js";

const ICONS = {
  table: "M4 5h7v7H4zM13 5h7v7h-7zM4 14h7v6H4zM13 14h7v6h-7z",
  moves: "M5 6h14M5 12h14M5 18h9",
  scores: "M5 20V11M12 20V4M19 20v-7",
  rules: "M5 4h10a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM9 9h6M9 13h5",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  qr: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h3v3h-3zM19 19h1",
};

export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${ICONS[name]} /></svg>`;

export function TopBar({ store }) {
  const { snapshot, words, session } = store;
  const playing = snapshot.game !== null;
  return html`<header class="top">
    <a class="brand" href="#" aria-label=${words.say("app.title")}><img src=${new URL("icon.svg", import.meta.url).pathname} alt="" width="30" height="30" /></a>
    <h1>${playing ? words.say("game.name") : words.say("app.title")}</h1>
    ${playing && snapshot.round > 0 && !snapshot.result && html`<span class="chip">${words.say("table.round", { round: snapshot.round })}</span>`}
    ${playing && html`<span class="chip phase">${words.say(`phases.${snapshot.phase}`)}</span>`}
    <button type="button" class="icon-button" aria-label=${words.say(session.paired ? "join.title" : "pair.title")}
      onClick=${() => set({ sheet: { kind: session.paired ? "join" : "pair" } })}><${Icon} name="qr" /></button>
  </header>`;
}

export function Ways({ route, words }) {
  const ways = [["", "table"], ["moves", "moves"], ["scores", "scores"], ["rules", "rules"], ["more", "more"]];
  return html`<nav class="ways" aria-label=${words.say("nav.label")}>${ways.map(([to, name]) => html`<a key=${name} href=${`#${to}`}
    class=${classes(route === to && "here")} aria-current=${route === to ? "page" : undefined}><${Icon} name=${name} /><span>${words.say(`nav.${name}`)}</span></a>`)}</nav>`;
}

export function Banners({ store }) {
  const { line, snapshot, words, notice } = store;
  const health = (snapshot?.health || []).filter((check) => check.level === "problem");
  return html`<div class="banners" role="status">
    ${line === "lost" && html`<p class="banner bad"><b>${words.say("line.lost")}</b> ${words.say("line.lost-help")}</p>`}
    ${line !== "lost" && snapshot && snapshot.camera !== "ok" && html`<p class="banner ${snapshot.camera === "starting" ? "soft" : "bad"}">
      <b>${words.say(`camera.${snapshot.camera}`)}</b> ${words.say(`camera.${snapshot.camera}-help`)}</p>`}
    ${health.map((check) => html`<p class="banner soft" key=${check.check}>${words.say(check.key, check.params)}</p>`)}
    ${notice && html`<p class="banner soft">${words.say(notice.key, notice.params)}</p>`}
  </div>`;
}

// A dialog that comes from below; Escape, the cross and a tap beside it close it.
export function Sheet({ title, words, onClose, children }) {
  const box = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.showModal?.();
    return () => before?.focus?.();
  }, []);
  const beside = (event) => { if (event.target === box.current) onClose(); };
  return html`<dialog class="sheet" ref=${box} aria-label=${title} onCancel=${(event) => { event.preventDefault(); onClose(); }} onClick=${beside}>
    <div class="sheet-body"><div class="sheet-head"><h2>${title}</h2>
      <button type="button" class="close" aria-label=${words.say("app.close")} onClick=${onClose}>×</button></div>${children}</div>
  </dialog>`;
}

export const closeSheet = () => set({ sheet: null });
