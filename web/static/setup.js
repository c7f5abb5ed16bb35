// The set-up wizard: game, players, boards on the picture, colours, a last look, play. A remembered table skips most of it.
import { html, classes, useEffect, useState } from "./base.js";
import { command, get, state } from "./store.js";
import { Corners } from "./corners.js";
import { ColourTaps } from "./colours.js";
import { Groups } from "./groups.js";
import { contentWords } from "./piece.js";
import { palette } from "./tiles.js";

const STEPS = ["game", "players", "boards", "colours", "check"];
const PLAYER_COLOURS = ["blue", "red", "yellow", "green", "purple", "black"];

// An option that lists colours, one a player, is answered by the colours that the players chose.
const isByPlayer = (plan, name) => plan.lists.includes(name) && plan.allOptions[name].every((value) => plan.colours.includes(value));

export function Page({ store }) {
  const { words } = store;
  const [catalogue, setCatalogue] = useState(null);
  const [tables, setTables] = useState([]);
  const [step, setStep] = useState("game");
  const [plan, setPlan] = useState(null);
  const [proposal, setProposal] = useState(null);
  useEffect(() => { get("/api/catalogue").then(setCatalogue, () => setCatalogue([])); get("/api/tables").then(setTables, () => {}); }, []);
  if (!catalogue) return html`<p class="quiet">${words.say("app.opening")}</p>`;
  const change = (changes) => setPlan({ ...plan, ...changes });
  const go = (to) => { setStep(to); scrollTo(0, 0); };
  const props = { store, words, catalogue, tables, plan, setPlan, change, go, proposal, setProposal };
  const Step = { game: ChooseGame, players: ChoosePlayers, boards: PlaceBoards, colours: NameColours, check: LastLook }[step];
  return html`<div class="wizard"><ol class="steps" aria-label=${words.say("setup.steps")}>${STEPS.map((each, at) => html`<li key=${each} class=${classes(each === step && "here", STEPS.indexOf(step) > at && "done")} aria-current=${each === step ? "step" : undefined}><span>${words.say(`setup.step-${each}`)}</span></li>`)}</ol>
    <${Step} ...${props} /></div>`;
}

const chosenOptions = (plan) => Object.fromEntries([
  // What the page shows is what is played: the first value is chosen where nobody chose another.
  ...Object.entries(plan.allOptions).filter(([name]) => !plan.lists.includes(name)).map(([name, values]) => [name, values[0]]),
  ...Object.entries(plan.options),
  ...plan.lists.filter((name) => isByPlayer(plan, name)).map((name) => [name, plan.players.map((player) => player.colour)])]);

const tablePlan = (plan) => ({ game: plan.game, options: chosenOptions(plan), players: plan.players.map(({ name, colour, seat }) => ({ name: name.trim(), colour, seat })) });

// No two players of one colour: later ones take the next free one.
function distinct(players) {
  const taken = new Set();
  return players.map((player) => {
    const colour = taken.has(player.colour) ? PLAYER_COLOURS.find((each) => !taken.has(each)) : player.colour;
    taken.add(colour);
    return { ...player, colour };
  });
}

async function begin(plan) {
  const reply = await command("new-game", { ...tablePlan(plan), start_player: plan.start_player });
  if (reply.ok) location.hash = "";
  return reply.ok;
}

function ChooseGame({ words, catalogue, tables, setPlan, go, setProposal }) {
  const choose = (entry) => {
    const count = entry.players[0];
    const before = state.snapshot.players;
    const players = Array.from({ length: Math.max(count, entry.players.includes(before.length) ? before.length : 0) }, (_, at) => ({
      name: before[at]?.name || "", colour: before[at]?.colour || PLAYER_COLOURS[at % PLAYER_COLOURS.length], seat: at + 1 }));
    setPlan({ game: entry.game, counts: entry.players, allOptions: entry.options, lists: entry.lists || [], colours: entry.colours, faces: entry.faces || [], options: {}, players: distinct(players), start_player: 1 });
    go("players");
  };
  const load = async (table) => {
    const reply = await command("setup-load", { name: table.name });
    if (!reply.ok) return;
    const entry = catalogue.find((each) => each.game === table.game);
    setPlan({ game: table.game, counts: entry?.players || [table.players.length], allOptions: entry?.options || {}, lists: entry?.lists || [], colours: entry?.colours || [], faces: entry?.faces || [],
      options: table.options || {}, players: table.players.map((player, at) => ({ seat: at + 1, ...player })), start_player: 1, table: table.name });
    setProposal(reply.data);
    go("check");
  };
  return html`<h2>${words.say("setup.title")}</h2>
    ${tables.length > 0 && html`<h3>${words.say("setup.remembered")}</h3><div class="answers">${tables.map((table) => html`<button type="button" key=${table.name} onClick=${() => load(table)}>
      <b>${table.name}</b> · ${words.say("game.name", {}, table.game)} · ${table.players.map((player) => player.name).join(", ")}</button>`)}</div>`}
    <h3>${words.say("setup.game")}</h3>
    <div class="cards">${catalogue.map((entry) => html`<button type="button" class="card" key=${entry.game} onClick=${() => choose(entry)}>
      <b>${words.say("game.name", {}, entry.game)}</b><span>${words.say("game.about", {}, entry.game)}</span>
      <small>${words.say("setup.for-players", { least: entry.players[0], most: entry.players[entry.players.length - 1] })}</small></button>`)}</div>`;
}

function ChoosePlayers({ words, plan, change, go }) {
  const resize = (count) => change({ start_player: Math.min(plan.start_player, count), players: distinct(Array.from({ length: count }, (_, at) => plan.players[at] || { name: "", colour: PLAYER_COLOURS[at % 6], seat: at + 1 })) });
  const player = (at, changes) => change({ players: plan.players.map((each, index) => (index === at ? { ...each, ...changes } : each)) });
  const up = (at) => { const players = [...plan.players]; [players[at - 1], players[at]] = [players[at], players[at - 1]]; change({ players }); };
  const names = plan.players.map((each) => each.name.trim());
  const colours = new Set(plan.players.map((each) => each.colour));
  const ready = names.every(Boolean) && new Set(names.map((name) => name.toLowerCase())).size === names.length && colours.size === names.length;
  const asked = Object.entries(plan.allOptions).filter(([name]) => !isByPlayer(plan, name));
  const palettes = plan.colours.filter((name) => PLAYER_COLOURS.includes(name));
  return html`<form onSubmit=${(event) => { event.preventDefault(); if (ready) go("boards"); }}>
    <h2>${words.say("setup.players")}</h2>
    ${plan.counts.length > 1 && html`<fieldset class="choices"><legend>${words.say("setup.how-many")}</legend>${plan.counts.map((count) => html`<label class="pick" key=${count}><input type="radio" name="count" checked=${plan.players.length === count} onChange=${() => resize(count)} /><span>${count}</span></label>`)}</fieldset>`}
    <p class="quiet">${words.say("setup.clockwise")}</p>
    <ol class="seats">${plan.players.map((each, at) => html`<li key=${at} style=${{ "--own": palette(each.colour).base }}>
      <label><span>${words.say("player.number", { number: at + 1 })}</span><input value=${each.name} maxlength="24" required autocomplete="off" onInput=${(event) => player(at, { name: event.target.value })} /></label>
      <label><span class="sr">${words.say("setup.colour-of", { number: at + 1 })}</span><select value=${each.colour} onChange=${(event) => player(at, { colour: event.target.value })}>${(palettes.length >= plan.players.length ? palettes : PLAYER_COLOURS).map((name) => html`<option key=${name} value=${name}>${words.has(`colours.${name}`, plan.game) ? words.say(`colours.${name}`, {}, plan.game) : words.say(`palette.${name}`)}</option>`)}</select></label>
      <label class="starts"><input type="radio" name="start" checked=${plan.start_player === at + 1} onChange=${() => change({ start_player: at + 1 })} /><span>${words.say("setup.starts")}</span></label>
      ${at > 0 && html`<button type="button" class="small" aria-label=${words.say("setup.earlier", { number: at + 1 })} onClick=${() => up(at)}>↑</button>`}</li>`)}</ol>
    ${!ready && names.every(Boolean) && html`<p class="trouble" role="status">${words.say("setup.distinct")}</p>`}
    ${asked.length > 0 && html`<details class="options"><summary>${words.say("setup.options")}</summary>${asked.map(([name, values]) => html`<${Option} key=${name} name=${name} values=${values} words=${words} plan=${plan} change=${change} />`)}</details>`}
    <div class="buttons end"><button type="button" onClick=${() => go("game")}>${words.say("setup.back")}</button>
      ${state.snapshot.source === "simulated" && html`<button type="button" disabled=${!ready} onClick=${() => begin(plan)}>${words.say("setup.play-simulated")}</button>`}
      <button type="submit" class="main" disabled=${!ready}>${words.say("setup.next")}</button></div>
  </form>`;
}

function Option({ name, values, words, plan, change }) {
  const text = (value) => { const key = `options.${name}.${String(value).toLowerCase()}`; return words.has(key, plan.game) ? words.say(key, {}, plan.game) : String(value); };
  const pick = (value) => change({ options: { ...plan.options, [name]: value } });
  const label = words.say(`options.${name}.label`, {}, plan.game);
  const help = words.has(`options.${name}.help`, plan.game) ? words.say(`options.${name}.help`, {}, plan.game) : "";
  if (plan.lists.includes(name)) {
    const chosen = plan.options[name] || [];
    const flip = (value) => {
      const next = chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value];
      const { [name]: _, ...rest } = plan.options;
      change({ options: next.length ? { ...rest, [name]: next } : rest });
    };
    return html`<fieldset class="choices"><legend>${label}</legend>${values.map((value) => html`<label class="pick" key=${value}><input type="checkbox" checked=${chosen.includes(value)} onChange=${() => flip(value)} /><span>${text(value)}</span></label>`)}
      <small class="quiet">${help} ${chosen.length ? "" : words.say("setup.usual")}</small></fieldset>`;
  }
  return html`<label class="block"><span>${label}</span>
    <select value=${String(name in plan.options ? plan.options[name] : values[0])} onChange=${(event) => pick(values.find((value) => String(value) === event.target.value))}>${values.map((value) => html`<option key=${String(value)} value=${String(value)}>${text(value)}</option>`)}</select>
    <small class="quiet">${help}</small></label>`;
}

function PlaceBoards({ words, plan, go, proposal, setProposal }) {
  const [at, setAt] = useState(0);
  const [busy, setBusy] = useState(false);
  const propose = async () => {
    setBusy(true);
    const reply = await command("setup-propose", tablePlan(plan));
    setBusy(false);
    if (reply.ok) { setProposal(reply.data); setAt(0); }
  };
  useEffect(() => { propose(); }, []);
  if (!proposal) return html`<h2>${words.say("setup.boards")}</h2><p class="quiet">${words.say(busy ? "setup.looking" : "setup.no-picture")}</p>
    <div class="buttons"><button type="button" onClick=${() => go("players")}>${words.say("setup.back")}</button><button type="button" class="main" onClick=${propose}>${words.say("setup.try-again")}</button></div>`;
  const piece = proposal.pieces[at];
  const move = (points) => setProposal({ ...proposal, pieces: proposal.pieces.map((each, index) => (index === at ? { ...each, points } : each)) });
  const next = async () => {
    setBusy(true);
    const reply = await command("setup-place", { piece: piece.piece, points: piece.points });
    setBusy(false);
    if (!reply.ok) return;
    move(reply.data.points); // where the print is, which a thumb only comes near
    if (at + 1 < proposal.pieces.length) setAt(at + 1); else go("colours");
  };
  const title = words.piece(piece.piece, plan.game, plan.players.map((player) => player.name));
  return html`<h2>${words.say("setup.boards")}</h2>
    <p><b>${title}</b> (${at + 1}/${proposal.pieces.length}). ${words.say(`setup.frame-${piece.frame}`)}</p>
    <${Corners} proposal=${proposal} at=${at} onMove=${move} onChoose=${setAt} words=${words} title=${title} />
    <div class="buttons end"><button type="button" onClick=${() => (at ? setAt(at - 1) : go("players"))}>${words.say("setup.back")}</button>
      <button type="button" onClick=${propose} disabled=${busy}>${words.say("setup.new-picture")}</button>
      <button type="button" class="main" onClick=${next} disabled=${busy}>${words.say("setup.fits")}</button></div>`;
}

function NameColours({ words, plan, go, proposal }) {
  const [samples, setSamples] = useState([]);
  const send = async () => { if (!samples.length || (await command("setup-colours", { samples })).ok) go("check"); };
  return html`<h2>${words.say("setup.colours")}</h2><p>${words.say("setup.colours-help")}</p>
    <${ColourTaps} proposal=${proposal} colours=${plan.colours} faces=${plan.faces} words=${words} game=${plan.game} samples=${samples} setSamples=${setSamples} />
    <div class="buttons end"><button type="button" onClick=${() => go("boards")}>${words.say("setup.back")}</button>
      <button type="button" class="main" onClick=${send}>${words.say(samples.length ? "setup.next" : "setup.skip")}</button></div>`;
}

function LastLook({ words, plan, go, change }) {
  const [check, setCheck] = useState(null);
  const [turn, setTurn] = useState(0);
  const [name, setName] = useState(plan.table || words.say("setup.our-table"));
  const look = async () => { const reply = await command("setup-check"); if (reply.ok) { setCheck(reply.data); setTurn(turn + 1); } };
  useEffect(() => { look(); }, []);
  const start = async () => {
    if (!plan.table || plan.table !== name) { if (!(await command("setup-finish", { name: name.trim() })).ok) return; }
    await begin(plan);
  };
  const adjust = async (name, given) => { const reply = await command(name, given); if (reply.ok) { setCheck(reply.data); setTurn((now) => now + 1); } };
  const round = (point) => point.map((value) => Math.round(value * 10) / 10);
  const unsure = check?.unsure || [];
  return html`<h2>${words.say("setup.check")}</h2><p>${words.say("setup.check-help")}</p>
    ${turn > 0 && html`<img class="camera" src=${`/api/pictures/overlay.jpg?n=${turn}`} alt=${words.say("setup.overlay")} />`}
    <div role="status">${check && html`<p>${unsure.length ? words.say("setup.unsure", { count: unsure.length }) : words.say("setup.all-sure", { count: Object.keys(check.read).length })}</p>
      ${unsure.length > 0 && html`<ul class="unsure">${unsure.slice(0, 8).map((place) => html`<li key=${place}>${words.place(place, plan.game)}: ${contentWords(check.read[place], words)}</li>`)}</ul>`}`}</div>
    ${check?.groups && html`<${Groups} words=${words} game=${plan.game} check=${check} onPush=${(group, across, down) => adjust("setup-adjust", { group, across, down })}
      onDrag=${(group, from, to) => adjust("setup-drag", { group, points: [round(from), round(to)] })} />`}
    <fieldset class="choices"><legend>${words.say("setup.who-starts")}</legend>${plan.players.map((player, at) => html`<label class="pick" key=${at}><input type="radio" name="start" checked=${plan.start_player === at + 1} onChange=${() => change({ start_player: at + 1 })} /><span>${player.name}</span></label>`)}</fieldset>
    <label class="block">${words.say("setup.name")}<input value=${name} maxlength="24" onInput=${(event) => setName(event.target.value)} /></label>
    <div class="buttons end"><button type="button" onClick=${() => go(plan.table ? "game" : "colours")}>${words.say("setup.back")}</button><button type="button" onClick=${look}>${words.say("setup.look-again")}</button>
      <button type="button" class="main" disabled=${!name.trim()} onClick=${start}>${words.say("setup.start")}</button></div>`;
}
