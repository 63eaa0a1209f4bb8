import type { Signal } from '@preact/signals';
import type { JSX } from 'preact';
import { testIds } from '../test-ids.ts';
import { Field } from './field.tsx';
import { folded } from '@miftah/contract/folded';

type Properties = { readonly label: string; readonly wanted: Signal<string> };

/** What a list is to be about. */
export function SearchField({ label, wanted }: Properties): JSX.Element {
  return (
    <Field label={label}>
      {(described) => (
        <input
          {...described}
          type="search"
          data-testid={testIds.search}
          onInput={({ currentTarget }) => (wanted.value = currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** Whether what somebody looks for is in one of the texts, however its letters are written. */
export function hasText(wanted: string, texts: readonly (string | null)[]): boolean {
  return folded(texts.join('\n')).includes(folded(wanted).trim());
}
