import { pause } from '../platform/clock.ts';
import { send } from './call.ts';

/** The simulator sends something every 15 seconds. */
const SILENCE_MS = 30_000;

export type StreamEvent<Data> = { readonly name: string; readonly data: Data };

/**
 * The events of one connection, until it ends or is silent. Unlike `EventSource`, it can send a
 * token.
 * @throws ApiFailure where there is no connection
 */
export async function* eventsAt<Data>(path: string): AsyncGenerator<StreamEvent<Data>> {
  const { body } = await send(path, {});
  if (body === null) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const chunk = await Promise.race([reader.read().catch(() => null), pause(SILENCE_MS)]);
      if (chunk?.value === undefined) return;
      const blocks = (rest + chunk.value).split('\n\n');
      rest = blocks.pop() ?? '';
      yield* blocks.flatMap(eventIn<Data>);
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** None for a comment. */
function eventIn<Data>(block: string): StreamEvent<Data>[] {
  const fields = new Map(
    block.split('\n').map((line) => {
      const [, name = '', value = ''] = /^(\w*): ?(.*)$/.exec(line) ?? [];
      return [name, value];
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return [];
  return [{ name: fields.get('event') ?? 'message', data: JSON.parse(data) as Data }];
}
