// Says what the set-up does, on a terminal and in a pipe: a download takes minutes on a slow line,
// and a command that says nothing looks as if it hung.

const SAY_AGAIN_MS = 20_000;
const SECOND_MS = 1000;

/**
 * Prints the name of a stage at once, and while it lasts how long it has taken.
 *
 * @template T
 * @param {string} what as in `installing the packages`
 * @param {() => Promise<T>} work
 * @param {number} [sayAgainMs]
 * @returns {Promise<T>} what the work returns
 */
export async function stage(what, work, sayAgainMs = SAY_AGAIN_MS) {
  console.log(`${what}...`);
  const started = performance.now();
  const again = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / SECOND_MS);
    console.log(`  still ${what}: ${seconds} s`);
  }, sayAgainMs);
  try {
    return await work();
  } finally {
    clearInterval(again);
  }
}
