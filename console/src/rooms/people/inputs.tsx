import type { ComponentChildren, JSX } from 'preact';
import { Field } from '../../parts/field.tsx';
import { faultText } from './fault-text.tsx';

/** What is wrong, by the name of the field. */
export type Faults = ReadonlyMap<string, string>;

type Named = {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly faults: Faults;
  readonly hint?: ComponentChildren | undefined;
};

/** The mark of what has to be written; screen readers are told by the field. */
export function Needed(): JSX.Element {
  return <span class="needed">*</span>;
}

const marked = (label: string) => (
  <>
    {label}{' '}
    <span aria-hidden="true">
      <Needed />
    </span>
  </>
);

type TextProperties = Named & {
  /** From left to right, whatever the language of the page. */
  readonly isLatin?: boolean;
  /** Digits only, of any keyboard. */
  readonly isNumber?: boolean;
  readonly isFixed?: boolean;
  readonly isOptional?: boolean;
};

export function Text(properties: TextProperties): JSX.Element {
  const { name, label, value, faults, hint, isLatin, isNumber, isFixed } = properties;
  const { isOptional = false } = properties;
  return (
    <Field
      label={isOptional ? label : marked(label)}
      hint={hint}
      fault={faultText(faults.get(name))}
    >
      {(described) => (
        <input
          {...described}
          name={name}
          defaultValue={value}
          dir={isLatin === true ? 'ltr' : 'auto'}
          inputmode={isNumber === true ? 'numeric' : undefined}
          readOnly={isFixed === true}
          required={!isOptional}
          autocomplete="off"
          spellcheck={false}
        />
      )}
    </Field>
  );
}

type ChoiceProperties = Named & {
  readonly options: readonly (readonly [value: string, label: string])[];
};

export function Choice(properties: ChoiceProperties): JSX.Element {
  const { name, label, value, faults, hint, options } = properties;
  return (
    <Field label={label} hint={hint} fault={faultText(faults.get(name))}>
      {(described) => (
        <select {...described} name={name}>
          {options.map(([one, text]) => (
            <option key={one} value={one} selected={one === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
