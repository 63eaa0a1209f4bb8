import type { JSX } from 'preact';
import { page } from '../../page.ts';
import { Code } from '../../parts/code.tsx';
import { fill } from '../../parts/fill.ts';
import { linkTo } from '../../router.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';

/** Why the clock can't be moved from this page. */
export function Fixed(): JSX.Element {
  const { title, scope, shared, open } = words.clock.fixed;
  const byDefault = { scope: <Code text="default" /> };
  const isOther = !page.isUsualScope;
  return (
    <div class="notice" data-testid={testIds.clockFixed}>
      <p>{title}</p>
      <p>
        {isOther ? fill(scope, byDefault) : fill(shared, { setting: <Code text="DATABASE_URL" /> })}
      </p>
      {isOther ? (
        <p>
          <a href={`?locale=${page.locale}${linkTo('clock')}`}>{fill(open, byDefault)}</a>
        </p>
      ) : null}
    </div>
  );
}
