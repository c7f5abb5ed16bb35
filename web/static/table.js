// The live table: scores large, whose turn, the last move in words, and every piece drawn from the layout.
import { html, classes, useEffect, useLayoutEffect, useRef, useState } from "./base.js";
import { Piece } from "./piece.js";
import { fly } from "./flight.js";
import { palette, labels } from "./tiles.js";
import { Questions, Slips } from "./panels.js";
import { FinalCard, RoundCard } from "./summary.js";

const MANY_NEW = 3; // a phone that comes back to the present lets no swarm fly
const SMALL_MM = 130;

export function ScoreCards({ snapshot, words, chosen, onChoose }) {
  return html`<div class="scores count-${snapshot.players.length}" role="group" aria-label=${words.say("table.scores")}>
    ${snapshot.players.map((player) => {
      const leads = snapshot.result ? snapshot.result.winners.includes(player.player) : false;
      return html`<button type="button" key=${player.player} aria-pressed=${chosen === player.player} onClick=${() => onChoose(player.player)}
          class=${classes("score", player.to_move && "turn", chosen === player.player && "chosen", leads && "winner")}
          style=${{ "--own": palette(player.colour).base }}>
        <span class="who">${player.name}</span>
        <span class="points">${words.number(player.score)}</span>
        <span class="state">${leads ? words.say("table.winner") : player.to_move && !snapshot.result ? words.say("table.turn") : "\u00a0"}</span>
      </button>`;
    })}
  </div>`;
}

export function moveSentence(move, words) {
  const text = words.sentence(move.key, move.params);
  return move.player ? html`<b>${words.name(move.player)}</b> <span>${text.charAt(0).toLowerCase() + text.slice(1)}</span>` : html`<span>${text}</span>`;
}

export function LastMove({ snapshot, words }) {
  const move = snapshot.moves[snapshot.moves.length - 1];
  const acting = snapshot.players.filter((player) => player.to_move);
  return html`<p class="last" aria-live="polite">
    ${move ? moveSentence(move, words) : html`<span>${acting.length ? words.say("table.begins", { name: acting[0].name }) : words.say("table.ready")}</span>`}
  </p>`;
}

export const isSmall = (piece) => piece.frame === "disc" || (piece.size_mm[0] > 0 && Math.max(...piece.size_mm) < SMALL_MM);

export function useMarks(snapshot) {
  const last = snapshot.moves[snapshot.moves.length - 1];
  const gained = last ? Object.entries(last.changes).filter(([, [before, after]]) => after !== null && typeof after === "string" && before !== after).map(([place]) => place) : [];
  return {
    hot: new Set(snapshot.alerts.flatMap((alert) => alert.places)),
    asked: new Set(snapshot.question ? snapshot.question.places : []),
    fresh: new Set(gained.length < 8 ? gained : []),
  };
}

const narrowest = (pieces) => Math.min(...pieces.map((piece) => piece.size_mm[0]));

// How many of the narrowest fit in a row, so that two rows are about equally long.
function perRow(pieces) {
  const total = pieces.reduce((sum, piece) => sum + piece.size_mm[0] / narrowest(pieces), 0);
  return total > 6 ? Math.ceil(total / 2) : Math.ceil(total);
}

export function Shared({ pieces, draw }) {
  const small = pieces.filter(isSmall);
  const large = pieces.filter((piece) => !isSmall(piece));
  return html`<section class="shared">
    ${small.length > 0 && html`<div class="discs" style=${{ "--per": perRow(small) }}>${small.map((piece) => html`<span key=${piece.name} style=${{ "--grow": piece.size_mm[0] / narrowest(small) }}>${draw(piece)}</span>`)}</div>`}
    ${large.map(draw)}
  </section>`;
}

const wide = matchMedia("(min-width: 760px)");

// Whether there is room for every board at once.
function useWide() {
  const [is, setIs] = useState(wide.matches);
  useEffect(() => {
    const listen = () => setIs(wide.matches);
    wide.addEventListener?.("change", listen);
    return () => wide.removeEventListener?.("change", listen);
  }, []);
  return is;
}

export function Table({ store, onPick, picking }) {
  const all = useWide();
  const { snapshot, layout, words, settings } = store;
  const [pinned, setPinned] = useState(null);
  const acting = snapshot.players.find((player) => player.to_move);
  const troubled = snapshot.alerts.find((alert) => alert.player);
  const chosen = pinned || troubled?.player || acting?.player || snapshot.players[0]?.player;
  const seen = useRef(snapshot);
  const marks = useMarks(snapshot);

  useLayoutEffect(() => {
    const before = seen.current;
    seen.current = snapshot;
    const fresh = snapshot.moves.slice(before.moves.length);
    if (before.game_number === snapshot.game_number && fresh.length && fresh.length <= MANY_NEW) fly(fresh, layout);
  }, [snapshot]);
  // A pinned board lets go when a new round begins, so that nobody keeps looking at the wrong one.
  useEffect(() => setPinned(null), [snapshot.round, snapshot.game_number]);

  if (!layout) return html`<p class="quiet">${words.say("app.opening")}</p>`;
  const tileLabels = settings.labels ? labels(words, layout.colours) : null;
  const draw = (piece) => html`<${Piece} key=${piece.name} piece=${piece} layout=${layout} places=${snapshot.places} words=${words}
    ...${marks} labels=${tileLabels} onPick=${onPick} picking=${picking} title=${words.piece(piece.name)} />`;
  const open = layout.pieces.filter((piece) => !piece.secret && piece.places.length);
  const shown = all ? snapshot.players : snapshot.players.filter((player) => player.player === chosen);
  const shared = html`<${Shared} pieces=${open.filter((piece) => piece.player === null)} draw=${draw} />`;
  const onBoard = open.some((piece) => piece.player !== null && piece.places.some((place) => marks.hot.has(place.name)));
  // A board on which something is wrong comes first: what pulses must be seen without looking for it.
  const boards = html`<section class=${classes("boards", shown.length > 2 && "many")}>
      ${shown.map((player) => html`<article key=${player.player} class=${classes("own", player.to_move && "turn")} style=${{ "--own": palette(player.colour).base }}>
        <h2><span>${player.name}</span><span class="aside">${words.number(player.score)}</span></h2>
        ${open.filter((piece) => piece.player === player.player).map(draw)}</article>`)}
    </section>`;
  return html`<div class="live">
    <${ScoreCards} snapshot=${snapshot} words=${words} chosen=${chosen} onChoose=${setPinned} />
    <${LastMove} snapshot=${snapshot} words=${words} />
    <${Questions} store=${store} /><${Slips} store=${store} />
    ${snapshot.result ? html`<${FinalCard} store=${store} />` : html`<${RoundCard} store=${store} />`}
    ${onBoard ? [boards, shared] : [shared, boards]}
  </div>`;
}
