import type { JSX } from 'preact';
import { Code } from '../../parts/code.tsx';
import { fill } from '../../parts/fill.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { durationText } from './duration.ts';

/** What is lost by a move that is longer than attempts are kept. */
export function Keeps({ keepsMs }: { readonly keepsMs: number }): JSX.Element {
  const { title, text } = words.clock.keeps;
  const time = <bdi dir="ltr">{durationText(keepsMs)}</bdi>;
  return (
    <div class="notice" data-testid={testIds.clockKeeps}>
      <p>{title}</p>
      <p>{fill(text, { time, setting: <Code text="RETENTION" /> })}</p>
    </div>
  );
}
