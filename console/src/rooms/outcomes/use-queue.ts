import { call } from '../../api/call.ts';
import { useAction, type Action } from '../../api/use-action.ts';
import { useCall, type Asked } from '../../api/use-call.ts';
import { page } from '../../page.ts';
import { words } from '../../words/index.ts';
import { nextOf, type Outcome, type Queued } from './outcome.ts';

const PATH = '/simulator/next';

export type OutcomeQueue = {
  readonly asked: Asked<readonly Queued[]>;
  readonly action: Action;
  /** @param seconds null for the usual time */
  readonly add: (outcome: Outcome, seconds: number | null) => Promise<void>;
  readonly clear: () => Promise<void>;
};

/** The outcomes that wait for the next attempts of the scope. */
export function useQueue(): OutcomeQueue {
  const { queue } = words.outcomes;
  const asked = useCall<readonly Queued[]>(PATH);
  const action = useAction();
  const change = (said: string, send: () => Promise<unknown>) =>
    action.run(async () => {
      await send();
      await asked.again();
      return said;
    });
  return {
    asked,
    action,
    add: (outcome, seconds) =>
      change(queue.queued.replace('{title}', outcome.title[page.locale]), () =>
        call('POST', PATH, nextOf(outcome, seconds)),
      ),
    clear: () => change(queue.cleared, () => call('DELETE', PATH)),
  };
}
