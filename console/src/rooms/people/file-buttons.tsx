import type { PersonRow } from '@miftah/contract/control';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { Action } from '../../api/use-action.ts';
import { Code } from '../../parts/code.tsx';
import { fill } from '../../parts/fill.ts';
import { readJsonFile, saveFile } from '../../platform/file.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { FilePreview } from './file-preview.tsx';
import { fileOf, rowsOf } from './people-file.ts';
import { allPeople } from './use-people.ts';

type Properties = {
  readonly action: Action;
  readonly again: () => Promise<void>;
};

/** Writes all people to a file, and reads such a file. */
export function FileButtons({ action, again }: Properties): JSX.Element {
  const text = words.people;
  const input = useRef<HTMLInputElement>(null);
  const read = useSignal<Read>(null);
  const save = () =>
    action.run(async () => {
      saveFile('people.json', fileOf(await allPeople()));
      return '';
    });
  const take = async () => {
    const [file] = input.current?.files ?? [];
    if (file === undefined) return;
    const rows = rowsOf((await readJsonFile(file))?.content);
    if (rows === null) read.value = 'none';
    else {
      await action.run(async () => {
        read.value = { rows, people: await allPeople() };
        return '';
      });
    }
    // The same file can be chosen again after it was changed.
    if (input.current !== null) input.current.value = '';
  };
  return (
    <>
      <button
        class="secondary"
        type="button"
        data-testid={testIds.savePeople}
        disabled={action.isBusy.value}
        onClick={() => void save()}
      >
        {text.save}
      </button>
      <button class="secondary" type="button" onClick={() => input.current?.click()}>
        {text.load}
      </button>
      <input
        ref={input}
        class="unseen"
        type="file"
        accept=".json,application/json"
        aria-label={text.load}
        tabIndex={-1}
        data-testid={testIds.loadPeople}
        onChange={() => void take()}
      />
      <WhatWasRead
        read={read.value}
        action={action}
        again={again}
        onEnd={() => (read.value = null)}
      />
    </>
  );
}

type Read =
  { readonly rows: readonly PersonRow[]; readonly people: readonly PersonRow[] } | 'none' | null;

/** What is in the file that was chosen, or that it is none. */
function WhatWasRead({
  read,
  ...others
}: Properties & { readonly read: Read; readonly onEnd: () => void }): JSX.Element | null {
  if (read === null) return null;
  if (read !== 'none') return <FilePreview {...read} {...others} />;
  return (
    <p class="notice" role="alert">
      {fill(words.people.file.none, { member: <Code text='"people"' /> })}
    </p>
  );
}
