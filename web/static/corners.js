// Points on the camera picture, dragged with a thumb: the picture zooms to the piece, a glass shows what the thumb hides.
import { html, classes, useEffect, useRef, useState } from "./base.js";

const GLASS_PX = 116;
const GLASS_ZOOM = 2.6;
const FRESH_MS = 2000;

// The camera picture as it is now; it stands still while somebody holds a point.
export function useLivePicture(held) {
  const [src, setSrc] = useState("/api/pictures/setup.jpg?n=0");
  const still = useRef(held);
  still.current = held;
  useEffect(() => {
    let count = 0;
    const timer = setInterval(() => {
      if (still.current || document.hidden) return;
      const next = new Image();
      count += 1;
      next.onload = () => { if (!still.current) setSrc(next.src); };
      next.src = `/api/pictures/setup.jpg?n=${count}`;
    }, FRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return src;
}

export function outline({ frame, points }) {
  if (frame !== "disc") return null;
  const [[x, y], [u, v]] = points;
  return { x, y, r: Math.hypot(u - x, v - y) };
}

export function viewOf(points, { width, height }, frame) {
  const ring = frame === "disc" ? outline({ frame, points }) : null;
  const xs = ring ? [ring.x - ring.r, ring.x + ring.r] : points.map(([x]) => x);
  const ys = ring ? [ring.y - ring.r, ring.y + ring.r] : points.map(([, y]) => y);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const size = Math.min(Math.max((x1 - x0) * 1.7, (y1 - y0) * 1.7 * 1.25, width / 5), width);
  const tall = size / 1.25;
  const clamp = (value, room) => Math.max(-size * 0.08, Math.min(value, room));
  return [clamp((x0 + x1) / 2 - size / 2, width - size * 0.92), clamp((y0 + y1) / 2 - tall / 2, height - tall * 0.92), size, tall];
}

export function Corners({ proposal, at, onMove, onChoose, words, title }) {
  const svg = useRef(null);
  const [held, setHeld] = useState(null);
  const view = useRef({ at: -1, box: null });
  const picture = useLivePicture(held !== null);
  const piece = proposal.pieces[at];
  // While a point is held the view stays, so that the picture does not run away under the thumb.
  if (view.current.at !== at || held === null) view.current = { at, box: viewOf(piece.points, proposal, piece.frame) };
  const [x0, y0, width, height] = view.current.box;
  const unit = width / 340;

  const place = (event) => {
    const box = svg.current.getBoundingClientRect();
    return [x0 + ((event.clientX - box.left) / box.width) * width, y0 + ((event.clientY - box.top) / box.height) * height];
  };
  const shift = (index, x, y) => {
    const fixed = [Math.max(0, Math.min(x, proposal.width)), Math.max(0, Math.min(y, proposal.height))];
    const old = piece.points;
    let points = old.map((point, each) => (each === index ? fixed : point));
    // A disc's rim moves along with its middle.
    if (piece.frame === "disc" && index === 0) points = [fixed, [old[1][0] + fixed[0] - old[0][0], old[1][1] + fixed[1] - old[0][1]]];
    onMove(points.map(([a, b]) => [Math.round(a * 10) / 10, Math.round(b * 10) / 10]));
  };
  const down = (index) => (event) => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    const [x, y] = place(event);
    setHeld({ index, dx: piece.points[index][0] - x, dy: piece.points[index][1] - y });
  };
  const drag = (event) => {
    if (!held) return;
    const [x, y] = place(event);
    shift(held.index, x + held.dx, y + held.dy);
  };
  const up = () => setHeld(null);
  const key = (index) => (event) => {
    const step = (event.shiftKey ? 10 : 1) * Math.max(1, unit);
    const way = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!way) return;
    event.preventDefault();
    shift(index, piece.points[index][0] + way[0], piece.points[index][1] + way[1]);
  };
  const point = held && piece.points[held.index];
  const left = point && (point[0] - x0) / width > 0.5;
  return html`<div class="corners">
    <svg ref=${svg} viewBox=${view.current.box.join(" ")} role="group" aria-label=${title} onPointerMove=${drag} onPointerUp=${up} onPointerCancel=${up}>
      <image href=${picture} width=${proposal.width} height=${proposal.height} />
      ${proposal.pieces.map((each, index) => html`<${Shape} key=${each.piece} piece=${each} unit=${unit} chosen=${index === at} onClick=${() => onChoose(index)} />`)}
      ${piece.points.map(([x, y], index) => html`<g key=${index} class=${classes("handle", held?.index === index && "held")} transform="translate(${x} ${y}) scale(${unit})"
          tabindex="0" role="button" aria-label=${words.say("setup.point", { n: index + 1 })} onPointerDown=${down(index)} onKeyDown=${key(index)}>
        <circle class="touch" r="24" /><circle class="dot" r="9" /><path d="M-15 0H-4M4 0H15M0-15V-4M0 4V15" />
        ${piece.frame === "corners" && html`<text class="number" x="17" y="-9">${index + 1}</text>`}</g>`)}
    </svg>
    ${point && html`<${Glass} point=${point} left=${left} unit=${unit} picture=${picture} size=${proposal}><${Shape} piece=${piece} unit=${unit / GLASS_ZOOM} chosen /><//>`}
  </div>`;
}

// What the thumb hides, larger, in the corner that it is not in.
export function Glass({ point: [x, y], left, unit, picture, size, children }) {
  const room = (GLASS_PX / GLASS_ZOOM) * unit;
  return html`<div class=${classes("glass", left ? "left" : "right")} aria-hidden="true"><svg viewBox="${x - room / 2} ${y - room / 2} ${room} ${room}">
    <image href=${picture} width=${size.width} height=${size.height} />${children}
    <path class="cross" stroke-width=${unit * 0.5} d="M${x - 9 * unit} ${y}h${18 * unit}M${x} ${y - 9 * unit}v${18 * unit}" /></svg></div>`;
}

function Shape({ piece, unit, chosen, onClick }) {
  const ring = outline(piece);
  const shared = { class: classes("shape", chosen && "chosen"), "stroke-width": unit * (chosen ? 2.4 : 1.6), onClick: chosen ? undefined : onClick };
  if (ring) return html`<circle cx=${ring.x} cy=${ring.y} r=${ring.r} ...${shared} />`;
  return html`<polygon points=${piece.points.map((point) => point.join(",")).join(" ")} ...${shared} />`;
}
