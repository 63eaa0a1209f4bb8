import { foreign, open, type Call, type Connection } from './connection.ts';
import { limited } from './platform.ts';

/** The service sends its first event at once: a proxy that keeps it back keeps all of them. */
const FIRST_EVENT_MS = 5_000;
/** The service sends something every 15 seconds. */
const SILENCE_MS = 20_000;
/** Characters of one event; a status has some hundreds. */
const LONGEST_EVENT = 64 * 1024;

/**
 * Opens a stream of server-sent events and gives `take` the data of each, until `take` says that it
 * was the last one, or the stream ends.
 * @throws MiftahError `client.timeout` when the stream brings nothing in time
 */
export async function readEvents(
  connection: Connection,
  call: Call,
  take: (data: string) => boolean,
): Promise<void> {
  const headers = { ...call.headers, accept: 'text/event-stream' };
  await limited(FIRST_EVENT_MS, call.signal, async (signal, renew) => {
    const response = await open(connection, { ...call, headers, signal });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (!response.body || !isStream) throw foreign(response);
    let hasBegun = false;
    await eachEvent(response.body, (data) => {
      if (data !== null) hasBegun = true;
      if (hasBegun) renew(SILENCE_MS);
      return data !== null && take(data);
    });
  });
}

/** Calls `take` with the data of each event, and with null at each sign of life. */
export async function eachEvent(
  body: ReadableStream<Uint8Array>,
  take: (data: string | null) => boolean,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    if (rest.length > LONGEST_EVENT) throw new RangeError('Endless event.');
    for (const data of [null, ...blocks.map(dataIn)]) if (take(data)) return;
  }
}

/** Null for a block without data, as a heartbeat is. */
function dataIn(block: string): string | null {
  const lines = block.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return lines.length === 0 ? null : lines.map((line) => line.slice('data:'.length)).join('\n');
}
