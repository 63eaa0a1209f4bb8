import { useEffect, useState } from 'react';
import { atEnd, attributesOf, cancel, type PageAttempt, type WaitAttributes } from './attempt.ts';
import type { MiftahEnd } from './follow-page.ts';

export type { MiftahEnd, PageAttempt, WaitAttributes };

declare module 'react' {
  export namespace JSX {
    interface IntrinsicElements {
      'miftah-wait': Readonly<Record<string, unknown>>;
    }
  }
}

export interface MiftahAttempt {
  /** For the element: `<miftah-wait {...wait} />`. */
  readonly wait: WaitAttributes & { readonly ref: (element: HTMLElement | null) => void };
  /** How the attempt has ended, for showing. */
  readonly end: MiftahEnd | null;
  /** Ends the attempt, and leads to where the application goes then. */
  readonly cancel: () => void;
}

/** An attempt by phone that a page waits for, by the element `<miftah-wait>` of `@miftah/client/element`. */
export function useMiftahAttempt(attempt: PageAttempt): MiftahAttempt {
  const [element, ref] = useState<HTMLElement | null>(null);
  const [ended, setEnded] = useState<{ readonly id: string; readonly end: MiftahEnd } | null>(null);
  const { id, path, onEnd } = attempt;
  useEffect(() => {
    const told = ({ detail }: CustomEvent<MiftahEnd>) => {
      setEnded({ id, end: detail });
      atEnd(detail, attempt);
    };
    element?.addEventListener('miftah-end', told);
    return () => element?.removeEventListener('miftah-end', told);
  }, [element, id, path, onEnd]);
  return {
    wait: { ...attributesOf(attempt), ref },
    end: ended?.id === id ? ended.end : null,
    cancel: () => cancel(attempt),
  };
}
