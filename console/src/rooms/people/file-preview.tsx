import type { PersonRow } from '@miftah/contract/control';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { call } from '../../api/call.ts';
import { ControlError } from '@miftah/contract/control-client';
import type { Action } from '../../api/use-action.ts';
import { Code } from '../../parts/code.tsx';
import { fill } from '../../parts/fill.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { compared, inOrder } from './people-file.ts';

type Properties = {
  readonly rows: readonly PersonRow[];
  readonly people: readonly PersonRow[];
  readonly action: Action;
  readonly again: () => Promise<void>;
  readonly onEnd: () => void;
};

type Refused = { readonly id: string; readonly message: string };

/** What a file would change, before it does. */
export function FilePreview({ rows, people, action, again, onEnd }: Properties): JSX.Element {
  const { file } = words.people;
  const refused = useSignal<readonly Refused[]>([]);
  const differences = compared(rows, people);
  const sent = inOrder(differences);
  const send = () =>
    action.run(async () => {
      refused.value = await putAll(sent);
      await again();
      if (refused.value.length === 0) onEnd();
      return file.said.replace('{count}', String(sent.length - refused.value.length));
    });
  const counts = {
    added: differences.added.length,
    changed: differences.changed.length,
    same: differences.same.length,
  };
  return (
    <section class="panel" data-testid={testIds.peopleFile}>
      <h2>{file.title}</h2>
      <p>{sent.length === 0 ? file.nothing : fill(file.text, counts)}</p>
      {refused.value.map(({ id, message }) => (
        <p key={id} class="fault">
          {fill(file.refused, { id: <Code text={id} /> })} <bdi lang="en">{message}</bdi>
        </p>
      ))}
      <div class="actions">
        {sent.length === 0 ? null : (
          <button
            class="primary"
            type="button"
            disabled={action.isBusy.value}
            data-testid={testIds.takeFile}
            onClick={() => void send()}
          >
            {file.send}
          </button>
        )}
        <button class="secondary" type="button" onClick={onEnd}>
          {file.dismiss}
        </button>
      </div>
    </section>
  );
}

/** One after the other. @returns those that the simulator did not take, and why */
async function putAll(rows: readonly PersonRow[]): Promise<readonly Refused[]> {
  const refused: Refused[] = [];
  for (const row of rows) {
    try {
      await call('putPerson', { id: row.id, body: row });
    } catch (error) {
      if (!(error instanceof ControlError)) throw error;
      refused.push({ id: row.id, message: error.message });
    }
  }
  return refused;
}
