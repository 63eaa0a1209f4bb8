import { useSignal, type Signal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { call, send } from './call.ts';
import { ApiFailure } from './failure.ts';

/** What has become of a call that a component began. */
export type Asked<Data> = {
  /** Null until there was an answer. It stays while the same is asked again. */
  readonly data: Signal<Data | null>;
  readonly failure: Signal<ApiFailure | null>;
  readonly again: () => Promise<void>;
};

/**
 * Reads the `data` of an answer, or the whole of it, when the component appears, when `path` changes,
 * and at `again()`.
 */
export function useCall<Data>(path: string, what: 'data' | 'whole' = 'data'): Asked<Data> {
  const ask = useCallback(
    () => (what === 'data' ? call<Data>('GET', path) : wholeOf<Data>(path)),
    [path, what],
  );
  return useAsked(ask);
}

/** As `useCall`, with a question of any kind, which has to stay the same function. */
export function useAsked<Data>(ask: () => Promise<Data>): Asked<Data> {
  const data = useSignal<Data | null>(null);
  const failure = useSignal<ApiFailure | null>(null);
  const newest = useRef(0);
  const again = useCallback(async () => {
    const number = (newest.current += 1);
    // An answer that comes after the answer to a later question is dropped.
    const isNewest = () => number === newest.current;
    try {
      const answer = await ask();
      if (!isNewest()) return;
      data.value = answer;
      failure.value = null;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      if (isNewest()) failure.value = error;
    }
  }, [ask]);
  useEffect(() => void again(), [again]);
  return { data, failure, again };
}

async function wholeOf<Data>(path: string): Promise<Data> {
  const answer = await send(path);
  return (await answer.json()) as Data;
}
