import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

/** What a control needs to belong to its label, its hint and its fault. */
export type Described = {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
};

type Properties = {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren | undefined;
  /** What is wrong; null if nothing is. */
  readonly fault?: ComponentChildren;
  readonly children: (described: Described) => JSX.Element;
};

/** A control with its label, a hint, and what is wrong with it. */
export function Field({ label, hint, fault = null, children }: Properties): JSX.Element {
  const id = useId();
  const hintId = hint === undefined ? null : `${id}-hint`;
  const faultId = fault === null ? null : `${id}-fault`;
  const describedBy = [faultId, hintId].filter((one) => one !== null).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
        'aria-invalid': fault === null ? undefined : true,
      })}
      {fault === null ? null : (
        <p id={`${id}-fault`} class="fault">
          {fault}
        </p>
      )}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}
