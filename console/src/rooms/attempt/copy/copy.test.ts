import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { Entry, Exchange, Row, TimeLine } from '../../../api/types.ts';
import { curlOf } from './curl.ts';
import { clientScript, curlScript } from './scripts.ts';

const ORIGIN = 'http://127.0.0.1:3000';
const ID = '019a9d3c-1b2e-7c41-9f0a-3d5e6f708192';

type Sent = Partial<Exchange> & { readonly body?: unknown; readonly headers?: object };

function exchange({ body = null, headers = {}, ...rest }: Sent): Exchange {
  return {
    method: body === null ? 'GET' : 'POST',
    path: '/api/v1/start',
    status: 200,
    code: null,
    duration_ms: 1,
    request: { headers: { ...headers }, body },
    response: { headers: {}, body: null },
    ...rest,
  };
}

function timeLine(...calls: readonly [name: string, call: Exchange][]): TimeLine {
  const entries = calls.map(([name, call], index): Entry => ({
    number: index + 1,
    at: '',
    side: 'area_a',
    name,
    exchange: call,
    act: null,
  }));
  return { attempt: { id: ID } as Row, entries, left_out: 0, findings: [] };
}

/** What a shell makes of a command: its words, one a line. */
function wordsOf(command: string, variables: Record<string, string> = {}): string[] {
  const script = `curl() { printf '%s\\n' "$@"; }\n${command}`;
  const output = execFileSync('sh', ['-c', script], { env: variables, encoding: 'utf8' });
  return output.trimEnd().split('\n');
}

describe('a request as curl', () => {
  it('is sent again as it was', () => {
    const body = {
      locale: 'ar',
      national_id: '1000001101',
      device_name: `it's "أمل" $HOME \`id\``,
    };
    const command = curlOf(
      exchange({ body, headers: { 'content-type': 'application/json', 'user-agent': 'x' } }),
      ORIGIN,
    );
    const [silent, address, h, type, d, json = ''] = wordsOf(command);
    expect([silent, address, h, type, d]).toEqual([
      '-s',
      `${ORIGIN}/api/v1/start`,
      '-H',
      'content-type: application/json',
      '-d',
    ]);
    expect(JSON.parse(json)).toEqual(body);
    expect(command).toMatch(/^[\x20-\x7e]+$/);
  });

  it('has variables in place of what was masked', () => {
    const command = curlOf(
      exchange({
        path: '/api/v1/token/x?state=[masked]&a=1',
        headers: { authorization: '[masked]', 'x-provider-attempt-token': '[masked]' },
        body: { attempt_token: '[masked]', national_id: '1•••••••01', device_name: 'a' },
      }),
      ORIGIN,
    );
    expect(command.split('\n')[0]).toBe(
      '# needs $STATE, $CLIENT_KEY, $ATTEMPT_TOKEN, $NATIONAL_ID',
    );
    expect(command).not.toContain('masked');
    const words = wordsOf(command, {
      STATE: 's s',
      CLIENT_KEY: 'k',
      ATTEMPT_TOKEN: 't"',
      NATIONAL_ID: '1',
    });
    expect(words[1]).toBe(`${ORIGIN}/api/v1/token/x?state=s s&a=1`);
    expect(words).toContain('authorization: Bearer k');
    expect(words).toContain('x-provider-attempt-token: t"');
    expect(words.at(-1)).toBe('{"attempt_token":"t"","national_id":"1","device_name":"a"}');
  });

  it.each([
    [`'; touch pwned; '`],
    ['$(touch pwned)'],
    ['`touch pwned`'],
    ['\u202e\ue000HOME\ue000\n'],
    ['a\nb'],
    ['-o/etc/passwd'],
  ])('runs nothing of what is in it: %j', (text) => {
    const sent = exchange({ path: `/${text}`, headers: { 'x-a': text }, body: { [text]: text } });
    const command = curlOf({ ...sent, method: text }, ORIGIN);
    expect(command.split('\n')).toHaveLength(1);
    expect(command).toMatch(/^[\x20-\x7e]+$/);
    const words = wordsOf(command, { HOME: 'expanded' });
    expect(words).toHaveLength(8);
    expect(words.join('\n')).not.toContain('expanded');
  });

  it('says another method, and sends a text as it is', () => {
    expect(curlOf(exchange({ method: 'DELETE', path: '/token' }), ORIGIN)).toBe(
      `curl -s -X DELETE ${ORIGIN}/token`,
    );
    expect(curlOf(exchange({ body: 'state=[masked]&decision=approve' }), ORIGIN)).toContain(
      '$BODY',
    );
  });
});

const PHONE = timeLine(
  ['startAttempt', exchange({ body: { locale: 'ar', national_id: '1000001101' } })],
  ['readStatus', exchange({ path: `/api/v1/status/${ID}` })],
  ['readStatus', exchange({ path: `/api/v1/status/${ID}` })],
  [
    'issueToken',
    exchange({
      path: `/api/v1/token/${ID}`,
      body: { attempt_token: '[masked]', device_name: "Amal's" },
    }),
  ],
);

describe('a whole sign-in', () => {
  it('as curl has each step once, with the id of the new attempt', () => {
    const script = curlScript(PHONE, ORIGIN) ?? '';
    expect(script.split('\n').filter((line) => line.startsWith('curl'))).toHaveLength(3);
    expect(script).toContain(`${ORIGIN}/api/v1/status/"$ATTEMPT_ID"`);
    expect(script).not.toContain(ID);
  });

  it('as client code has its options', () => {
    expect(clientScript(PHONE, `${ORIGIN}/api/v1`)).toBe(
      [
        `import { createClient } from '@miftah/client';`,
        '',
        `const miftah = createClient({ baseUrl: 'http://127.0.0.1:3000/api/v1' });`,
        `const attempt = await miftah.start({ locale: 'ar', nationalId: '1000001101' });`,
        'console.log(attempt.random); // the person chooses it on the phone',
        'const end = await attempt.waitForResult();',
        `if (end.status === 'authenticated') {`,
        String.raw`  const session = await attempt.issueToken({ deviceName: 'Amal\'s' });`,
        '  console.log(session.user.name);',
        '}',
      ].join('\n'),
    );
  });

  it('as client code takes keys, codes and numbers of real people from the environment', () => {
    const script = clientScript(
      timeLine(
        [
          'startAttempt',
          exchange({
            headers: { authorization: '[masked]', 'x-simulate': 'refuses;after=3\u2028' },
            body: { locale: '\u202e\'"\\', national_id: '2•••••••07' },
          }),
        ],
        ['issueToken', exchange({ body: { completion_code: '[masked]' } })],
      ),
      ORIGIN,
    );
    expect(script).toContain('clientKey: process.env.CLIENT_KEY');
    expect(script).toContain('nationalId: process.env.NATIONAL_ID');
    expect(script).toContain('completionCode: process.env.COMPLETION_CODE');
    expect(script).toContain(String.raw`locale: '\u202e\'"\\'`);
    expect(script).toContain('// This attempt began with X-Simulate: refuses;after=3?');
    expect(script).not.toMatch(/[^\n\x20-\x7e]|masked/);
  });

  it('is not offered where no application has begun', () => {
    const line = timeLine(['session', exchange({ body: {} })]);
    expect([curlScript(line, ORIGIN), clientScript(line, ORIGIN)]).toEqual([null, null]);
  });
});
