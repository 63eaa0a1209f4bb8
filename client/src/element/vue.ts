import { computed, shallowRef, toValue, type ComputedRef, type MaybeRefOrGetter } from 'vue';
import { atEnd, attributesOf, cancel, type PageAttempt, type WaitAttributes } from './attempt.ts';
import type { MiftahEnd } from './follow-page.ts';

export type { MiftahEnd, PageAttempt, WaitAttributes };

export interface MiftahAttempt {
  /** For the element: `<miftah-wait v-bind="wait" />`. */
  readonly wait: ComputedRef<WaitAttributes & { readonly onMiftahEnd: Listener }>;
  /** How the attempt has ended, to display it: it proves nothing. */
  readonly end: ComputedRef<MiftahEnd | null>;
  /** Ends the attempt, and leads to where the application goes then. */
  readonly cancel: () => void;
}

type Listener = (event: CustomEvent<MiftahEnd>) => void;

/** An attempt by phone that a page waits for, by the element `<miftah-wait>` of `@miftah/client/element`. */
export function useMiftahAttempt(source: MaybeRefOrGetter<PageAttempt>): MiftahAttempt {
  const ended = shallowRef<{ readonly id: string; readonly end: MiftahEnd } | null>(null);
  const current = () => toValue(source);
  const onEndOf =
    (attempt: PageAttempt) =>
    ({ detail }: CustomEvent<MiftahEnd>) => {
      ended.value = { id: attempt.id, end: detail };
      atEnd(detail, attempt);
    };
  return {
    wait: computed(() => {
      const attempt = current();
      return { ...attributesOf(attempt), onMiftahEnd: onEndOf(attempt) };
    }),
    end: computed(() => (ended.value?.id === current().id ? ended.value.end : null)),
    cancel: () => cancel(current()),
  };
}
