import type { JSX } from 'preact';
import { Field } from '../../parts/field.tsx';
import { words } from '../../words/index.ts';
import { ANSWERS, RECORDS, STATUSES, type Kind, type Operation } from './rule.ts';

type Properties = { readonly kind: Kind; readonly operation: Operation };

/** The fields of one kind of fault. */
export function FaultFields({ kind, operation }: Properties): JSX.Element {
  const { add } = words.faults;
  if (kind === 'status') {
    const statuses = STATUSES.map((status) => [String(status), String(status)] as const);
    return <Select name="status" label={add.status} hint={add.statusHint} options={statuses} />;
  }
  if (kind === 'record') {
    const records = RECORDS[operation].map((code) => [code, code] as const);
    return <Select name="record" label={add.record} hint={add.recordHint} options={records} />;
  }
  if (kind === 'answer') {
    const answers = ANSWERS.map((name) => [name, add[name]] as const);
    return <Select name="answer" label={add.answer} hint={add.answerHint} options={answers} />;
  }
  return (
    <>
      <Delay name="min" label={add.min} value="50" />
      <Delay name="max" label={add.max} value="400" />
    </>
  );
}

type Choices = {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly options: readonly (readonly [value: string, label: string])[];
};

function Select({ name, label, hint, options }: Choices): JSX.Element {
  return (
    <Field label={label} hint={hint}>
      {(described) => (
        <select {...described} name={name}>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type Delayed = { readonly name: string; readonly label: string; readonly value: string };

function Delay({ name, label, value }: Delayed): JSX.Element {
  return (
    <Field label={label} hint={words.faults.add.latencyHint}>
      {(described) => (
        <input
          {...described}
          name={name}
          type="number"
          min="0"
          max="10000"
          step="1"
          defaultValue={value}
          required
        />
      )}
    </Field>
  );
}
