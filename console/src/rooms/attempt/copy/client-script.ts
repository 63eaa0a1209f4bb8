/** A whole sign-in as a program of an application. */
import type { TimeLine } from '@miftah/contract/control';
import { ascii, asciiJson } from '../../../parts/escapes.ts';
import { isMasked } from './masked.ts';
import { membersOf, stepOf, type Step } from './steps.ts';

/**
 * A sign-in with `@miftah/client`, with the values of this one. Null where there is no start of an
 * application: in a simulator that runs by itself.
 */
export function clientScript(line: TimeLine, baseUrl: string): string | null {
  const start = stepOf(line, 'startAttempt');
  if (start === undefined) return null;
  const { headers, body } = start.exchange.request;
  const client = [
    ...clientLines(baseUrl, 'authorization' in headers),
    ...simulateLines(headers['x-simulate']),
  ];
  const isByPhone = membersOf(body)['national_id'] !== undefined;
  const lines = isByPhone ? phoneLines(line, start, client) : browserLines(line, start, client);
  return lines.join('\n');
}

const IMPORT = `import { createClient } from '@miftah/client';`;

function phoneLines(line: TimeLine, start: Step, client: readonly string[]): readonly string[] {
  const issued = optionsOf(ISSUE_OPTIONS, stepOf(line, 'issueToken'));
  return [
    IMPORT,
    '',
    ...client,
    `const attempt = await miftah.start(${literalOf(startOptions(start))});`,
    'console.log(attempt.random); // the person chooses it on the phone',
    'const end = await attempt.waitForResult();',
    `if (end.status === 'authenticated') {`,
    `  const session = await attempt.issueToken(${issued.length === 0 ? '' : literalOf(issued)});`,
    '  console.log(session.user.name);',
    '} else {',
    '  console.log(end.status, end.message);',
    '}',
  ];
}

/** The completion code comes back in the browser, so it takes a server. */
function browserLines(line: TimeLine, start: Step, client: readonly string[]): readonly string[] {
  const options = literalOf([...startOptions(start), 'returnAddress']);
  const finish = literalOf([
    'returned: request.url',
    ...optionsOf(ISSUE_OPTIONS, stepOf(line, 'issueToken')),
  ]);
  return [
    `import { randomUUID } from 'node:crypto';`,
    `import { createServer } from 'node:http';`,
    IMPORT,
    '',
    ...client,
    'const login = miftah.createLogin(new Map()); // use the store of your sessions',
    '',
    'async function answer(request, response) {',
    `  if (request.url === '/') {`,
    '    const session = randomUUID(); // a new one for each sign-in',
    '    const returnAddress = `http://${request.headers.host}/return`;',
    `    const attempt = await login.start(session, ${options});`,
    "    response.setHeader('set-cookie', `session=${session}; HttpOnly; SameSite=Lax; Path=/`);",
    '    response.writeHead(303, { location: attempt.authorizationUrl }).end();',
    '    return;',
    '  }',
    "  const [, session = 'none'] = /(?:^|; )session=([\\w-]+)/.exec(request.headers.cookie ?? '') ?? [];",
    `  const { outcome, token } = await login.finish(session, ${finish});`,
    "  response.setHeader('content-type', 'text/plain; charset=utf-8');",
    "  response.end(`${outcome} ${token?.user.name ?? ''}`);",
    '}',
    '',
    'const server = createServer((request, response) => {',
    '  answer(request, response).catch((error) => {',
    '    response.writeHead(502).end(error.code ?? error.message);',
    '  });',
    '});',
    'const port = Number(process.env.PORT ?? 8080);',
    "server.listen(port, '127.0.0.1', () => console.log(`Open http://127.0.0.1:${port}/`));",
  ];
}

function clientLines(baseUrl: string, hasKey: boolean): readonly string[] {
  const key = hasKey ? ', clientKey: process.env.MIFTAH_KEY' : '';
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
] as const;
const ISSUE_OPTIONS = [['device_name', 'deviceName']] as const;

function startOptions(start: Step): readonly string[] {
  const options = optionsOf(START_OPTIONS, start);
  return options.length === 0 ? [`locale: 'ar'`] : options;
}

type Options = readonly (readonly [member: string, option: string])[];

function optionsOf(names: Options, step: Step | undefined): readonly string[] {
  const body = membersOf(step?.exchange.request.body);
  return names
    .filter(([name]) => typeof body[name] === 'string')
    .map(([name, option]) => `${option}: ${valueOf(body[name], name)}`);
}

const literalOf = (members: readonly string[]) => `{ ${members.join(', ')} }`;

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
