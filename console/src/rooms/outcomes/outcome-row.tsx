import type { JSX } from 'preact';
import { page } from '../../page.ts';
import { Code } from '../../parts/code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Prose } from '../../parts/prose.tsx';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { headerOf, type Outcome } from './outcome.ts';

type Properties = {
  readonly outcome: Outcome;
  readonly seconds: number | null;
  /** False while the seconds are none that can be sent. */
  readonly isReady: boolean;
  readonly onNext: (seconds: number | null) => void;
};

/** One outcome, and the ways to have it. */
export function OutcomeRow({ outcome, seconds, isReady, onNext }: Properties): JSX.Element {
  const { outcomes } = words;
  const { key, national_id: number, redirect } = outcome;
  const title = outcome.title[page.locale];
  const named = (sentence: string) => sentence.replace('{title}', title);
  return (
    <li class="card" data-testid={testIds.outcome(key)}>
      <h2>
        <Prose text={title} />
      </h2>
      <p class="hint">
        <Code text={number} /> <Code text={key} />{' '}
        {redirect === null ? outcomes.flows.phone : outcomes.flows.both}
      </p>
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
    </li>
  );
}
