import type { Outcome, Queued } from '@miftah/contract/control';
import { call } from '../../api/call.ts';
import { useAction, type Action } from '../../api/use-action.ts';
import { useCall, type Asked } from '../../api/use-call.ts';
import { startByPhone } from '../../api/start.ts';
import { page } from '../../page.ts';
import { visible } from '../../parts/visible.ts';
import { linkTo } from '../../router.ts';
import { words } from '../../words/index.ts';
import { headerOf, nextOf } from './outcome.ts';

export type OutcomeQueue = {
  readonly asked: Asked<readonly Queued[]>;
  readonly action: Action;
  /** @param seconds null for the usual time */
  readonly add: (outcome: Outcome, seconds: number | null) => Promise<void>;
  /** Starts a sign-in that takes it, and opens its time line; where that needs a key, queues it. */
  readonly tryIt: (outcome: Outcome, seconds: number | null) => Promise<void>;
  readonly clear: () => Promise<void>;
};

/** The outcomes that wait for the next attempts of the scope. */
export function useQueue(): OutcomeQueue {
  const { queue, tried } = words.outcomes;
  const asked = useCall('listNext');
  const action = useAction();
  const change = (said: string, send: () => Promise<unknown>) =>
    action.run(async () => {
      await send();
      await asked.again();
      return said;
    });
  const add = (outcome: Outcome, seconds: number | null, said: string) =>
    change(said.replace('{title}', outcome.title[page.locale]), () =>
      call('queueNext', { body: nextOf(outcome, seconds) }),
    );
  const tryIt = async (outcome: Outcome, seconds: number | null) => {
    let isClosed = false;
    await action.run(async () => {
      const started = await startByPhone(outcome.national_id, headerOf(outcome, seconds));
      if (started.is === 'started') location.hash = linkTo('attempts', started.attemptId);
      isClosed = started.is === 'closed';
      if (started.is !== 'refused') return '';
      const said = saidOf(tried.refused, outcome, started);
      const faults = await call('listFaults');
      return faults.length === 0 ? said : `${said} ${tried.faults}`;
    });
    if (isClosed) await add(outcome, seconds, tried.queued);
  };
  return {
    asked,
    action,
    add: (outcome, seconds) => add(outcome, seconds, queue.queued),
    tryIt,
    clear: () => change(queue.cleared, () => call('clearNext')),
  };
}

type Refused = { readonly code: string; readonly message: string };

/** The message is in the page's language, and the code is left to right. */
function saidOf(sentence: string, { title }: Outcome, { code, message }: Refused): string {
  return sentence
    .replace('{title}', title[page.locale])
    .replace('{code}', `\u2066${visible(code)}\u2069`)
    .replace('{message}', visible(message));
}
