import type { JSX } from 'preact';
import { Command } from '../../parts/command.tsx';
import { fill } from '../../parts/fill.ts';
import { page } from '../../page.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';

/** Nobody has signed in yet: how to begin. */
export function Empty(): JSX.Element {
  const { empty } = words.attempts;
  const { base } = page;
  return (
    <div class="first-steps" data-testid={testIds.empty}>
      <h2>{empty.title}</h2>
      {base === null ? <p>{empty.elsewhere}</p> : <First base={base} />}
      <p>
        {fill(base === null ? empty.phoneAlone : empty.pages, {
          phone: <a href={page.phone}>{words.frame.phone}</a>,
          home: <a href={`/?locale=${page.locale}`}>{empty.home}</a>,
        })}
      </p>
    </div>
  );
}

function First({ base }: { readonly base: string }): JSX.Element {
  const { empty } = words.attempts;
  const json = `-H 'Content-Type: application/json'`;
  const person = `{"locale":"${page.locale}","national_id":"1000001101"}`;
  return (
    <>
      <p>{empty.text}</p>
      <Command label={empty.byPhone} text={`curl -s ${base}/start ${json} -d '${person}'`} />
      <Command
        label={empty.byBrowser}
        text={`curl -s ${base}/start ${json} -d '{"locale":"${page.locale}"}'`}
      />
    </>
  );
}
