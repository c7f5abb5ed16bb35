// The few names every part needs: templates and hooks.
import { h, render, Fragment } from "./vendor/preact.js";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
export { Fragment, render, useEffect, useLayoutEffect, useMemo, useRef, useState };

export const classes = (...names) => names.filter(Boolean).join(" ");

export const reducedMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
