// Reads server-sent events by fetch, which can send a token. Becomes a part of phone.js where that is read,
// and of the console's script.

/** The simulator sends something every 15 seconds. */
const SILENCE_MS = 30_000;

/** @typedef {{name: string, data: string}} StreamEvent */

/** The events of a stream, until it ends or is silent. @param {Response} answer */
export async function* eventsOf(answer) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const chunk = await Promise.race([reader.read().catch(() => null), silence()]);
      if (chunk?.value === undefined) return;
      const blocks = (rest + decoder.decode(chunk.value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) yield* eventIn(block);
    }
  } finally {
    void reader.cancel().catch(() => null);
  }
}

/** None for a comment. Several lines of data are one text. @param {string} block */
function eventIn(block) {
  const fields = block.split('\n').map((line) => /^(\w*)(?:: ?(.*))?$/.exec(line) ?? []);
  /** @param {string} wanted */
  const valuesOf = (wanted) =>
    fields.filter(([, name]) => name === wanted).map(([, , value = '']) => value);
  const data = valuesOf('data');
  /** @type {StreamEvent[]} */
  const found = [{ name: valuesOf('event').at(-1) ?? 'message', data: data.join('\n') }];
  return data.length === 0 ? [] : found;
}

/** @returns {Promise<null>} */
const silence = () => new Promise((resolve) => void setTimeout(resolve, SILENCE_MS, null));
