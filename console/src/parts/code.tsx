import type { JSX } from 'preact';

/** An id, a code or an address: left to right, whatever is around it. */
export function Code({ text }: { readonly text: string }): JSX.Element {
  return (
    <bdi dir="ltr">
      <code>{text}</code>
    </bdi>
  );
}
