import type { JSX } from 'preact';
import { page } from '../page.ts';
import { fill } from '../parts/fill.ts';
import { testIds } from '../test-ids.ts';
import { words } from '../words/index.ts';

type Properties = { readonly state: 'connecting' | 'live' | 'away' };

/** Whether the page hears of what happens, the scope if it is not the usual one, and the phone. */
export function Connection({ state }: Properties): JSX.Element {
  const { frame } = words;
  return (
    <div class="connection">
      {page.isUsualScope ? null : (
        <span class="badge">{fill(frame.scope, { scope: <bdi dir="ltr">{page.scope}</bdi> })}</span>
      )}
      <a href={page.phone}>{frame.phone}</a>
      <span
        class="live"
        role="status"
        title={frame[state]}
        data-state={state}
        data-testid={testIds.connection}
      >
        {frame[state]}
      </span>
    </div>
  );
}
