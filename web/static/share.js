// The end of a game to take along: as text, or as a picture drawn on this phone.
import { html, useEffect, useRef, useState } from "./base.js";
import { set } from "./store.js";
import { Sheet } from "./frame.js";
import { decision, finalHistory, inOrder } from "./summary.js";
import { niceStep } from "./chart.js";
import { palette } from "./tiles.js";

const WIDTH = 1080;
const HEIGHT = 1080;
const FONT = "Georgia, 'Iowan Old Style', 'Noto Serif', serif";

export function shareText(snapshot, words) {
  const lines = [`${words.say("game.name")}: ${decision(snapshot, words)}`];
  for (const player of inOrder(snapshot)) {
    const course = snapshot.history.map((row) => row[player.player - 1]).join(" → ");
    lines.push(`${snapshot.result.scores[player.player - 1]}  ${player.name}${course ? `  (${course})` : ""}`);
  }
  return lines.join("\n");
}

function draw(canvas, snapshot, words) {
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#f4ecdd";
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  snapshot.players.forEach((player, at) => { pen.fillStyle = palette(player.colour).base; pen.fillRect((at * WIDTH) / snapshot.players.length, 0, WIDTH / snapshot.players.length, 26); });
  pen.fillStyle = "#262c3d";
  pen.textAlign = "left";
  pen.font = `italic 44px ${FONT}`;
  pen.fillText(words.say("game.name"), 70, 120);
  pen.font = `bold 58px ${FONT}`;
  fit(pen, decision(snapshot, words), 70, 200, WIDTH - 140, 58);
  const order = inOrder(snapshot);
  order.forEach((player, at) => {
    const y = 300 + at * 84;
    pen.fillStyle = palette(player.colour).base;
    pen.fillRect(70, y - 46, 14, 60);
    pen.fillStyle = "#262c3d";
    fit(pen, player.name, 110, y, 680, 50);
    pen.textAlign = "right";
    pen.font = `bold 62px ${FONT}`;
    pen.fillText(String(snapshot.result.scores[player.player - 1]), WIDTH - 70, y + 4);
    pen.textAlign = "left";
  });
  course(pen, snapshot, 330 + order.length * 84, HEIGHT - 80);
}

function fit(pen, text, x, y, width, size) {
  let points = size;
  do { pen.font = `bold ${points}px ${FONT}`; points -= 2; } while (pen.measureText(text).width > width && points > 20);
  pen.fillText(text, x, y);
}

function course(pen, snapshot, top, bottom) {
  const rows = [snapshot.players.map(() => 0), ...finalHistory(snapshot)];
  const most = Math.max(1, ...rows.flat());
  const step = niceStep(most);
  const high = Math.ceil(most / step) * step;
  const x = (index) => 120 + (index * (WIDTH - 200)) / Math.max(1, rows.length - 1);
  const y = (score) => bottom - ((score * (bottom - top)) / high);
  pen.font = `28px ${FONT}`;
  pen.textAlign = "right";
  for (let value = 0; value <= high; value += step) {
    pen.strokeStyle = "#d8ccb5";
    pen.lineWidth = 2;
    pen.beginPath(); pen.moveTo(120, y(value)); pen.lineTo(WIDTH - 80, y(value)); pen.stroke();
    pen.fillStyle = "#6d6a63";
    pen.fillText(String(value), 104, y(value) + 9);
  }
  snapshot.players.forEach((player, at) => {
    pen.strokeStyle = palette(player.colour).base;
    pen.lineWidth = 8;
    pen.lineJoin = "round";
    pen.beginPath();
    rows.forEach((row, index) => pen.lineTo(x(index), y(row[at])));
    pen.stroke();
  });
}

export default function ShareSheet({ store, sheet }) {
  const { snapshot } = sheet;
  const words = store.words.of(snapshot.game, snapshot.players.map((player) => player.name));
  const canvas = useRef(null);
  const [picture, setPicture] = useState(null);
  const [copied, setCopied] = useState(false);
  const text = shareText(snapshot, words);
  useEffect(() => {
    draw(canvas.current, snapshot, words);
    canvas.current.toBlob((blob) => setPicture(blob && { file: new File([blob], "game.png", { type: "image/png" }), url: URL.createObjectURL(blob) }), "image/png");
  }, []);
  useEffect(() => () => { if (picture) URL.revokeObjectURL(picture.url); }, [picture]);
  const canShare = picture && navigator.canShare && navigator.canShare({ files: [picture.file] });
  const copy = async () => {
    // The clipboard is missing on plain http: then the text is selected, ready to be copied by hand.
    if (navigator.clipboard) { await navigator.clipboard.writeText(text); setCopied(true); return; }
    document.getElementById("share-text").select();
  };
  return html`<${Sheet} title=${words.say("share.title")} words=${words} onClose=${() => set({ sheet: null })}>
    <canvas class="share" ref=${canvas} width=${WIDTH} height=${HEIGHT} role="img" aria-label=${words.say("share.picture")}></canvas>
    <div class="buttons">
      ${picture && html`<a class="button main" href=${picture.url} download="game.png">${words.say("share.save")}</a>`}
      ${canShare && html`<button type="button" onClick=${() => navigator.share({ files: [picture.file], text }).catch(() => {})}>${words.say("share.send")}</button>`}
    </div>
    <label class="block">${words.say("share.text")}<textarea id="share-text" readonly rows="5" value=${text}></textarea></label>
    <div class="buttons"><button type="button" onClick=${copy}>${words.say(copied ? "share.copied" : "share.copy")}</button></div>
  </${Sheet}>`;
}
