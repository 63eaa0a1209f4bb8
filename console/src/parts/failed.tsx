import type { JSX } from 'preact';
import type { ControlError } from '@miftah/contract/control-client';
import { failureText } from './failure-text.tsx';

/** Why a call did not work; nothing while there is no failure. */
export function Failed({ failure }: { readonly failure: ControlError | null }): JSX.Element | null {
  if (failure === null) return null;
  return (
    <p class="notice" role="alert">
      {failureText(failure)}
    </p>
  );
}
