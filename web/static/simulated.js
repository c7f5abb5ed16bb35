// Buttons that steer the simulated table, in the demonstration only.
import { html } from "./base.js";
import { command } from "./store.js";

const WHAT = ["slip", "nudge", "lamp", "blur", "freeze", "camera"];

export function Steering({ words }) {
  return html`<details class="steering"><summary>${words.say("simulate.title")}</summary>
    <p class="quiet">${words.say("simulate.help")}</p>
    <div class="buttons">${WHAT.map((what) => html`<button type="button" key=${what} onClick=${() => command("simulate", { what })}>${words.say(`simulate.${what}`)}</button>`)}</div>
  </details>`;
}
