// Loose tiles on the picture, named by a tap: choose a colour, tap a tile of it. Where tiles show faces, those of an
// edition with its own print can be taught: choose what a tile shows, tap it, and the next one is chosen.
import { html, useRef, useState } from "./base.js";
import { Tile } from "./tiles.js";
import { useLivePicture } from "./corners.js";

export function ColourTaps({ proposal, colours, faces = [], words, game, samples, setSamples }) {
  const [now, setNow] = useState(colours[0]);
  const [face, setFace] = useState(null);
  const svg = useRef(null);
  const picture = useLivePicture(false);
  const tap = (event) => {
    const box = svg.current.getBoundingClientRect();
    const at = [((event.clientX - box.left) / box.width) * proposal.width, ((event.clientY - box.top) / box.height) * proposal.height];
    const named = { colour: now, at: [at.map((value) => Math.round(value * 10) / 10)] };
    setSamples([...samples, face ? { ...named, face } : named].slice(-60));
    if (face) setFace(faces[faces.indexOf(face) + 1] || null);
  };
  const unit = proposal.width / 340;
  const name = (colour) => (words.has(`colours.${colour}`, game) ? words.say(`colours.${colour}`, {}, game) : colour);
  const says = (each) => (words.has(`faces.${each}`, game) ? words.say(`faces.${each}`, {}, game) : each);
  return html`<div class="choices wide" role="group" aria-label=${words.say("setup.colours")}>${colours.map((colour) => html`<button type="button" class="choice" key=${colour} aria-pressed=${colour === now} onClick=${() => setNow(colour)}>
      <svg class="swatch" viewBox="-14 -14 28 29" aria-hidden="true"><${Tile} name=${colour} x="0" y="0" size=${25} /></svg> ${name(colour)} ${samples.filter((sample) => sample.colour === colour).length || ""}</button>`)}</div>
    ${face && html`<p role="status"><b>${name(now)} ${says(face)}</b></p>`}
    <div class="corners"><svg ref=${svg} viewBox="0 0 ${proposal.width} ${proposal.height}" onClick=${tap} role="img" aria-label=${words.say("setup.tap-tiles")}>
      <image href=${picture} width=${proposal.width} height=${proposal.height} />
      ${samples.map((sample, index) => html`<${Tile} key=${index} name=${sample.colour} face=${sample.face} x=${sample.at[0][0]} y=${sample.at[0][1]} size=${12 * unit} round />`)}</svg></div>
    ${samples.length > 0 && html`<button type="button" class="small" onClick=${() => setSamples(samples.slice(0, -1))}>${words.say("setup.last-away")}</button>`}
    ${faces.length > 0 && html`<details><summary>${words.say("setup.faces")}</summary><p>${words.say("setup.faces-help")}</p>
      <div class="choices" role="group" aria-label=${words.say("setup.faces")}>${[null, ...faces].map((each) => html`<button type="button" class="choice" key=${each || ""} aria-pressed=${each === face} onClick=${() => setFace(each)}>
        ${each ? says(each) : words.say("setup.no-face")}${samples.some((sample) => each && sample.face === each) ? " ✓" : ""}</button>`)}</div></details>`}`;
}
