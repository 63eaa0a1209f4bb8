import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Entry, TimeLine } from '@miftah/contract/control';
import { fill } from '../../parts/fill.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { EntryItem } from './entry-item.tsx';
import { linesOf, type Fold } from './fold.ts';
import { Legend } from './legend.tsx';
import { RepeatedItem } from './repeated-item.tsx';

type Properties = {
  readonly timeLine: TimeLine;
  /** The entry that the address names; it is opened and brought into view. */
  readonly shown: number | null;
};

/** Everything that happened, in its order. */
export function Entries({ timeLine, shown }: Properties): JSX.Element {
  const { attempt } = words;
  const { entries } = timeLine;
  const isUnfolded = useSignal(false);
  const lines = useMemo(() => linesOf(entries), [entries]);
  const list = useShown(shown, entries.length);
  const isRepeating = lines.some(({ kind }) => kind === 'repeated');
  const start = Date.parse(entries[0]?.at ?? '');
  return (
    <section class="time-line" aria-labelledby="time-line">
      <div class="section-head">
        <h2 id="time-line">{attempt.timeLine}</h2>
        {isRepeating ? (
          <button
            class="quiet"
            type="button"
            data-testid={testIds.unfold}
            onClick={() => (isUnfolded.value = !isUnfolded.value)}
          >
            {isUnfolded.value ? attempt.showFolded : attempt.showAll}
          </button>
        ) : null}
      </div>
      {entries.length === 0 ? <p class="hint">{attempt.empty}</p> : <Legend entries={entries} />}
      <ol class="entries" ref={list} data-testid={testIds.timeLine}>
        {keyed(isUnfolded.value ? unfolded(lines) : lines).map(({ key, line }) => (
          <LineItem key={key} line={line} start={start} shown={shown} />
        ))}
      </ol>
    </section>
  );
}

type LineProperties = {
  readonly line: Fold;
  readonly start: number;
  readonly shown: number | null;
};

function LineItem({ line, start, shown }: LineProperties): JSX.Element {
  if (line.kind === 'gap') {
    return (
      <li class="gap">
        {fill(words.attempt.leftOut, { count: <span class="number">{line.count}</span> })}
      </li>
    );
  }
  const isIn = (entry: Entry) => entry.number === shown;
  if (line.kind === 'repeated') {
    return <RepeatedItem line={line} start={start} isOpen={line.entries.some(isIn)} />;
  }
  return <EntryItem entry={line.entry} start={start} isOpen={isIn(line.entry)} />;
}

/** Each entry on a line of its own, with the gaps where they are. */
function unfolded(lines: readonly Fold[]): readonly Fold[] {
  return lines.flatMap((line): readonly Fold[] =>
    line.kind === 'repeated'
      ? line.entries.map((entry): Fold => ({ kind: 'entry', entry }))
      : [line],
  );
}

/** Not by number: when an exchange ends that began earlier, what is folded out stays folded out. */
function keyed(lines: readonly Fold[]) {
  const seen = new Map<string, number>();
  return lines.map((line) => {
    const entry = line.kind === 'repeated' ? line.entries[0] : line.kind === 'entry' && line.entry;
    const name = entry ? `${line.kind} ${entry.at} ${entry.side} ${entry.name}` : line.kind;
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return { key: `${name} ${before}`, line };
  });
}

/** Brings the entry that the address names into view, once. */
function useShown(shown: number | null, count: number) {
  const list = useRef<HTMLOListElement>(null);
  const isThere = count > 0;
  useLayoutEffect(() => {
    if (shown === null || !isThere) return;
    const item = list.current?.querySelector<HTMLElement>(`[data-entry~="${shown}"]`);
    item?.scrollIntoView({ block: 'center' });
    item?.querySelector('summary')?.focus({ preventScroll: true });
  }, [shown, isThere]);
  return list;
}
