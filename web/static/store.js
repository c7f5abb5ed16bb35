// What this phone knows: the latest snapshot, its own settings, whether it is paired, whether the line holds.
import { useEffect, useState } from "./base.js";

const SETTINGS = { language: "", theme: "auto", sound: false, vibration: false, labels: false, awake: true };
const SILENCE_MS = 25000; // the server says something every ten seconds
const LOST_MS = 1500; // a reconnect that takes longer is told

function load() {
  try { return { ...SETTINGS, ...JSON.parse(localStorage.getItem("companion") || "{}") }; } catch { return { ...SETTINGS }; }
}

export const state = {
  snapshot: null, layout: null, words: null, catalogue: null, session: { paired: false, join: location.origin + "/" },
  line: "connecting", settings: load(), route: location.hash, sheet: null, notice: null, picking: false,
};

const listeners = new Set();

export function set(changes) {
  Object.assign(state, changes);
  for (const listener of [...listeners]) listener();
}

export function useStore() {
  const [, redraw] = useState(0);
  useEffect(() => {
    const listener = () => redraw((count) => count + 1);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  return state;
}

export function setting(name, value) {
  const settings = { ...state.settings, [name]: value };
  try { localStorage.setItem("companion", JSON.stringify(settings)); } catch { /* a private window keeps nothing */ }
  set({ settings });
}

export const language = () => state.settings.language || document.documentElement.lang || "en";

export async function get(path) {
  const response = await fetch(path, { credentials: "same-origin" });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

async function post(path, data) {
  try {
    const response = await fetch(path, {
      method: "POST", credentials: "same-origin", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data),
    });
    return { status: response.status, ...(await response.json()) };
  } catch {
    return { status: 0, ok: false, key: "error.offline", params: {} };
  }
}

// A command of a paired phone. One that is not paired yet is asked for the PIN first, and then it is sent after all.
export async function command(name, data = {}) {
  const reply = await post(`/api/commands/${name}`, data);
  if (reply.status === 401) {
    set({ session: { ...state.session, paired: false } });
    return new Promise((done) => set({ sheet: { kind: "pair", after: () => done(command(name, data)), cancel: () => done(reply) } }));
  }
  if (!reply.ok) notify(reply.key, reply.params);
  return reply;
}

let noticeTimer = 0;

export function notify(key, params = {}) {
  set({ notice: { key, params } });
  clearTimeout(noticeTimer);
  noticeTimer = setTimeout(() => set({ notice: null }), 6000);
}

export async function pair(pin) {
  const reply = await post("/api/pair", { pin });
  if (reply.ok) await refreshSession();
  return reply;
}

export async function unpair() {
  await post("/api/unpair", {});
  await refreshSession();
}

export async function refreshSession() {
  try { set({ session: await get("/api/session") }); } catch { /* told by the line */ }
}

// -- the line to the table ---------------------------------------------------------------------------------

let source = null;
let lastHeard = 0;
let lostTimer = 0;
let retryTimer = 0;

export function connect(onSnapshot) {
  const close = () => { source?.close(); source = null; };
  const lost = () => {
    clearTimeout(lostTimer);
    lostTimer = setTimeout(() => { if (state.line !== "open") set({ line: "lost" }); }, LOST_MS);
    if (state.line === "open") set({ line: "connecting" });
  };
  const open = () => {
    close();
    lastHeard = Date.now();
    source = new EventSource("/api/events");
    const heard = () => {
      lastHeard = Date.now();
      clearTimeout(lostTimer);
      if (state.line !== "open") set({ line: "open" });
    };
    source.addEventListener("snapshot", (event) => { heard(); onSnapshot(JSON.parse(event.data)); });
    source.addEventListener("beat", heard);
    source.onerror = () => {
      lost();
      if (source && source.readyState === 2) { // refused: the browser itself does not try again
        close();
        get("/api/snapshot").then(onSnapshot, () => {});
        clearTimeout(retryTimer);
        retryTimer = setTimeout(() => { if (!document.hidden) open(); }, 3000);
      }
    };
  };
  document.addEventListener("visibilitychange", () => { if (document.hidden) close(); else { open(); refreshSession(); } });
  addEventListener("pagehide", close);
  addEventListener("pageshow", (event) => { if (event.persisted) open(); });
  addEventListener("offline", () => set({ line: "lost" }));
  addEventListener("online", open);
  setInterval(() => { if (source && Date.now() - lastHeard > SILENCE_MS) { lost(); open(); } }, 5000);
  lost();
  if (!document.hidden) open();
}
