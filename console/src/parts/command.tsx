import type { JSX } from 'preact';
import { words } from '../words/index.ts';
import { CopyButton } from './copy-button.tsx';

type Properties = { readonly label: string; readonly text: string };

/** Lines for a terminal or an editor, to be copied. */
export function Command({ label, text }: Properties): JSX.Element {
  return (
    <figure class="command">
      <figcaption>
        {label}
        <CopyButton text={text} label={words.common.copy} isQuiet />
      </figcaption>
      <pre dir="ltr" tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
