// Pairing with the PIN from the table, and handing the address on to the next phone.
import { html, useState } from "./base.js";
import { pair, unpair, set } from "./store.js";
import { Sheet } from "./frame.js";

export default function PairSheet({ store, sheet }) {
  return sheet.kind === "join" ? html`<${Join} store=${store} />` : html`<${Pin} store=${store} sheet=${sheet} />`;
}

function Pin({ store, sheet }) {
  const { words } = store;
  const [pin, setPin] = useState("");
  const [trouble, setTrouble] = useState(null);
  const [busy, setBusy] = useState(false);
  const close = () => { set({ sheet: null }); sheet.cancel?.(); };
  const send = async (event) => {
    event.preventDefault();
    setBusy(true);
    const reply = await pair(pin);
    setBusy(false);
    if (!reply.ok) { setTrouble(reply); setPin(""); return; }
    set({ sheet: null });
    sheet.after?.();
  };
  return html`<${Sheet} title=${words.say("pair.title")} words=${words} onClose=${close}>
    <p>${words.say("pair.text")}</p>
    <form class="pin" onSubmit=${send}>
      <label>${words.say("pair.pin")}<input inputmode="numeric" pattern="[0-9]*" maxlength="12" autocomplete="off" required value=${pin}
        onInput=${(event) => setPin(event.target.value.replace(/\D/g, ""))} /></label>
      <p class="trouble" role="alert">${trouble && words.say(trouble.key, { ...trouble.params, count: trouble.params?.seconds })}</p>
      <button type="submit" class="main" disabled=${busy || pin.length < 4}>${words.say("pair.do")}</button>
    </form>
    <p class="quiet">${words.say("pair.look-only")}</p>
    <${Qr} words=${words} session=${store.session} />
  </${Sheet}>`;
}

function Join({ store }) {
  const { words, session } = store;
  return html`<${Sheet} title=${words.say("join.title")} words=${words} onClose=${() => set({ sheet: null })}>
    <p>${words.say("join.text")}</p>
    <${Qr} words=${words} session=${session} />
    ${session.pin && html`<p class="big-pin">${words.say("pair.pin")} <b>${session.pin}</b></p>`}
    ${session.wifi && html`<h3>${words.say("join.wifi")}</h3><img class="qr" src="/api/wifi.svg" alt=${words.say("join.wifi")} width="220" height="220" />`}
    <div class="buttons"><button type="button" onClick=${async () => { await unpair(); set({ sheet: null }); }}>${words.say("pair.forget")}</button></div>
  </${Sheet}>`;
}

export function Qr({ words, session }) {
  const shown = session.join.split("#")[0];
  return html`<figure class="join"><img class="qr" src=${`/api/qr.svg?${session.paired ? "p" : "v"}`} alt=${words.say("join.qr")} width="220" height="220" /><figcaption>${shown}</figcaption></figure>`;
}
