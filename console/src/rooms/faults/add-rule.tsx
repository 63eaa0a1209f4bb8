import type { FaultRule } from '@miftah/contract/control';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { Field } from '../../parts/field.tsx';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { FaultFields } from './fault-fields.tsx';
import { KINDS, OPERATIONS, ruleFrom, type Kind, type Operation } from './rule.ts';

type Properties = { readonly onAdd: (rule: FaultRule) => void };

/** A form for one rule, with the fields of its kind. */
export function AddRule({ onAdd }: Properties): JSX.Element {
  const { add } = words.faults;
  const kind = useSignal<Kind>('status');
  const operation = useSignal<Operation>('mfa_request');
  const send = (event: Event) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) {
      onAdd(ruleFrom(new FormData(event.currentTarget)));
    }
  };
  return (
    <form class="panel form" data-testid={testIds.addFault} onSubmit={send}>
      <h2>{add.title}</h2>
      <div class="fields">
        <OperationField chosen={operation.value} onChoose={(one) => (operation.value = one)} />
        <KindField chosen={kind.value} onChoose={(one) => (kind.value = one)} />
        <FaultFields key={kind.value} kind={kind.value} operation={operation.value} />
        <NumberField name="rate" label={add.rate} min={0} max={100} value="100" />
        <NumberField name="seed" label={add.seed} hint={add.seedHint} min={0} max={4_294_967_295} />
        <NumberField name="times" label={add.times} hint={add.timesHint} min={1} max={1_000_000} />
      </div>
      <div class="actions">
        <button class="primary" type="submit">
          {add.send}
        </button>
      </div>
    </form>
  );
}

type Choice<Value> = { readonly chosen: Value; readonly onChoose: (value: Value) => void };

function OperationField({ chosen, onChoose }: Choice<Operation>): JSX.Element {
  const { operation, operations } = words.faults;
  return (
    <Field label={operation}>
      {(described) => (
        <select
          {...described}
          name="operation"
          value={chosen}
          onChange={({ currentTarget: { selectedIndex } }) =>
            onChoose(OPERATIONS[selectedIndex] ?? 'any')
          }
        >
          {OPERATIONS.map((one) => (
            <option key={one} value={one}>
              {operations[one]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function KindField({ chosen, onChoose }: Choice<Kind>): JSX.Element {
  const { add } = words.faults;
  return (
    <Field label={add.kind}>
      {(described) => (
        <select
          {...described}
          name="kind"
          value={chosen}
          onChange={({ currentTarget: { selectedIndex } }) =>
            onChoose(KINDS[selectedIndex] ?? 'status')
          }
        >
          {KINDS.map((one) => (
            <option key={one} value={one}>
              {add[one]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

type Numbered = {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly min: number;
  readonly max: number;
  readonly value?: string;
};

function NumberField({ name, label, hint, min, max, value }: Numbered): JSX.Element {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(described) => (
        <input
          {...described}
          name={name}
          type="number"
          min={min}
          max={max}
          step={name === 'rate' ? 'any' : 1}
          defaultValue={value ?? ''}
          required={value !== undefined}
        />
      )}
    </Field>
  );
}
