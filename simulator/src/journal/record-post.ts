import type { PushPrompt } from '../engine/prompts/prompts.ts';
import type { MovableTime } from '../platform/movable-time.ts';
import type { Post } from '../platform/platform.ts';
import type { Journal } from './journal.ts';

interface Recording {
  readonly journal: Journal;
  readonly time: Pick<MovableTime, 'now'>;
  /** Milliseconds since any moment, by a clock that nobody moves. */
  readonly elapsed: () => number;
  readonly post: Post;
}

/** Posts the signed result of a push. */
export type PostResult = (address: string, json: string, prompt: PushPrompt) => ReturnType<Post>;

/** Posts results, and records each try with its answer. */
export function recordedPost({ journal, time, elapsed, post }: Recording): PostResult {
  return async (address, json, { requestId, scope }) => {
    const at = time.now();
    const begun = journal.turn();
    const start = elapsed();
    const status = await post(address, json);
    const exchange = {
      method: 'POST',
      path: address,
      status,
      durationMs: Math.round(elapsed() - start),
      request: { headers: { 'content-type': 'application/json' }, body: json },
      response: { headers: {}, body: null },
    };
    const entry = { at, side: 'callback', name: 'push_result', exchange, act: null } as const;
    journal.record(requestId, scope, entry, begun);
    return status;
  };
}
