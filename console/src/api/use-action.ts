import { useSignal, type Signal } from '@preact/signals';
import { ControlError } from '@miftah/contract/control-client';

/** What somebody has asked the simulator to do. */
export type Action = {
  readonly isBusy: Signal<boolean>;
  readonly failure: Signal<ControlError | null>;
  /** What was done, for people; empty at first, and after a failure. */
  readonly said: Signal<string>;
  /** @param work returns what was done, for people */
  readonly run: (work: () => Promise<string>) => Promise<void>;
  /** Forgets what was done, and what failed. */
  readonly clear: () => void;
};

/** Does one thing after the other, and keeps what became of the last. */
export function useAction(): Action {
  const isBusy = useSignal(false);
  const failure = useSignal<ControlError | null>(null);
  const said = useSignal('');
  const run = async (work: () => Promise<string>) => {
    if (isBusy.value) return;
    isBusy.value = true;
    said.value = '';
    try {
      said.value = await work();
      failure.value = null;
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  const clear = () => {
    said.value = '';
    failure.value = null;
  };
  return { isBusy, failure, said, run, clear };
}
