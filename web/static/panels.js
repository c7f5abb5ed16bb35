// What needs people: a slip that lies on the table, a question the companion cannot answer itself.
import { html, useState } from "./base.js";
import { command, set } from "./store.js";

export function Slips({ store }) {
  const { snapshot, words } = store;
  return snapshot.alerts.map((alert) => html`<${Slip} key=${alert.id} alert=${alert} words=${words} />`);
}

function Slip({ alert, words }) {
  const who = alert.player ? words.name(alert.player) : null;
  const title = alert.severity === "question" ? "slip.doubt" : alert.severity === "warning" ? "slip.note" : "slip.title";
  return html`<section class="panel slip ${alert.severity}" role="status" aria-label=${words.say("slip.label")}>
    <header><span class="sign" aria-hidden="true">${alert.severity === "question" ? "?" : "!"}</span>
      <h2>${who ? words.say(`${title}-of`, { name: who }) : words.say(title)}</h2></header>
    <div class="with-picture">
      ${alert.crop && html`<${Crop} src=${alert.crop} words=${words} />`}
      <div><p class="what">${words.sentence(`slips.${alert.slug}`, { player: alert.player, ...alert.params })}</p>
      <p class="rule"><a href="#rules">${words.say("slip.rule")}</a> (${alert.rule})</p></div>
    </div>
    <p class="hint">${words.say("slip.put-right")}</p>
    <div class="buttons">
      <button type="button" onClick=${() => command("accept", { alert: alert.id })}>${words.say("slip.accept")}</button>
      <button type="button" onClick=${() => misread(alert)}>${words.say("slip.misread")}</button>
    </div>
  </section>`;
}

async function misread(alert) {
  const reply = await command("misread", { alert: alert.id });
  // The person then says what really lies there: one place is asked about at once, several are tapped on the board.
  if (reply.ok) set(alert.places.length === 1 ? { sheet: { kind: "place", place: alert.places[0] } } : { picking: true });
}

function Crop({ src, words }) {
  const [broken, setBroken] = useState(false);
  return !broken && html`<img class="crop" src=${src} alt=${words.say("slip.picture")} width="240" height="160" onError=${() => setBroken(true)} />`;
}

// An answer in words: the moves it stands for, the slips it would mean, or a plain sentence.
function answerWords({ key, params }, words) {
  const moves = (params.steps || []).map((step) => `${step.player ? `${words.name(step.player)}: ` : ""}${words.say(step.key, step.params)}`);
  const slips = (params.slips || []).map((slip) => `${words.say("answer.slip")}: ${words.say(`slips.${slip.slug}`, { player: slip.player, ...slip.params })}`);
  return [...moves, ...slips].join(" · ") || words.sentence(key, params);
}

export function Questions({ store }) {
  const { snapshot: { question }, words } = store;
  const [sent, setSent] = useState(null);
  if (!question) return null;
  const answer = async (id) => {
    setSent(`${question.id}/${id}`);
    await command("answer", { question: question.id, answer: id });
    setSent(null);
  };
  const isCount = question.answers.every((each) => each.key === "answer.count");
  return html`<section class="panel question" role="status" aria-label=${words.say("question.label")}>
    <header><span class="sign" aria-hidden="true">?</span><h2>${words.sentence(question.key, question.params)}</h2></header>
    ${question.crop && html`<${Crop} src=${question.crop} words=${words} />`}
    ${isCount && html`<p class="hint">${words.say("question.counting", question.params)}</p>`}
    <div class="answers ${isCount ? "counts" : ""}">${question.answers.map((each) => html`<button type="button" key=${each.id} disabled=${sent !== null}
      onClick=${() => answer(each.id)}>${answerWords(each, words)}</button>`)}</div>
  </section>`;
}
