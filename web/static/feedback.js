// Sound, vibration and a screen that stays awake: each only if this phone's owner asked and the browser can.
import { state } from "./store.js";

let audio = null;

function notes(list) {
  const Audio = window.AudioContext || window.webkitAudioContext;
  if (!Audio) return;
  audio = audio || new Audio();
  if (audio.state === "suspended") audio.resume();
  list.forEach(([pitch, at]) => {
    const tone = audio.createOscillator();
    const volume = audio.createGain();
    const start = audio.currentTime + at;
    tone.type = "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(0.12, start + 0.015);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 0.28);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 0.3);
  });
}

const TUNES = { move: [[523, 0]], slip: [[440, 0], [349, 0.16]], question: [[392, 0], [523, 0.14]], round: [[392, 0], [494, 0.12], [587, 0.24]] };
const BUZZES = { move: 15, slip: [40, 60, 40], question: [30, 50, 30], round: [60] };

export function tell(what) {
  if (state.settings.sound) notes(TUNES[what]);
  if (state.settings.vibration && navigator.vibrate) navigator.vibrate(BUZZES[what]);
}

// What is worth telling about a snapshot, the most important only.
export function news(before, now) {
  if (!before || before.game_number !== now.game_number) return null;
  if (now.alerts.some((alert) => !before.alerts.some((old) => old.id === alert.id))) return "slip";
  if (now.question && now.question.id !== before.question?.id) return "question";
  if (now.rounds.length > before.rounds.length || (now.result && !before.result)) return "round";
  return now.moves.length > before.moves.length ? "move" : null;
}

let lock = null;

export async function keepAwake() {
  if (!("wakeLock" in navigator)) return;
  if (!state.settings.awake) { await lock?.release(); lock = null; return; }
  if (lock || document.hidden) return;
  try {
    lock = await navigator.wakeLock.request("screen");
    lock.addEventListener("release", () => { lock = null; });
  } catch { lock = null; } // low battery: the phone decides
}
