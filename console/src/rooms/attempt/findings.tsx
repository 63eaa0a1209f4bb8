import type { JSX } from 'preact';
import type { Finding } from '@miftah/contract/control';
import { page } from '../../page.ts';
import { Coded } from '../../parts/coded.tsx';
import { fill } from '../../parts/fill.ts';
import { linkTo } from '../../router.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';

type Properties = { readonly findings: readonly Finding[]; readonly id: string };

/** What the simulator's coach has noticed, with links to the entries that show it. */
export function Findings({ findings, id }: Properties): JSX.Element | null {
  const copy = words.attempt.findings;
  if (findings.length === 0) return null;
  return (
    <section class="findings" aria-labelledby="findings" data-testid={testIds.findings}>
      <h2 id="findings">{copy.title}</h2>
      <ul>
        {findings.map(({ rule, title, advice, entries }) => (
          <li key={rule}>
            <h3>
              <Coded text={title[page.locale]} />
            </h3>
            <p>
              <Coded text={advice[page.locale]} />
            </p>
            {entries.length === 0 ? null : (
              <p class="hint">
                {copy.seen}{' '}
                {entries.map((number, place) => (
                  <>
                    {place === 0 ? null : ' · '}
                    <a href={linkTo('attempts', id, String(number))}>
                      {fill(copy.entry, { number })}
                    </a>
                  </>
                ))}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
