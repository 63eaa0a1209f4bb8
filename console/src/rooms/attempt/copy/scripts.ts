/** A whole sign-in as it was, for a terminal and for a program of an application. */
import type { Entry, TimeLine } from '../../../api/types.ts';
import { ascii, asciiJson } from '../../../parts/escapes.ts';
import { canBeCopied, curlOf } from './curl.ts';
import { isMasked } from './masked.ts';

/** What an application calls, in its order; each once. */
const STEPS = ['startAttempt', 'readStatus', 'completeRedirect', 'completeMfa', 'issueToken'];
const START = 'startAttempt';

/** Null where there is no start of an application: in a simulator that runs by itself. */
export function curlScript({ attempt, entries }: TimeLine, origin: string): string | null {
  const steps = STEPS.flatMap((name) => stepOf(entries, name) ?? []);
  if (steps[0]?.name !== START) return null;
  return steps
    .map(({ exchange }, place) => {
      // The attempt that this script starts has an id of its own.
      return curlOf(exchange, origin, place === 0 ? '' : attempt.id);
    })
    .join('\n\n');
}

/** The last of its name that was answered well, or else the last. */
function stepOf(entries: readonly Entry[], name: string) {
  const all = entries.filter((entry) => entry.name === name && canBeCopied(entry));
  const best = all.findLast(({ exchange }) => exchange?.code === null) ?? all.at(-1);
  const exchange = best?.exchange ?? null;
  return exchange === null ? undefined : { name, exchange };
}

/** A sign-in with `@miftah/client`, with the values of this one. Null as for `curlScript`. */
export function clientScript({ entries }: TimeLine, baseUrl: string): string | null {
  const start = stepOf(entries, START);
  if (start === undefined) return null;
  const { request } = start.exchange;
  const body = membersOf(request.body);
  const isByPhone = body['national_id'] !== undefined;
  return [
    `import { createClient } from '@miftah/client';`,
    '',
    ...clientLines(baseUrl, 'authorization' in request.headers),
    ...simulateLines(request.headers['x-simulate']),
    `const attempt = await miftah.start(${startOptions(body)});`,
    isByPhone
      ? 'console.log(attempt.random); // the person chooses it on the phone'
      : 'console.log(attempt.authorizationUrl); // where the browser goes',
    'const end = await attempt.waitForResult();',
    `if (end.status === 'authenticated') {`,
    `  const session = await attempt.issueToken(${issueOptions(entries)});`,
    '  console.log(session.user.name);',
    '}',
  ].join('\n');
}

function clientLines(baseUrl: string, hasKey: boolean): readonly string[] {
  const key = hasKey ? ', clientKey: process.env.CLIENT_KEY' : '';
  return [`const miftah = createClient({ baseUrl: ${literal(baseUrl)}${key} });`];
}

/** The client has no powers of the simulator. */
function simulateLines(scenario: string | undefined): readonly string[] {
  if (scenario === undefined) return [];
  return [`// This attempt began with X-Simulate: ${ascii(scenario)}`];
}

const START_OPTIONS = [
  ['locale', 'locale'],
  ['national_id', 'nationalId'],
  ['return_address', 'returnAddress'],
] as const;

function startOptions(body: Readonly<Record<string, unknown>>): string {
  const options = START_OPTIONS.filter(([name]) => typeof body[name] === 'string').map(
    ([name, option]) => `${option}: ${valueOf(body[name], name)}`,
  );
  return options.length === 0 ? `{ locale: 'ar' }` : `{ ${options.join(', ')} }`;
}

const ISSUE_OPTIONS = [
  ['completion_code', 'completionCode'],
  ['device_name', 'deviceName'],
] as const;

function issueOptions(entries: readonly Entry[]): string {
  const body = membersOf(stepOf(entries, 'issueToken')?.exchange.request.body);
  const options = ISSUE_OPTIONS.filter(([name]) => typeof body[name] === 'string').map(
    ([name, option]) => `${option}: ${valueOf(body[name], name)}`,
  );
  return options.length === 0 ? '' : `{ ${options.join(', ')} }`;
}

/** What was masked is read from the environment. */
function valueOf(value: unknown, name: string): string {
  const text = String(value);
  return isMasked(text, name) ? `process.env.${name.toUpperCase()}` : literal(text);
}

/** A text of JavaScript in printable ASCII. JSON has a backslash before each of its quotes. */
function literal(text: string): string {
  const inner = asciiJson(text)
    .slice(1, -1)
    .replaceAll(String.raw`\"`, '"');
  return `'${inner.replaceAll("'", String.raw`\'`)}'`;
}

function membersOf(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}
