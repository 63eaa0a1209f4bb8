import type { ComponentChildren } from 'preact';
import type { ControlError } from '@miftah/contract/control-client';
import { words } from '../words/index.ts';
import { fill } from './fill.ts';
import { named } from './named.ts';
import { Outside } from './outside.tsx';

/** Why a call did not work: in the page's language, or else the first sentence of the API's text. */
export function failureText({ status, code, message }: ControlError): ComponentChildren {
  const { fault, unreachable } = words.frame;
  if (status === null) return unreachable;
  const known: Readonly<Record<string, string>> = words.failures;
  if (code !== null && Object.hasOwn(known, code)) return named(known, code);
  const [sentence = message] = /^.*?[.:](?=\s|$)/s.exec(message) ?? [];
  const said = (
    <span lang="en" dir="ltr">
      <Outside text={sentence} />
    </span>
  );
  return fill(fault, { message: said });
}
