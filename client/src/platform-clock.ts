/** The clocks of a page. Only the waiting element reads them. */

/** Milliseconds since 1970 by the clock of this device, which can be wrong. */
export function wallMs(): number {
  return Date.now();
}

/** Milliseconds that only grow. Some browsers stop them while the device sleeps. */
export function monotonicMs(): number {
  return performance.now();
}
