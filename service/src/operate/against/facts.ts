import { GATEWAY_TEXTS } from '../../provider/call/verdict.ts';
import type { WireReply } from '../../provider/call/transport.ts';
import type { Body } from '../../provider/call/read-body.ts';
import type { JsonValue } from '../../provider/strict-json.ts';

/**
 * What can be said of an answer without repeating anything of it: a form for each place. A place is
 * `status`, `content type`, `header NAME`, `body`, or that of a member (`body.keys[].kty`), or of a
 * parameter of an address (`body.url?state`).
 */
export type Facts = ReadonlyMap<string, string>;

/** Headers that tell a caller what to do. */
const TOLD_HEADERS = ['location', 'retry-after', 'www-authenticate', 'set-cookie'];
/** Others may be made up, and may be secrets or escapes for a terminal. */
const PLAIN_TYPE = /^[a-z]+\/[a-z.+-]{1,40}$/;
/** So that a provider that answers nonsense does not fill the terminal. */
const MOST_PLACES = 60;
const PLAIN_NAME = /^[A-Za-z_](?:[A-Za-z_-]|\d(?!\d{2})){0,39}$/;
const HIDDEN_NAME = '(a name that is not shown)';

/** @param sent texts of the request, which an answer may repeat */
export function factsOf(reply: WireReply, sent: readonly string[]): Facts {
  const facts = new Map([
    ['status', String(reply.status)],
    ['content type', typeOf(reply)],
    ...TOLD_HEADERS.map(
      (name) =>
        [`header ${name}`, reply.headerNames.includes(name) ? 'there' : 'not there'] as const,
    ),
  ]);
  describeBody(reply.body, sent, facts);
  return facts;
}

function typeOf({ contentType }: WireReply): string {
  if (contentType === '') return 'none';
  return PLAIN_TYPE.test(contentType) ? contentType : 'another';
}

const FAULTS = {
  too_large: 'more than 256 KiB',
  encoding: 'an encoding that was not asked for',
  not_json: 'no text',
  malformed: 'JSON that can’t be read',
} as const;

function describeBody(body: Body, sent: readonly string[], facts: Map<string, string>): void {
  if (body.kind === 'fault') facts.set('body', FAULTS[body.fault]);
  else if (body.kind === 'json') describe(body.value, 'body', { sent, facts });
  else facts.set('body', formOfText(body.text.trim()));
}

function formOfText(text: string): string {
  if (text === '') return 'nothing';
  if (GATEWAY_TEXTS.has(text)) return `the text "${text}"`;
  return text.startsWith('<') ? 'a page' : 'a text';
}

interface Description {
  readonly sent: readonly string[];
  readonly facts: Map<string, string>;
}

/** Adds the form of a JSON value, and of all that is in it, to the facts. */
export function describe(value: JsonValue, place: string, into: Description): void {
  const { facts } = into;
  if (facts.size >= MOST_PLACES) return;
  const form = formOf(value, into.sent);
  const known = facts.get(place);
  facts.set(place, known === undefined || known === form ? form : bothForms(known, form));
  if (typeof value === 'string') describeQuery(value, place, into);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) describe(item, `${place}[]`, into);
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    describe(member, `${place}.${shown(name, into.sent)}`, into);
  }
}

/** The items of a list may differ from each other. */
function bothForms(known: string, form: string): string {
  return [...new Set([...known.split(' or '), form])].toSorted().join(' or ');
}

function describeQuery(text: string, place: string, { sent, facts }: Description): void {
  const query = /^https?:/.test(text) ? URL.parse(text)?.searchParams : undefined;
  for (const [name, value] of query ?? []) {
    if (facts.size < MOST_PLACES) facts.set(`${place}?${shown(name, sent)}`, formOf(value, sent));
  }
}

/** A name is shown if it is a plain word, and has nothing of what was sent in it. */
function shown(name: string, sent: readonly string[]): string {
  const isPlain = PLAIN_NAME.test(name) && !sent.some((text) => name.includes(text));
  return isPlain ? name : HIDDEN_NAME;
}

function formOf(value: JsonValue, sent: readonly string[]): string {
  if (value === null) return 'null';
  if (typeof value === 'string') {
    return sent.includes(value) ? 'what was sent' : (formOfString(value) ?? 'text');
  }
  if (typeof value === 'number') return Number.isInteger(value) ? 'a whole number' : 'a number';
  if (typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'a list' : 'an object';
}

/** Words of a protocol, which are of no person. */
const WORDS = new Set(
  'RSA EC RS256 PS256 ES256 sig enc WAITING COMPLETED REJECTED EXPIRED openid id_token form_post login none'.split(
    ' ',
  ),
);

const FORMS: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/^\d{3}-\d{3}-\d{3}$/, (code) => code],
  [/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i, () => 'a UUID'],
  [/^\d{2}-\d{2}-\d{4}$/, () => 'a date DD-MM-YYYY'],
  [/^\d{4}-\d{2}-\d{2}$/, () => 'a date YYYY-MM-DD'],
  [/^\d+$/, ({ length }) => (length === 1 ? '1 digit' : `${length} digits`)],
  [/^https?:\/\//, () => 'an address'],
  [/^[\w-]+\.[\w-]+\.[\w-]+$/, () => 'a signed token'],
  [/^(?=.*[+/=])[A-Za-z\d+/]{40,}={0,2}$/, ({ length }) => `${length} characters of Base64`],
  [/^[A-Za-z]$/, () => 'a letter'],
];

function formOfString(text: string): string | undefined {
  if (WORDS.has(text)) return `"${text}"`;
  return FORMS.find(([pattern]) => pattern.test(text))?.[1](text);
}
