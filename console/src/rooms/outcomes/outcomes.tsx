import type { Outcome } from '@miftah/contract/control';
import { useSignal, type Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useCall } from '../../api/use-call.ts';
import { Failed } from '../../parts/failed.tsx';
import { Field } from '../../parts/field.tsx';
import { ActionResult } from '../../parts/action-result.tsx';
import { hasText, SearchField } from '../../parts/search-field.tsx';
import { Title } from '../../parts/title.tsx';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { OutcomeRow } from './outcome-row.tsx';
import { Queue } from './queue.tsx';
import { useQueue } from './use-queue.ts';

/** What can happen to an attempt, to be tried. */
export function Outcomes(): JSX.Element {
  const { outcomes } = words;
  const all = useCall('listOutcomes');
  const queue = useQueue();
  const seconds = useSignal<Seconds>(null);
  const wanted = useSignal('');
  const rows = all.data.value ?? [];
  const found = rows.filter((one) => isCalled(one, wanted.value));
  return (
    <>
      <Title>{outcomes.title}</Title>
      <p class="lead">{outcomes.lead}</p>
      <Failed failure={all.failure.value ?? queue.asked.failure.value} />
      <Queue
        queued={queue.asked.data.value ?? []}
        outcomes={rows}
        onClear={() => void queue.clear()}
      />
      <ActionResult action={queue.action} />
      <Choices wanted={wanted} seconds={seconds} />
      {all.data.value !== null && found.length === 0 ? <p class="empty">{outcomes.none}</p> : null}
      <ul class="cards compact">
        {found.map((outcome) => (
          <OutcomeRow
            key={outcome.key}
            outcome={outcome}
            seconds={seconds.value === 'wrong' ? null : seconds.value}
            isReady={seconds.value !== 'wrong'}
            onNext={(after) => void queue.add(outcome, after)}
            onTry={(after) => void queue.tryIt(outcome, after)}
          />
        ))}
      </ul>
    </>
  );
}

/** Null: the usual time. */
type Seconds = number | 'wrong' | null;

const MOST_SECONDS = 300;

type Chosen = {
  readonly wanted: Signal<string>;
  readonly seconds: Signal<Seconds>;
};

/** Which outcomes are shown, and how long they wait. */
function Choices({ wanted, seconds }: Chosen): JSX.Element {
  const { outcomes } = words;
  return (
    <div class="choices">
      <SearchField label={outcomes.search} wanted={wanted} />
      <Field
        label={outcomes.after}
        hint={outcomes.afterHint}
        fault={seconds.value === 'wrong' ? outcomes.afterFault : null}
      >
        {(described) => (
          <input
            {...described}
            type="number"
            min="0"
            max={MOST_SECONDS}
            step="1"
            data-testid={testIds.after}
            onInput={({ currentTarget }) => (seconds.value = secondsIn(currentTarget))}
          />
        )}
      </Field>
    </div>
  );
}

/** What is no number at all has an empty value too. */
function secondsIn({ value, validity }: HTMLInputElement): Seconds {
  if (!validity.valid) return 'wrong';
  return value === '' ? null : Number(value);
}

function isCalled({ key, national_id, title }: Outcome, wanted: string): boolean {
  return hasText(wanted, [key, national_id, title.ar, title.en]);
}
