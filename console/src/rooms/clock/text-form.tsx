import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { Field } from '../../parts/field.tsx';

type Properties = {
  readonly label: string;
  readonly hint: ComponentChildren;
  readonly send: string;
  readonly testId: string;
  readonly onSend: (text: string) => Promise<void>;
};

/** One text for the clock, and the button that sends it. */
export function TextForm({ label, hint, send, testId, onSend }: Properties): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const take = (event: Event) => {
    event.preventDefault();
    void onSend(field.current?.value.trim() ?? '');
  };
  return (
    <form class="one-field" onSubmit={take}>
      <Field label={label} hint={hint}>
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
