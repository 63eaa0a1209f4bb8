import type { Outcome, Queued } from '@miftah/contract/control';
import type { JSX } from 'preact';
import { page } from '../../page.ts';
import { AskFirst } from '../../parts/ask-first.tsx';
import { fill } from '../../parts/fill.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';

type Properties = {
  readonly queued: readonly Queued[];
  readonly outcomes: readonly Outcome[];
  readonly onClear: () => void;
};

/** What the next attempts take, the oldest first. */
export function Queue({ queued, outcomes, onClear }: Properties): JSX.Element {
  const { queue } = words.outcomes;
  return (
    <section class="panel" data-testid={testIds.queue}>
      <h2>{queue.title}</h2>
      <p>{queued.length === 0 ? queue.empty : queue.text}</p>
      {queued.length === 0 ? null : (
        <>
          <ol>
            {queued.map(({ outcome, after }, place) => (
              <li key={place}>
                {titleOf(outcome, outcomes)}{' '}
                {after === null ? null : (
                  <span class="badge">{fill(queue.after, { seconds: after })}</span>
                )}
              </li>
            ))}
          </ol>
          <div class="actions">
            <AskFirst
              label={queue.clear}
              title={queue.sure}
              text={queue.sureText}
              testId={testIds.clearQueue}
              onYes={onClear}
            />
          </div>
        </>
      )}
    </section>
  );
}

function titleOf(key: string, outcomes: readonly Outcome[]): string {
  return outcomes.find((one) => one.key === key)?.title[page.locale] ?? key;
}
