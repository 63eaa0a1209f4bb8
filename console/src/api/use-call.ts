import { useSignal, type Signal } from '@preact/signals';
import { useCallback, useEffect } from 'preact/hooks';
import { call } from './call.ts';
import { ApiFailure } from './failure.ts';

/** What has become of a call that a component began. */
export type Asked<Data> = {
  /** Null until there was an answer. It stays while the same is asked again. */
  readonly data: Signal<Data | null>;
  readonly failure: Signal<ApiFailure | null>;
  readonly again: () => Promise<void>;
};

/** Reads from the control API when the component appears, when `path` changes, and at `again()`. */
export function useCall<Data>(path: string): Asked<Data> {
  const data = useSignal<Data | null>(null);
  const failure = useSignal<ApiFailure | null>(null);
  const again = useCallback(async () => {
    try {
      data.value = await call<Data>('GET', path);
      failure.value = null;
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      failure.value = error;
    }
  }, [path]);
  useEffect(() => void again(), [again]);
  return { data, failure, again };
}
