import type { JSX } from 'preact';
import { Code } from './code.tsx';
import { visible } from './visible.ts';

/** A text of the simulator with codes between backticks: they are left to right in any language. */
export function Coded({ text }: { readonly text: string }): JSX.Element {
  // Codes are at odd places.
  const parts = text.split('`').map(visible);
  return (
    <bdi>
      {parts.map((part, place) => (place % 2 === 0 ? part : <Code key={place} text={part} />))}
    </bdi>
  );
}
