import type { NameRow } from '@miftah/contract/control';
import type { JSX } from 'preact';
import { words } from '../../words/index.ts';
import { Text, type Faults } from './inputs.tsx';
import { PARTS } from './person.ts';

type Properties = {
  readonly name: 'arabic_name' | 'english_name';
  readonly row: NameRow;
  readonly faults: Faults;
};

/** The four parts of a name, which are sent with the whole name that they make. */
export function NameFields({ name, row, faults }: Properties): JSX.Element {
  const { form } = words.people;
  return (
    <fieldset class="group">
      <legend>{name === 'arabic_name' ? form.arabicName : form.englishName}</legend>
      <div class="fields">
        {PARTS.map((part) => (
          <Text
            key={part}
            name={`${name}.${part}`}
            label={form[part]}
            value={row[part] ?? ''}
            faults={faults}
            isOptional={part !== 'first'}
          />
        ))}
      </div>
      <p class="hint">{form.partsHint}</p>
    </fieldset>
  );
}
