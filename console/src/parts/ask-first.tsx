import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { testIds } from '../test-ids.ts';
import { words } from '../words/index.ts';

type Properties = {
  /** On the button that asks, and on the one that does it. */
  readonly label: string;
  readonly name?: string;
  readonly title: ComponentChildren;
  readonly text: ComponentChildren;
  readonly disabled?: boolean;
  readonly testId?: string;
  readonly onYes: () => void;
};

/** A button for what can't be undone: it asks first. */
export function AskFirst(properties: Properties): JSX.Element {
  const { label, name, disabled = false, testId } = properties;
  const isOpen = useSignal(false);
  return (
    <>
      <button
        class="secondary small"
        type="button"
        aria-label={name}
        aria-haspopup="dialog"
        disabled={disabled}
        data-testid={testId}
        onClick={() => (isOpen.value = true)}
      >
        {label}
      </button>
      {isOpen.value ? <Question {...properties} onClose={() => (isOpen.value = false)} /> : null}
    </>
  );
}

function Question({
  label,
  title,
  text,
  onYes,
  onClose,
}: Properties & { readonly onClose: () => void }): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  const [titleId, textId] = [useId(), useId()];
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const yes = () => {
    dialog.current?.close();
    onYes();
  };
  return (
    <dialog ref={dialog} aria-labelledby={titleId} aria-describedby={textId} onClose={onClose}>
      <h2 id={titleId}>{title}</h2>
      <p id={textId}>{text}</p>
      <div class="actions">
        <button class="primary" type="button" data-testid={testIds.yes} onClick={yes}>
          {label}
        </button>
        <button class="secondary" type="button" onClick={() => dialog.current?.close()}>
          {words.parts.no}
        </button>
      </div>
    </dialog>
  );
}
