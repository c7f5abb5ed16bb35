// Editions differ: a printed group of places that sits beside its outlines is dragged onto the print with a thumb, or pushed by hairs.
import { html, useRef, useState } from "./base.js";
import { Glass, useLivePicture, viewOf } from "./corners.js";

const WAYS = [["left", "←", -1, 0], ["right", "→", 1, 0], ["up", "↑", 0, -1], ["down", "↓", 0, 1]];
const LEAST_PX = 0.5;

export function Groups({ words, game, check, onPush, onDrag }) {
  const [open, setOpen] = useState(false);
  const [group, setGroup] = useState(Object.keys(check.groups)[0]);
  return html`<details class="options" onToggle=${(event) => setOpen(event.currentTarget.open)}><summary>${words.say("setup.adjust")}</summary><p class="quiet">${words.say("setup.adjust-help")}</p>
    <label class="block"><span>${words.say("setup.adjust-group")}</span><select value=${group} onChange=${(event) => setGroup(event.target.value)}>${Object.entries(check.groups).map(([name, place]) => html`<option key=${name} value=${name}>${words.place(place, game)} …</option>`)}</select></label>
    ${open && Object.keys(check.outlines[group] || {}).length > 0 && html`<${Drag} key=${group} words=${words} check=${check} boards=${Object.values(check.outlines[group])} onDrag=${(from, to) => onDrag(group, from, to)} />`}
    <div class="buttons">${WAYS.map(([way, arrow, across, down]) => html`<button type="button" key=${way} aria-label=${words.say(`setup.adjust-${way}`)} onClick=${() => onPush(group, across, down)}>${arrow}</button>`)}</div></details>`;
}

// One board's outlines of the group over the picture as it is; the other boards follow.
function Drag({ words, check, boards, onDrag }) {
  const svg = useRef(null);
  const [held, setHeld] = useState(null);
  const picture = useLivePicture(held !== null);
  const [x0, y0, width, height] = viewOf(boards[0].flat(), check, "corners");
  const unit = width / 340;
  const place = (event) => {
    const box = svg.current.getBoundingClientRect();
    return [x0 + ((event.clientX - box.left) / box.width) * width, y0 + ((event.clientY - box.top) / box.height) * height];
  };
  const down = (event) => {
    if (held) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    setHeld({ from: place(event), to: place(event) });
  };
  const move = (event) => { if (held && !held.sent) setHeld({ ...held, to: place(event) }); };
  const up = async () => {
    if (!held || held.sent) return;
    if (Math.hypot(held.to[0] - held.from[0], held.to[1] - held.from[1]) >= LEAST_PX) {
      setHeld({ ...held, sent: true }); // the outlines stay under the thumb until the table has been read again
      await onDrag(held.from, held.to);
    }
    setHeld(null);
  };
  const by = held ? [held.to[0] - held.from[0], held.to[1] - held.from[1]] : [0, 0];
  const shapes = (thin) => html`<g transform="translate(${by[0]} ${by[1]})">${boards[0].map((corners, at) => html`<polygon key=${at} class="shape chosen" stroke-width=${(unit * 1.6) / thin} points=${corners.map((corner) => corner.join(",")).join(" ")} />`)}</g>`;
  return html`<div class="corners drag"><svg ref=${svg} viewBox=${[x0, y0, width, height].join(" ")} role="img" aria-label=${words.say("setup.adjust-drag")} onPointerDown=${down} onPointerMove=${move} onPointerUp=${up} onPointerCancel=${() => setHeld(null)}>
      <image href=${picture} width=${check.width} height=${check.height} />${shapes(1)}</svg>
    ${held && !held.sent && html`<${Glass} point=${held.to} left=${(held.to[0] - x0) / width > 0.5} unit=${unit} picture=${picture} size=${check}>${shapes(2.6)}<//>`}</div>`;
}
