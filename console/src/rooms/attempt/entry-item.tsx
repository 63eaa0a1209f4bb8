import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Act, Entry, Exchange } from '@miftah/contract/control';
import { Outside } from '../../parts/outside.tsx';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { Details } from './details.tsx';
import { decisionName, entryName, laneOf, SIDES, sideName } from './names.ts';
import { offsetText, spanText } from './span.ts';

type Properties = {
  readonly entry: Entry;
  /** When the attempt began. */
  readonly start: number;
  readonly isOpen: boolean;
};

/** One entry; an exchange can be folded out. */
export function EntryItem({ entry, start, isOpen }: Properties): JSX.Element {
  const { number, exchange } = entry;
  const lane = laneOf(entry);
  const open = useSignal(isOpen);
  useEffect(() => {
    if (isOpen) open.value = true;
  }, [isOpen]);
  return (
    <li
      class="entry"
      data-side={SIDES.includes(lane) ? lane : undefined}
      data-entry={number}
      data-testid={testIds.entry(number)}
    >
      {exchange === null ? (
        <div class="entry-line">
          <Line entry={entry} start={start} />
        </div>
      ) : (
        <details
          open={open.value}
          onToggle={({ currentTarget }) => (open.value = currentTarget.open)}
        >
          <summary class="entry-line">
            <Line entry={entry} start={start} />
          </summary>
          {open.value ? <Details entry={entry} exchange={exchange} /> : null}
        </details>
      )}
    </li>
  );
}

type LineProperties = Omit<Properties, 'isOpen'> & {
  /** In the place of the duration, where the line stands for more than one entry. */
  readonly count?: ComponentChildren;
  /** The names of the other entries that the line stands for. */
  readonly others?: readonly string[];
  /** By which findings, the API and the commands call it. */
  readonly numbers?: string;
};

/** What is seen of an entry that is folded. */
export function Line(properties: LineProperties): JSX.Element {
  const { entry, start, count = null, others = [] } = properties;
  const { at, name, exchange, act, number } = entry;
  const { numbers = String(number) } = properties;
  return (
    <>
      <span class="entry-time number">
        {offsetText(Date.parse(at) - start, words.common.units)}
      </span>
      <span class="entry-what">
        <span class="entry-side">
          <span class="entry-number number" dir="ltr">
            {numbers}
          </span>{' '}
          <Outside text={sideName(laneOf(entry))} />
        </span>{' '}
        <Outside class="entry-name" text={[name, ...others].map(entryName).join(' + ')} />
        {act === null ? null : <ActText act={act} />}
      </span>
      {exchange === null ? null : <Result exchange={exchange} count={count} />}
    </>
  );
}

function ActText({ act: { decision, by } }: { readonly act: Act }): JSX.Element | null {
  if (decision === null && by === 'person') return null;
  return (
    <span class="entry-act">
      {decision === null ? null : <Outside class="decision" text={decisionName(decision)} />}
      {by === 'outcome' ? <span class="hint">{words.attempt.byOutcome}</span> : null}
    </span>
  );
}

type ResultProperties = { readonly exchange: Exchange; readonly count: ComponentChildren };

function Result({ exchange, count }: ResultProperties): JSX.Element {
  const { method, path, status, code, duration_ms } = exchange;
  const kind = status === null || status >= 500 ? 'broken' : status >= 400 ? 'refused' : 'fine';
  return (
    <>
      <Outside class="entry-address" text={`${method} ${path}`} ltr />
      <span class="entry-result">
        {code === null ? null : <Outside class="code" text={code} ltr />}
        <span class="status number" dir="ltr" data-kind={kind}>
          {status ?? words.attempt.noAnswer}
        </span>
        {count ?? (
          <span class="entry-took number">{spanText(duration_ms, words.common.units)}</span>
        )}
      </span>
    </>
  );
}
