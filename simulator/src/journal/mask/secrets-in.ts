import { decodingsOf } from './decodings.ts';
import { MOST_DEPTH, type Entry, type Message } from '../entry.ts';
import { secretParametersIn } from './parameters.ts';
import { isSecretName } from './secret-names.ts';

/** A shorter value says nothing, and would be found in everything. */
const LEAST_CHARACTERS = 8;
/** More than any attempt has; each is looked for in every text. */
const MOST_SECRETS = 500;

/**
 * The secrets that stand in these entries under a name that says so. They are masked wherever else
 * they stand: in a path, in the text of an error. The longest first, since one can begin another.
 * @param entries with bodies as `readable` makes them
 */
export function secretsIn(entries: readonly Entry[]): readonly string[] {
  const found = new Set(entries.flatMap(secretsOf));
  const long = [...found].filter(({ length }) => length >= LEAST_CHARACTERS);
  return long.slice(0, MOST_SECRETS).toSorted((one, other) => other.length - one.length);
}

function secretsOf({ exchange }: Entry): readonly string[] {
  if (exchange === null) return [];
  const { path, request, response } = exchange;
  return [...inText(path), ...inMessage(request), ...inMessage(response)];
}

function inMessage({ headers, body }: Message): readonly string[] {
  const named = Object.entries(headers).flatMap(([name, value]) =>
    isSecretName(name) ? inHeader(name, value) : inText(value),
  );
  return [...named, ...inValue(body, 0)];
}

/** What a server says of a cookie. Its path is one that others have too. */
const ATTRIBUTE = /^(?:domain|expires|max-age|path|samesite)=/i;

/** Of `Bearer x`, of `a=x; b=y; Path=/`, or of the value as it is. */
function inHeader(name: string, value: string): readonly string[] {
  const credentials = value.replace(/^(Bearer|Basic) +/i, '');
  const cookies = value
    .split(/[;,] */)
    .filter((part) => name !== 'set-cookie' || !ATTRIBUTE.test(part))
    .map((part) => part.slice(part.indexOf('=') + 1));
  return [credentials, ...cookies];
}

function inValue(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return inText(value);
  if (typeof value !== 'object' || value === null || depth >= MOST_DEPTH) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    isSecretName(name) && typeof member === 'string' ? [member] : inValue(member, depth + 1),
  );
}

/** An address may be a parameter of another one, so each decoding of the text is looked at. */
function inText(text: string): readonly string[] {
  return decodingsOf(text).texts.flatMap((layer) =>
    secretParametersIn(layer).flatMap(({ value }) => formsOf(value)),
  );
}

/** As it is written, and as it is read. */
function formsOf(value: string): readonly string[] {
  const asForm = value.replaceAll('+', ' ');
  return [...decodingsOf(value).texts, ...decodingsOf(asForm).texts];
}
