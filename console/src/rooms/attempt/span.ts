const MINUTE_MS = 60_000;

/** A duration for the eye: `12 ms`, `1.284 s`, `2:05.1`. */
export function spanText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < MINUTE_MS) return `${(milliseconds / 1000).toFixed(3)} s`;
  const tenths = Math.round(milliseconds / 100);
  const seconds = ((tenths % 600) / 10).toFixed(1).padStart(4, '0');
  return `${Math.floor(tenths / 600)}:${seconds}`;
}

/** How long after the beginning something happened: `+0.000 s`. */
export function offsetText(milliseconds: number): string {
  const sign = milliseconds < 0 ? '-' : '+';
  const size = Math.abs(milliseconds);
  return size < MINUTE_MS ? `${sign}${(size / 1000).toFixed(3)} s` : sign + spanText(size);
}
