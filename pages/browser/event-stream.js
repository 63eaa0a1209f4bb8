// Reads server-sent events by fetch, which can send a token. Becomes a part of phone.js where that is read.

/** The simulator sends something every 15 seconds. */
const SILENCE_MS = 30_000;

/** The texts of the events of a stream, until it ends or is silent. @param {Response} answer */
export async function* eventsOf(answer) {
  const reader = /** @type {ReadableStream<Uint8Array>} */ (answer.body).getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const chunk = await Promise.race([reader.read().catch(() => null), silence()]);
    if (chunk?.value === undefined) return void reader.cancel().catch(() => null);
    const blocks = (rest + decoder.decode(chunk.value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block.split('\n').find((line) => line.startsWith('data: '));
      if (data !== undefined) yield data.slice('data: '.length);
    }
  }
}

/** @returns {Promise<null>} */
const silence = () => new Promise((resolve) => void setTimeout(resolve, SILENCE_MS, null));
