// Loose tiles on the picture, named by a tap: choose a colour, tap a tile of it.
import { html, useRef, useState } from "./base.js";
import { Tile } from "./tiles.js";
import { useLivePicture } from "./corners.js";

export function ColourTaps({ proposal, colours, words, game, samples, setSamples }) {
  const [now, setNow] = useState(colours[0]);
  const svg = useRef(null);
  const picture = useLivePicture(false);
  const tap = (event) => {
    const box = svg.current.getBoundingClientRect();
    const at = [((event.clientX - box.left) / box.width) * proposal.width, ((event.clientY - box.top) / box.height) * proposal.height];
    setSamples([...samples, { colour: now, at: [at.map((value) => Math.round(value * 10) / 10)] }].slice(-60));
  };
  const unit = proposal.width / 340;
  const name = (colour) => (words.has(`colours.${colour}`, game) ? words.say(`colours.${colour}`, {}, game) : colour);
  return html`<div class="choices wide" role="group" aria-label=${words.say("setup.colours")}>${colours.map((colour) => html`<button type="button" class="choice" key=${colour} aria-pressed=${colour === now} onClick=${() => setNow(colour)}>
      <svg class="swatch" viewBox="-14 -14 28 29" aria-hidden="true"><${Tile} name=${colour} x="0" y="0" size=${25} /></svg> ${name(colour)} ${samples.filter((sample) => sample.colour === colour).length || ""}</button>`)}</div>
    <div class="corners"><svg ref=${svg} viewBox="0 0 ${proposal.width} ${proposal.height}" onClick=${tap} role="img" aria-label=${words.say("setup.tap-tiles")}>
      <image href=${picture} width=${proposal.width} height=${proposal.height} />
      ${samples.map((sample, index) => html`<${Tile} key=${index} name=${sample.colour} x=${sample.at[0][0]} y=${sample.at[0][1]} size=${12 * unit} round />`)}</svg></div>
    ${samples.length > 0 && html`<button type="button" class="small" onClick=${() => setSamples(samples.slice(0, -1))}>${words.say("setup.last-away")}</button>`}`;
}
