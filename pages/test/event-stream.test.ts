import { expect, it } from 'vitest';
import { eventsOf } from '../browser/event-stream.js';

/** The events of a stream that arrives in these pieces. */
async function eventsIn(...pieces: readonly string[]) {
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(encoder.encode(piece));
      controller.close();
    },
  });
  return Array.fromAsync(eventsOf(new Response(stream)));
}

it.each([
  ['an event with its name', ['event: a\ndata: 1\n\n'], [{ name: 'a', data: '1' }]],
  ['one without a name', ['data:1\n\n'], [{ name: 'message', data: '1' }]],
  ['several lines of data', ['data: {\ndata: }\n\n'], [{ name: 'message', data: '{\n}' }]],
  ['an empty line of data', ['data: a\ndata\n\n'], [{ name: 'message', data: 'a\n' }]],
  ['no event for a comment or a pause', [':\n\nretry: 2000\n\n'], []],
  ['nothing that was cut off', ['data: 1\n\ndata: 2'], [{ name: 'message', data: '1' }]],
  ['an event in pieces', ['da', 'ta: 1\n', '\n'], [{ name: 'message', data: '1' }]],
])('a stream has %s', async (_what, pieces, events) => {
  expect(await eventsIn(...pieces)).toEqual(events);
});

it('a stream that nobody reads any more is cancelled', async () => {
  let isCancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode('data: 1\n\n')),
    cancel: () => void (isCancelled = true),
  });
  for await (const { data } of eventsOf(new Response(stream))) {
    expect(data).toBe('1');
    break;
  }
  expect(isCancelled).toBe(true);
});
