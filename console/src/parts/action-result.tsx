import type { JSX } from 'preact';
import type { Action } from '../api/use-action.ts';
import { testIds } from '../test-ids.ts';
import { Failed } from './failed.tsx';

type Properties = {
  readonly action: Action;
  /** Why it did not work is told elsewhere. */
  readonly isAtField?: boolean;
};

/** What became of an action: a sentence that screen readers say, or why it did not work. */
export function ActionResult({ action, isAtField = false }: Properties): JSX.Element {
  return (
    <>
      <p class="said" role="status" data-testid={testIds.said}>
        {action.said.value}
      </p>
      {isAtField ? null : <Failed failure={action.failure.value} />}
    </>
  );
}
