import type { Outcome } from '@miftah/contract/control';
import type { JSX } from 'preact';
import { page } from '../../page.ts';
import { Code } from '../../parts/code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Prose } from '../../parts/prose.tsx';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { headerOf } from './outcome.ts';

type Properties = {
  readonly outcome: Outcome;
  readonly seconds: number | null;
  /** False while the seconds are none that can be sent. */
  readonly isReady: boolean;
  readonly onTry: (seconds: number | null) => void;
  readonly onNext: (seconds: number | null) => void;
};

/** One outcome: a button that tries it, and the other ways to have it, which are folded. */
export function OutcomeRow(properties: Properties): JSX.Element {
  const { outcome, seconds, isReady, onTry } = properties;
  const { outcomes } = words;
  const { key, national_id: number, redirect } = outcome;
  const title = outcome.title[page.locale];
  return (
    <li class="card" data-testid={testIds.outcome(key)}>
      <details>
        <summary>
          <h2>
            <Prose text={title} />
          </h2>
        </summary>
        <p class="hint">
          <Code text={number} /> <Code text={key} />{' '}
          {redirect === null ? outcomes.flows.phone : outcomes.flows.both}
        </p>
        <OtherWays {...properties} />
      </details>
      <button
        class="secondary small"
        type="button"
        aria-label={outcomes.tryName.replace('{title}', title)}
        disabled={!isReady}
        data-testid={testIds.tryIt(key)}
        onClick={() => onTry(seconds)}
      >
        {outcomes.tryIt}
      </button>
    </li>
  );
}

function OtherWays({ outcome, seconds, isReady, onNext }: Properties): JSX.Element {
  const { outcomes } = words;
  const { key, national_id: number } = outcome;
  const named = (sentence: string) => sentence.replace('{title}', outcome.title[page.locale]);
  return (
    <div class="actions">
      <button
        class="secondary small"
        type="button"
        aria-label={named(outcomes.nextName)}
        disabled={!isReady}
        data-testid={testIds.next(key)}
        onClick={() => onNext(seconds)}
      >
        {outcomes.next}
      </button>
      <CopyButton
        text={number}
        label={outcomes.copyNumber}
        name={named(outcomes.copyNumberName)}
        testId={testIds.copyNumber(key)}
      />
      <CopyButton
        text={`X-Simulate: ${headerOf(outcome, seconds)}`}
        label={outcomes.copyHeader}
        name={named(outcomes.copyHeaderName)}
        disabled={!isReady}
        testId={testIds.copyHeader(key)}
      />
    </div>
  );
}
