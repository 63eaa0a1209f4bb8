import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Entry } from '@miftah/contract/control';
import { fill } from '../../parts/fill.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { EntryItem, Line } from './entry-item.tsx';
import type { Repeated } from './fold.ts';
import { laneOf, SIDES } from './names.ts';
import { spanText } from './span.ts';

type Properties = {
  readonly line: Repeated;
  readonly start: number;
  readonly isOpen: boolean;
};

/** Polls that were answered alike: one line, with how often, and the entries to fold out. */
export function RepeatedItem({ line, start, isOpen }: Properties): JSX.Element | null {
  const { entries, period } = line;
  const open = useSignal(isOpen);
  useEffect(() => {
    if (isOpen) open.value = true;
  }, [isOpen]);
  const [first, last] = [entries[0], entries.at(-1)];
  if (first === undefined || last === undefined) return null;
  const span = spanText(Date.parse(last.at) - Date.parse(first.at), words.common.units);
  return (
    <li
      class="entry repeated"
      data-side={SIDES.includes(laneOf(first)) ? laneOf(first) : undefined}
      data-entry={entries.map(({ number }) => number).join(' ')}
      data-testid={testIds.repeated(first.number)}
    >
      <details
        open={open.value}
        onToggle={({ currentTarget }) => (open.value = currentTarget.open)}
      >
        <summary class="entry-line">
          <Line
            entry={first}
            start={start}
            numbers={rangeOf(entries)}
            others={entries.slice(1, period).map(({ name }) => name)}
            count={<Count count={entries.length / period} span={span} />}
          />
        </summary>
        {open.value ? (
          <ol class="entries inner">
            {entries.map((entry) => (
              <EntryItem key={entry.number} entry={entry} start={start} isOpen={false} />
            ))}
          </ol>
        ) : null}
      </details>
    </li>
  );
}

/** The numbers are those of the ends, so the first entry need not have the lowest one. */
function rangeOf(entries: readonly Entry[]): string {
  const numbers = entries.map(({ number }) => number);
  return `${Math.min(...numbers)}\u2013${Math.max(...numbers)}`;
}

function Count({ count, span }: { readonly count: number; readonly span: string }): JSX.Element {
  return (
    <span class="entry-count">
      {fill(words.attempt.repeated, {
        count: <strong class="number">{count}</strong>,
        span: <span class="number">{span}</span>,
      })}
    </span>
  );
}
