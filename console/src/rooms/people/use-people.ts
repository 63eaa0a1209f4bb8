import type { PersonRow } from '@miftah/contract/control';
import { useSignal, type Signal } from '@preact/signals';
import { useCallback } from 'preact/hooks';
import { call } from '../../api/call.ts';
import { useAsked, type Asked } from '../../api/use-call.ts';

/** How many are shown, one number after the other: a page of thousands would be slow. */
const SHOWN = [50, 200, 1000] as const;
const MOST = 1000;

export type SomePeople = Asked<readonly PersonRow[]> & {
  readonly wanted: Signal<string>;
  /** Shows more of them; null where there are no more, or no more are shown. */
  readonly showMore: (() => void) | null;
  /** Whether others are found by a search alone. */
  readonly isCut: boolean;
};

/** The people of the scope who are searched for. The simulator searches: it may have 200,000. */
export function usePeople(): SomePeople {
  const wanted = useSignal('');
  const step = useSignal(0);
  const search = wanted.value.trim();
  const limit = SHOWN[step.value] ?? MOST;
  const ask = useCallback(
    () =>
      call('listPeople', {
        query: { search: search === '' ? undefined : search, limit: String(limit) },
      }),
    [search, limit],
  );
  const asked = useAsked(ask);
  const isFull = (asked.data.value?.length ?? 0) >= limit;
  const showMore = isFull && limit < MOST ? () => void (step.value += 1) : null;
  return { ...asked, wanted, showMore, isCut: isFull && limit === MOST };
}

/** Everybody, for a file. @throws ControlError */
export async function allPeople(): Promise<readonly PersonRow[]> {
  const all: PersonRow[] = [];
  for (;;) {
    const page = await call('listPeople', { query: { after: all.at(-1)?.id } });
    all.push(...page);
    if (page.length < MOST) return all;
  }
}
