// A big screen across the room: all boards at once, nothing to tap.
import { html, classes } from "./base.js";
import { LastMove, Shared, useMarks } from "./table.js";
import { Questions, Slips } from "./panels.js";
import { FinalCard, RoundCard } from "./summary.js";
import { Piece } from "./piece.js";
import { palette, labels } from "./tiles.js";
import { useEffect, useLayoutEffect, useRef, useState } from "./base.js";
import { fly } from "./flight.js";

// The PIN is told only to the screen that hangs on the companion's own machine.
function usePin(session) {
  const [pin, setPin] = useState(session.pin);
  useEffect(() => {
    if (["localhost", "127.0.0.1"].includes(location.hostname)) {
      fetch("/api/screen").then((reply) => (reply.ok ? reply.json() : {})).then((told) => told.pin && setPin(told.pin), () => {});
    }
  }, []);
  return pin;
}

export function Tv({ store }) {
  const { snapshot, layout, words, session, settings } = store;
  const marks = useMarks(snapshot);
  const seen = useRef(snapshot);
  useLayoutEffect(() => {
    const fresh = snapshot.moves.slice(seen.current.moves.length);
    if (seen.current.game_number === snapshot.game_number && fresh.length && fresh.length <= 3) fly(fresh, layout);
    seen.current = snapshot;
  }, [snapshot]);
  const pin = usePin(session);
  const join = html`<aside class="tv-join"><img class="qr" src="/api/qr.svg" alt=${words.say("join.qr")} width="120" height="120" /><span>${session.join.split("#")[0]}${pin && html`<br /><b>${words.say("pair.pin")} ${pin}</b>`}</span></aside>`;
  if (snapshot.game === null || !layout) {
    return html`<main class="tv empty"><h1>${words.say("app.title")}</h1><p>${words.say("welcome.text")}</p>${join}</main>`;
  }
  const tileLabels = settings.labels ? labels(words, layout.colours) : null;
  const draw = (piece) => html`<${Piece} key=${piece.name} piece=${piece} layout=${layout} places=${snapshot.places} words=${words} ...${marks}
    labels=${tileLabels} title=${words.piece(piece.name)} />`;
  const open = layout.pieces.filter((piece) => !piece.secret && piece.places.length);
  return html`<main class="tv players-${snapshot.players.length}">
    <header><h1>${words.say("game.name")}</h1><span class="chip">${words.say("table.round", { round: snapshot.round })}</span><span class="chip phase">${words.say(`phases.${snapshot.phase}`)}</span><${LastMove} snapshot=${snapshot} words=${words} /></header>
    <div class="tv-middle"><${Shared} pieces=${open.filter((piece) => piece.player === null)} draw=${draw} />
      <div class="tv-side"><${Questions} store=${store} /><${Slips} store=${store} />${snapshot.result ? html`<${FinalCard} store=${store} />` : html`<${RoundCard} store=${store} />`}${join}</div></div>
    <section class="boards">${snapshot.players.map((player) => html`<article key=${player.player} class=${classes("own", player.to_move && "turn")} style=${{ "--own": palette(player.colour).base }}>
      <h2><span>${player.name}</span><b class="points">${words.number(player.score)}</b></h2>${open.filter((piece) => piece.player === player.player).map(draw)}</article>`)}</section>
  </main>`;
}
