import type { ControlAnswers, ControlOperation } from '@miftah/contract/control';
import { useSignal, type Signal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { call } from './call.ts';
import { ControlError } from '@miftah/contract/control-client';

/** What has become of a call that a component began. */
export type Asked<Data> = {
  /** Null until there was an answer. It stays while the same is asked again. */
  readonly data: Signal<Data | null>;
  readonly failure: Signal<ControlError | null>;
  readonly again: () => Promise<void>;
};

/**
 * Calls an operation when the component appears, when `id` of its path changes, and at `again()`.
 */
export function useCall<Id extends ControlOperation>(
  operation: Id,
  id = '',
): Asked<ControlAnswers[Id]> {
  return useAsked(useCallback(() => call(operation, { id }), [operation, id]));
}

/** As `useCall`, with a question of any kind, which has to stay the same function. */
export function useAsked<Data>(ask: () => Promise<Data>): Asked<Data> {
  const data = useSignal<Data | null>(null);
  const failure = useSignal<ControlError | null>(null);
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
      if (!(error instanceof ControlError)) throw error;
      if (isNewest()) failure.value = error;
    }
  }, [ask]);
  useEffect(() => void again(), [again]);
  return { data, failure, again };
}
