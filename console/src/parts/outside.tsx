import type { JSX } from 'preact';
import { visible } from './visible.ts';

type Properties = {
  readonly text: string;
  readonly class?: string;
  /** For codes and addresses, which are left to right in any language. */
  readonly ltr?: boolean;
};

/** A text that came from outside: shown as it is, apart from what is around it. */
export function Outside({ text, class: name, ltr = false }: Properties): JSX.Element {
  return (
    <bdi class={name} dir={ltr ? 'ltr' : undefined}>
      {visible(text)}
    </bdi>
  );
}
