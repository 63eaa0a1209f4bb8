import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Field } from '../../parts/field.tsx';

type Properties = {
  readonly label: string;
  readonly hint: ComponentChildren;
  /** What is wrong with the text that was sent; null if nothing is. */
  readonly fault: ComponentChildren;
  readonly send: string;
  readonly testId: string;
  readonly onSend: (text: string) => Promise<void>;
};

/** One text for the clock, and the button that sends it. */
export function TextForm(properties: Properties): JSX.Element {
  const { label, hint, fault, send, testId, onSend } = properties;
  const field = useRef<HTMLInputElement>(null);
  const isWrong = fault !== null;
  useEffect(() => {
    if (isWrong) field.current?.focus();
  }, [isWrong]);
  const take = (event: Event) => {
    event.preventDefault();
    void onSend(field.current?.value.trim() ?? '');
  };
  return (
    <form class="one-field" onSubmit={take}>
      <Field label={label} hint={hint} fault={fault}>
        {(described) => (
          <input
            {...described}
            ref={field}
            dir="ltr"
            autocomplete="off"
            required
            data-testid={testId}
          />
        )}
      </Field>
      <button class="secondary" type="submit">
        {send}
      </button>
    </form>
  );
}
