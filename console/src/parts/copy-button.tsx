import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { copyText } from '../platform/clipboard.ts';
import { words } from '../words/index.ts';

type Properties = {
  /** As a link, where it stands beside what it copies. */
  readonly isQuiet?: boolean;
  /** A function where it is long to make, and seldom copied. */
  readonly text: string | (() => string);
  readonly label: string;
  /** Says more than the label where several stand below each other. */
  readonly name?: string;
  readonly disabled?: boolean;
  readonly testId?: string;
};

/** Copies a text. Where the browser does not allow it, it shows the text to be copied by hand. */
export function CopyButton(properties: Properties): JSX.Element {
  const { isQuiet = false, text, label, name, disabled = false, testId } = properties;
  const result = useSignal<'none' | 'copied' | 'refused'>('none');
  const { copied, byHand } = words.parts;
  const copy = async () => {
    result.value = (await copyText(textOf(text))) ? 'copied' : 'refused';
  };
  return (
    <span class="copy">
      <button
        class={isQuiet ? 'quiet' : 'secondary small'}
        type="button"
        aria-label={name}
        disabled={disabled}
        data-testid={testId}
        onClick={() => void copy()}
        onBlur={() => (result.value = 'none')}
      >
        {label}
      </button>
      <span role="status" class="copied">
        {result.value === 'copied' ? copied : null}
        {result.value === 'refused' ? (
          <>
            {byHand} <code dir="ltr">{textOf(text)}</code>
          </>
        ) : null}
      </span>
    </span>
  );
}

function textOf(text: Properties['text']): string {
  return typeof text === 'string' ? text : text();
}
