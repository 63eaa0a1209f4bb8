import type { JSX } from 'preact';
import type { ApiFailure } from '../api/failure.ts';
import { words } from '../words/index.ts';
import { fill } from './fill.ts';
import { Outside } from './outside.tsx';

/** Why a call did not work; nothing while there is no failure. */
export function Failed({ failure }: { readonly failure: ApiFailure | null }): JSX.Element | null {
  if (failure === null) return null;
  const { fault, unreachable } = words.frame;
  return (
    <p class="notice" role="alert">
      {failure.status === null
        ? unreachable
        : fill(fault, { message: <Outside text={failure.message} /> })}
    </p>
  );
}
