import { computed, signal } from '@preact/signals';
import type { JSX } from 'preact';
import { useCallback, useEffect } from 'preact/hooks';
import { call } from '../../api/call.ts';
import type { Row } from '@miftah/contract/control';
import { Failed } from '../../parts/failed.tsx';
import { page } from '../../page.ts';
import { Title } from '../../parts/title.tsx';
import { named } from '../../parts/named.ts';
import { stateName } from '../../parts/state-badge.tsx';
import { VirtualList } from '../../parts/virtual-list.tsx';
import { attempts, loadOlder } from '../../state/attempts.ts';
import { shownState } from '../../state/rows.ts';
import { words } from '../../words/index.ts';
import { AttemptRow } from './attempt-row.tsx';
import { Empty } from './empty.tsx';
import { countsOf, EVERYTHING, rowsLike, type Filter, type Numbers } from './filter.ts';
import { Filters } from './filters.tsx';
import { ImportButton } from '../../imports/import-button.tsx';
import { Nothing } from './nothing.tsx';

/** It stays while one of the attempts is looked at. */
const filter = signal<Filter>(EVERYTHING);

const shownOf = (row: Row) => {
  const { flow, source, client, service } = row;
  return [
    stateName(shownState(row)),
    named(words.common.flows, flow),
    source === 'imported' ? words.common.imported : '',
    client?.[page.locale] ?? service ?? words.attempts.noClient,
  ].join('\n');
};
/** Empty until somebody searches. */
const numbers = signal<Numbers>(new Map());
const candidates = computed(() =>
  rowsLike(attempts.rows.value ?? [], filter.value, shownOf, numbers.value),
);
const counts = computed(() => countsOf(candidates.value));
const listed = computed(() => {
  const { state } = filter.value;
  return state === ''
    ? candidates.value
    : candidates.value.filter((row) => shownState(row) === state);
});
const keys = computed(() => listed.value.map(({ id }) => id));

/** Of those who are found by it. Without an answer the other texts are searched. */
async function readNumbers(search: string): Promise<void> {
  const people = await call('listPeople', { query: { search } }).catch(() => []);
  if (search !== filter.value.text) return;
  numbers.value = new Map(people.map(({ id, national_id }) => [id, national_id]));
}

/** The sign-ins of the scope, newest first. */
export function Attempts(): JSX.Element {
  const all = attempts.rows.value;
  return (
    <>
      <div class="room-head">
        <Title>{words.attempts.title}</Title>
        <ImportButton />
      </div>
      <Failed failure={attempts.failure.value} />
      {all === null ? null : all.length === 0 ? <Empty /> : <List />}
      <p class="hint below-list">{words.attempts.refused}</p>
    </>
  );
}

function List(): JSX.Element {
  const rows = listed.value;
  const { text } = filter.value;
  useEffect(() => {
    if (text !== '') void readNumbers(text);
  }, [text]);
  // A search may find nothing in a page of older ones: then the next one is read.
  const onEnd = useCallback(() => void loadOlder(), [attempts.rows.value?.length]);
  return (
    <>
      <Filters
        filter={filter.value}
        counts={counts.value}
        total={candidates.value.length}
        onChange={(next) => (filter.value = next)}
      />
      {rows.length === 0 ? (
        <Nothing
          text={filter.value.text.trim()}
          elsewhere={candidates.value.length}
          onClear={() => (filter.value = EVERYTHING)}
        />
      ) : null}
      <VirtualList
        keys={keys.value}
        label={words.attempts.title}
        onEnd={onEnd}
        rowAt={(place, tabIndex) => {
          const row = rows[place];
          return row === undefined ? null : <AttemptRow row={row} tabIndex={tabIndex} />;
        }}
      />
      {attempts.older.value === 'loading' ? <p class="hint">{words.attempts.loading}</p> : null}
    </>
  );
}
