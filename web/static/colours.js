// Loose tiles on the picture, named by a tap: choose a colour, tap a tile of it. Where tiles show faces, those of an
// edition with its own print can be taught: choose what a tile shows, tap it, and the next one is chosen. On a phone a
// tile is smaller than a fingertip: the picture can be made larger, and dragged.
import { html, classes, useRef, useState } from "./base.js";
import { Tile } from "./tiles.js";
import { useLivePicture } from "./corners.js";

const ZOOMS = [1, 2, 4];
const DRAG_PX = 8;

// The part of the picture that shows, and what a finger does to it: it drags, or where it does not, it taps.
function useZoom({ width, height }, svg, onTap) {
  const [level, setLevel] = useState(0);
  const [middle, setMiddle] = useState([width / 2, height / 2]);
  const held = useRef(null);
  const [wide, high] = [width / ZOOMS[level], height / ZOOMS[level]];
  const within = ([x, y], [across, down]) => [Math.max(across / 2, Math.min(x, width - across / 2)), Math.max(down / 2, Math.min(y, height - down / 2))];
  const [x, y] = within(middle, [wide, high]);
  const scale = () => wide / svg.current.getBoundingClientRect().width;
  const place = (event) => {
    const box = svg.current.getBoundingClientRect();
    return [x - wide / 2 + (event.clientX - box.left) * scale(), y - high / 2 + (event.clientY - box.top) * scale()];
  };
  const down = (event) => { held.current = { at: [event.clientX, event.clientY], middle: [x, y], dragged: false }; };
  const move = (event) => {
    const from = held.current;
    if (!from || !event.buttons) return;
    const [across, along] = [event.clientX - from.at[0], event.clientY - from.at[1]];
    if (!from.dragged && Math.hypot(across, along) < DRAG_PX) return;
    if (!from.dragged) event.currentTarget.setPointerCapture(event.pointerId);
    from.dragged = true;
    setMiddle(within([from.middle[0] - across * scale(), from.middle[1] - along * scale()], [wide, high]));
  };
  const up = (event) => {
    if (held.current && !held.current.dragged) onTap(place(event));
    held.current = null;
  };
  return {
    zoom: ZOOMS[level], box: [x - wide / 2, y - high / 2, wide, high].join(" "),
    larger: level < ZOOMS.length - 1 && (() => setLevel(level + 1)), smaller: level > 0 && (() => setLevel(level - 1)),
    pointer: { onPointerDown: down, onPointerMove: move, onPointerUp: up, onPointerCancel: () => { held.current = null; } },
  };
}

export function ColourTaps({ proposal, colours, faces = [], words, game, samples, setSamples }) {
  const [now, setNow] = useState(colours[0]);
  const [face, setFace] = useState(null);
  const svg = useRef(null);
  const picture = useLivePicture(false);
  const tap = (at) => {
    const named = { colour: now, at: [at.map((value) => Math.round(value * 10) / 10)] };
    setSamples([...samples, face ? { ...named, face } : named].slice(-60));
    if (face) setFace(faces[faces.indexOf(face) + 1] || null);
  };
  const { zoom, box, larger, smaller, pointer } = useZoom(proposal, svg, tap);
  const unit = proposal.width / 340 / zoom;
  const name = (colour) => (words.has(`colours.${colour}`, game) ? words.say(`colours.${colour}`, {}, game) : colour);
  const says = (each) => (words.has(`faces.${each}`, game) ? words.say(`faces.${each}`, {}, game) : each);
  // Numbers, letters and figures each begin a row.
  const kind = (each) => (each.length > 1 ? "figure" : /\d/.test(each) ? "number" : "letter");
  const begins = (each) => each && each !== faces[0] && kind(each) !== kind(faces[faces.indexOf(each) - 1]);
  const taught = (each) => samples.some((sample) => sample.face === each);
  return html`<div class="choices wide" role="group" aria-label=${words.say("setup.colours")}>${colours.map((colour) => html`<button type="button" class="choice" key=${colour} aria-pressed=${colour === now} onClick=${() => setNow(colour)}>
      <svg class="swatch" viewBox="-14 -14 28 29" aria-hidden="true"><${Tile} name=${colour} x="0" y="0" size=${25} /></svg> ${name(colour)} ${samples.filter((sample) => sample.colour === colour).length || ""}</button>`)}</div>
    ${face && html`<p role="status"><b>${name(now)} ${says(face)}</b></p>`}
    <div class=${classes("corners", zoom > 1 && "drag", "taps")}><svg ref=${svg} viewBox=${box} ...${pointer} role="img" aria-label=${words.say("setup.tap-tiles")}>
      <image href=${picture} width=${proposal.width} height=${proposal.height} />
      ${samples.map((sample, index) => html`<${Tile} key=${index} name=${sample.colour} face=${sample.face} x=${sample.at[0][0]} y=${sample.at[0][1]} size=${12 * unit} round />`)}</svg>
      <div class="zoom"><button type="button" aria-label=${words.say("setup.smaller")} disabled=${!smaller} onClick=${smaller || undefined}>−</button>
        <button type="button" aria-label=${words.say("setup.larger")} disabled=${!larger} onClick=${larger || undefined}>+</button></div></div>
    ${samples.length > 0 && html`<button type="button" class="small" onClick=${() => setSamples(samples.slice(0, -1))}>${words.say("setup.last-away")}</button>`}
    ${faces.length > 0 && html`<details><summary>${words.say("setup.faces")}</summary><p>${words.say("setup.faces-help")}</p>
      <div class="choices faces" role="group" aria-label=${words.say("setup.faces")}>${[null, ...faces].map((each) => html`<button type="button" key=${each || ""} class=${classes("choice", begins(each) && "begins")} aria-pressed=${each === face} aria-label=${each && (taught(each) ? `${says(each)} ✓` : says(each))} title=${each && says(each)} onClick=${() => setFace(each)}>
        ${each ? html`<svg class=${classes("swatch", taught(each) && "taught")} viewBox="-14 -14 28 29" aria-hidden="true"><${Tile} name=${now} face=${each} x="0" y="0" size=${25} /></svg>${taught(each) && html`<i aria-hidden="true">✓</i>`}` : words.say("setup.no-face")}</button>`)}</div></details>`}`;
}
