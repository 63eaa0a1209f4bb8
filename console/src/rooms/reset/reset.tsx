import type { JSX } from 'preact';
import { call } from '../../api/call.ts';
import { useAction } from '../../api/use-action.ts';
import { page } from '../../page.ts';
import { AskFirst } from '../../parts/ask-first.tsx';
import { Code } from '../../parts/code.tsx';
import { fill } from '../../parts/fill.ts';
import { ActionResult } from '../../parts/action-result.tsx';
import { Title } from '../../parts/title.tsx';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';

/** Takes the scope back to the start, and says before what that means. */
export function Reset(): JSX.Element {
  const { reset } = words;
  const action = useAction();
  const scope = { scope: <Code text={page.scope} /> };
  const work = async () => {
    const { prompts } = await call('resetScope', { body: {} });
    return reset.said.replace('{count}', String(prompts));
  };
  return (
    <>
      <Title>{reset.title}</Title>
      <p class="lead">{fill(reset.lead, scope)}</p>
      <h2>{reset.does}</h2>
      <ul>
        {[
          reset.people,
          reset.queue,
          reset.faults,
          reset.waiting,
          reset.timeLines,
          reset.imported,
        ].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <h2>{reset.stays}</h2>
      <ul>
        {[reset.attempts, reset.clock].map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <div class="actions">
        <AskFirst
          label={reset.button}
          title={fill(reset.sure, scope)}
          text={reset.sureText}
          testId={testIds.reset}
          onYes={() => void action.run(work)}
        />
      </div>
      <ActionResult action={action} />
    </>
  );
}
