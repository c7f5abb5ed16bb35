// Everything else: a new game, the history, this phone's own settings, how the companion is doing.
import { html } from "./base.js";
import { command, language, set, setting } from "./store.js";

const LANGUAGES = { nl: "Nederlands", fr: "Français", en: "English" };

function Switch({ name, store }) {
  const { words, settings } = store;
  return html`<label class="switch"><input type="checkbox" role="switch" checked=${settings[name]} onChange=${(event) => setting(name, event.target.checked)} /><span>${words.say(`settings.${name}`)}</span></label>`;
}

function Pick({ name, values, now, label, onPick }) {
  return html`<fieldset class="choices"><legend>${label}</legend>${values.map(([value, text]) => html`<label key=${value} class="pick"><input type="radio" name=${name} value=${value} checked=${now === value} onChange=${() => onPick(value)} /><span>${text}</span></label>`)}</fieldset>`;
}

export function Page({ store }) {
  const { words, settings, snapshot, session } = store;
  const end = async () => { if (confirm(words.say("more.end-sure"))) await command("end-game"); };
  return html`<h2>${words.say("nav.more")}</h2>
    <div class="menu">
      <a class="button main" href="#setup">${words.say("more.new-game")}</a>
      <a class="button" href="#history">${words.say("history.title")}</a>
      <button type="button" onClick=${() => set({ sheet: { kind: session.paired ? "join" : "pair" } })}>${words.say(session.paired ? "join.title" : "pair.title")}</button>
      <a class="button" href="/tv">${words.say("more.tv")}</a>
    </div>
    <section class="panel"><h3>${words.say("settings.title")}</h3>
      <${Pick} name="language" label=${words.say("settings.language")} values=${Object.entries(LANGUAGES)} now=${language()} onPick=${(value) => setting("language", value)} />
      <${Pick} name="theme" label=${words.say("settings.theme")} now=${settings.theme} onPick=${(value) => setting("theme", value)}
        values=${["auto", "light", "dark"].map((value) => [value, words.say(`settings.theme-${value}`)])} />
      ${["labels", "sound", "vibration", "awake"].filter((name) => name !== "awake" || "wakeLock" in navigator).map((name) => html`<${Switch} key=${name} name=${name} store=${store} />`)}
    </section>
    <section class="panel"><h3>${words.say("health.title")}</h3>
      <p class="quiet">${words.say(`source.${snapshot.source}`)}</p>
      ${snapshot.health.length ? html`<ul class="health">${snapshot.health.map((check) => html`<li key=${check.check} class=${check.level}><b>${words.say(`health.level-${check.level}`)}</b> ${words.say(check.key, check.params)}</li>`)}</ul>` : html`<p>${words.say("health.well")}</p>`}
      <div class="buttons"><button type="button" aria-pressed=${snapshot.recording} onClick=${() => command("record", { on: !snapshot.recording })}>${words.say(snapshot.recording ? "more.record-off" : "more.record-on")}</button>
        ${["webcam", "pi"].includes(snapshot.source) && html`<button type="button" onClick=${() => command("relight")}>${words.say("more.relight")}</button>`}
        ${snapshot.game !== null && html`<button type="button" onClick=${end}>${words.say("more.end")}</button>`}</div>
      <p class="quiet">${words.say("more.record-help")}</p>
    </section>
    <section class="panel"><h3>${words.say("more.table-now")}</h3><img class="camera" src=${`/api/pictures/table.jpg?v=${Math.floor(snapshot.version / 5)}`} alt=${words.say("more.table-now")} onError=${(event) => { event.target.hidden = true; }} /></section>`;
}
