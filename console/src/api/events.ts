import { eventsOf } from '../../../pages/browser/event-stream.js';
import { send } from './call.ts';

export type StreamEvent<Data> = { readonly name: string; readonly data: Data };

/**
 * The events of one connection, until it ends or is silent. Unlike `EventSource`, it can send a
 * token.
 * @throws ApiFailure where there is no connection
 */
export async function* eventsAt<Data>(path: string): AsyncGenerator<StreamEvent<Data>> {
  for await (const { name, data } of eventsOf(await send(path, {}))) {
    yield { name, data: JSON.parse(data) as Data };
  }
}
