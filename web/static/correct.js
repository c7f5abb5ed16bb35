// A person knows better: what really lies on a place, or what a move really was.
import { html, useEffect, useState } from "./base.js";
import { command, get, set } from "./store.js";
import { Sheet, closeSheet } from "./frame.js";
import { contentWords } from "./piece.js";
import { Face, Tile, palette } from "./tiles.js";

export default function CorrectSheet({ store, sheet }) {
  return sheet.kind === "edit" ? html`<${EditMove} store=${store} sheet=${sheet} />` : html`<${EditPlace} store=${store} name=${sheet.place} />`;
}

function EditPlace({ store, name }) {
  const { words, layout, snapshot } = store;
  const place = layout?.pieces.flatMap((piece) => piece.places).find((each) => each.name === name);
  if (!place) return null;
  const content = snapshot.places[name];
  const save = async (value) => { if ((await command("set-place", { place: name, content: value })).ok) closeSheet(); };
  const Editor = EDITORS[place.kind] || SlotEditor;
  const owner = /^p(\d+)\./.exec(name);
  return html`<${Sheet} title=${words.place(name)} words=${words} onClose=${closeSheet}>
    <p class="quiet">${owner ? `${words.name(Number(owner[1]))} · ` : ""}${words.say("correct.now", { content: contentWords(content, words) })}</p>
    <h3>${words.say("correct.what")}</h3>
    <${Editor} place=${place} content=${content} layout=${layout} words=${words} save=${save} />
  </${Sheet}>`;
}

function Swatch({ name, layout, round, face }) {
  return html`<svg class="swatch" viewBox="-14 -14 28 29" aria-hidden="true"><${Tile} name=${name} x="0" y="0" size=${25} round=${round} colours=${layout.colours} face=${face} /></svg>`;
}

const Choice = ({ pressed, onClick, children }) => html`<button type="button" class="choice" aria-pressed=${pressed} onClick=${onClick}>${children}</button>`;

function SlotEditor({ place, content, layout, words, save }) {
  const wrap = (name) => (place.kind === "pile" ? { top: name } : name);
  const now = place.kind === "pile" ? content?.top : content;
  return html`<div class="choices wide">${place.holds.map((name) => html`<${Choice} key=${name} pressed=${now === name} onClick=${() => save(wrap(name))}>
      <${Swatch} name=${name} layout=${layout} /> ${words.colour(name)}</${Choice}>`)}
    <${Choice} pressed=${!content} onClick=${() => save(null)}>${words.say("place.empty")}</${Choice}></div>`;
}

function Stepper({ label, value, onChange, words, most = 99 }) {
  return html`<span class="stepper" role="group" aria-label=${label}><button type="button" aria-label="${label}: ${words.say("correct.less")}" disabled=${value <= 0} onClick=${() => onChange(value - 1)}>−</button>
    <output>${value}</output><button type="button" aria-label="${label}: ${words.say("correct.more")}" disabled=${value >= most} onClick=${() => onChange(value + 1)}>+</button></span>`;
}

function HeapEditor({ place, content, layout, words, save }) {
  const [counts, setCounts] = useState(content && typeof content === "object" ? { ...content } : {});
  const kept = () => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  return html`<ul class="counts">${place.holds.map((name) => html`<li key=${name}><${Swatch} name=${name} layout=${layout} /><span>${words.colour(name)}</span>
      <${Stepper} label=${words.colour(name)} words=${words} value=${counts[name] || 0} onChange=${(count) => setCounts({ ...counts, [name]: count })} /></li>`)}</ul>
    <button type="button" class="main" onClick=${() => save(kept())}>${words.say("correct.save")}</button>`;
}

function CounterEditor({ content, words, save }) {
  const [value, setValue] = useState(String(content ?? 0));
  return html`<form class="row" onSubmit=${(event) => { event.preventDefault(); save(Number(value)); }}>
    <label>${words.say("correct.number")}<input inputmode="numeric" pattern="[0-9]+" maxlength="4" required value=${value} onInput=${(event) => setValue(event.target.value.replace(/\D/g, ""))} /></label>
    <button type="submit" class="main">${words.say("correct.save")}</button></form>`;
}

function ChipEditor({ content, layout, words, save }) {
  const [chosen, setChosen] = useState(Array.isArray(content) ? content : []);
  const names = Object.keys(layout.colours).filter((name) => !["marker", "special", "joker"].includes(name));
  const flip = (name) => setChosen(chosen.includes(name) ? chosen.filter((each) => each !== name) : [...chosen, name].slice(-2));
  return html`<div class="choices wide"><${Choice} pressed=${content === "face-down"} onClick=${() => save("face-down")}>${words.say("content.face-down")}</${Choice}>
      <${Choice} pressed=${!content} onClick=${() => save(null)}>${words.say("place.empty")}</${Choice}>
      ${names.map((name) => html`<${Choice} key=${name} pressed=${chosen.includes(name)} onClick=${() => flip(name)}><${Swatch} name=${name} layout=${layout} round /> ${words.colour(name)}</${Choice}>`)}</div>
    <button type="button" class="main" disabled=${!chosen.length} onClick=${() => save([...chosen].sort())}>${words.say("correct.save")}</button>`;
}

function CellEditor({ place, content, layout, words, save }) {
  const [colour, setColour] = useState(content?.colour || null);
  const names = place.holds.length ? place.holds : Object.keys(layout.colours);
  return html`<div class="choices wide">${names.map((name) => html`<${Choice} key=${name} pressed=${colour === name} onClick=${() => setColour(name)}><${Swatch} name=${name} layout=${layout} /> ${words.colour(name)}</${Choice}>`)}
      <${Choice} pressed=${!content} onClick=${() => save(null)}>${words.say("place.empty")}</${Choice}></div>
    ${colour && html`<h3>${words.say("correct.face")}</h3><div class="choices wide">${place.faces.map((face) => html`<${Choice} key=${face} pressed=${content?.face === face} onClick=${() => save({ colour, face })}>
      <${Swatch} name=${colour} layout=${layout} face=${face} /> ${words.has(`faces.${face}`) ? words.say(`faces.${face}`) : face}</${Choice}>`)}</div>`}`;
}

function PlateEditor({ content, layout, words, save }) {
  const names = [...Object.keys(layout.colours).filter((name) => !["marker", "special", "joker"].includes(name)), "joker", "special"];
  const [spaces, setSpaces] = useState(Array.isArray(content) ? content : [names[0], names[0], names[0], names[0]]);
  const change = (at) => setSpaces(spaces.map((name, index) => (index === at ? names[(names.indexOf(name) + 1) % names.length] : name)));
  return html`<div class="plate-editor">${spaces.map((name, at) => html`<button type="button" key=${at} aria-label="${at + 1}: ${contentWords(name, words)}" onClick=${() => change(at)}><${Swatch} name=${name} layout=${layout} round /></button>`)}</div>
    <div class="buttons"><button type="button" class="main" onClick=${() => save(spaces)}>${words.say("correct.save")}</button>
      <button type="button" onClick=${() => save(null)}>${words.say("place.empty")}</button></div>`;
}

const EDITORS = { slot: SlotEditor, pile: SlotEditor, heap: HeapEditor, counter: CounterEditor, chip: ChipEditor, cell: CellEditor, plate: PlateEditor };

function EditMove({ store, sheet }) {
  const { words } = store;
  const [choices, setChoices] = useState(null);
  const [asked, setAsked] = useState("");
  useEffect(() => { get(`/api/legal/${sheet.entry}`).then(setChoices, () => setChoices([])); }, [sheet.entry]);
  const pick = async (notation) => { if ((await command("correct", { entry: sheet.entry, notation })).ok) closeSheet(); };
  const said = (choices || []).map((choice) => ({ ...choice, text: words.sentence(choice.key, choice.params) }));
  const found = said.filter((choice) => choice.text.toLowerCase().includes(asked.toLowerCase())).slice(0, 80);
  return html`<${Sheet} title=${words.say("moves.edit-one", { n: sheet.n })} words=${words} onClose=${closeSheet}>
    <p>${words.say("moves.really")}</p>
    ${said.length > 12 && html`<label class="search"><span>${words.say("moves.filter")}</span><input type="search" value=${asked} onInput=${(event) => setAsked(event.target.value)} /></label>`}
    ${choices && !found.length && html`<p class="quiet">${words.say("moves.no-other")}</p>`}
    <div class="answers">${found.map((choice) => html`<button type="button" key=${choice.notation} onClick=${() => pick(choice.notation)}>${choice.text}</button>`)}</div>
  </${Sheet}>`;
}
