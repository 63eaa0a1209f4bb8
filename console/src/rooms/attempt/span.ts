const MINUTE_MS = 60_000;

/** How the units are written in the language of the page. */
export type Units = { readonly milliseconds: string; readonly seconds: string };

/** A duration for the eye: `12 ms`, `1.284 s`, `2:05.1`. */
export function spanText(milliseconds: number, units: Units): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ${units.milliseconds}`;
  if (milliseconds < MINUTE_MS) return `${(milliseconds / 1000).toFixed(3)} ${units.seconds}`;
  const tenths = Math.round(milliseconds / 100);
  const seconds = ((tenths % 600) / 10).toFixed(1).padStart(4, '0');
  return `${Math.floor(tenths / 600)}:${seconds}`;
}

/** Keeps the sign before its number beside Arabic. */
const LEFT_TO_RIGHT = '\u200e';

/** How long after the beginning something happened: `+0.000 s`. */
export function offsetText(milliseconds: number, units: Units): string {
  const sign = LEFT_TO_RIGHT + (milliseconds < 0 ? '-' : '+');
  const size = Math.abs(milliseconds);
  if (size >= MINUTE_MS) return sign + spanText(size, units);
  return `${sign}${(size / 1000).toFixed(3)} ${units.seconds}`;
}
