import { isSecretParameter } from './secret-names.ts';

/** Members of an address, or of a form in one. Where one is an address, its own are found too. */
const NAME = /[?&#]([^=&#?\s"'<>]+)=/g;
const VALUE = /[^&#\s"'<>]*/y;

/** A value with a name that says that it is a secret, and where it begins and ends. */
export interface SecretParameter {
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** In the order of the text; none is in another one. */
export function secretParametersIn(text: string): readonly SecretParameter[] {
  const found: SecretParameter[] = [];
  for (const match of text.matchAll(NAME)) {
    const [whole, name = ''] = match;
    const isInside = match.index < (found.at(-1)?.end ?? 0);
    if (isInside || !isSecretParameter(name)) continue;
    const start = match.index + whole.length;
    const value = valueAt(text, start);
    found.push({ value, start, end: start + value.length });
  }
  return found;
}

function valueAt(text: string, start: number): string {
  VALUE.lastIndex = start;
  return VALUE.exec(text)?.[0] ?? '';
}
