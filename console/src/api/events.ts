import { followEvents } from '../../../pages/browser/event-stream.js';
import { controlHeaders } from '@miftah/contract/control-client';
import { proof, refusalOf, tokenAfter } from './call.ts';

export type StreamEvent<Data> = { readonly name: string; readonly data: Data };

/**
 * Gives `take` the events of the control API, while the tab is visible and until their connection
 * ends. Unlike `EventSource`, it can send a token, and waits until somebody has typed one.
 * @throws ControlError where they are refused, and where there is no answer
 */
export async function followEventsAt<Data>(
  path: string,
  take: (event: StreamEvent<Data>) => void,
): Promise<void> {
  const access = await proof();
  const refusal = await followEvents({
    path,
    headers: controlHeaders(access),
    take: ({ name, data }) => take({ name, data: JSON.parse(data) as Data }),
  });
  await tokenAfter(await refusalOf(path, refusal), access.token);
}
