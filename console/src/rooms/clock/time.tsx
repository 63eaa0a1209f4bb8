import type { ClockState } from '@miftah/contract/control';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { fill } from '../../parts/fill.ts';
import { sinceOpened, whileShown } from '../../platform/ticks.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { durationText } from './duration.ts';

const SECOND_MS = 1000;
/** What people call the same time may be off by so much. */
const SAME_MS = 500;

/** The time, which goes on here as it does there. */
export function Time({ state }: { readonly state: ClockState }): JSX.Element {
  const { clock } = words;
  const passed = useSignal(0);
  useEffect(() => {
    const asked = sinceOpened();
    if (state.frozen) return undefined;
    return whileShown(SECOND_MS, () => (passed.value = sinceOpened() - asked));
  }, [state]);
  const shown = new Date(Date.parse(state.now) + passed.value).toISOString().slice(0, 19);
  return (
    <dl class="facts">
      <div>
        <dt>{clock.now}</dt>
        <dd>
          <bdi dir="ltr" class="number time" data-testid={testIds.clockNow}>
            {shown.replace('T', ' ')} UTC
          </bdi>{' '}
          <span class="badge" data-testid={testIds.clockState}>
            {state.frozen ? clock.stands : clock.runs}
          </span>
        </dd>
      </div>
      <div>
        <dt>{clock.ahead}</dt>
        <dd>{difference(state.ahead_ms)}</dd>
      </div>
      <div>
        <dt>{clock.skew}</dt>
        <dd>{difference(state.skew_ms)}</dd>
      </div>
    </dl>
  );
}

function difference(milliseconds: number) {
  const { none, forward, behind } = words.clock;
  if (Math.abs(milliseconds) < SAME_MS) return none;
  const time = <bdi dir="ltr">{durationText(milliseconds)}</bdi>;
  return fill(milliseconds > 0 ? forward : behind, { time });
}
