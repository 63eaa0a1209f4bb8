import { execFileSync } from 'node:child_process';
import process from 'node:process';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
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

/** What a real shell makes of a command: the words that curl is given, and then its input. */
function wordsOf(command: string, variables: Record<string, string> = {}): string[] {
  const curl = `curl() { printf '%s\\0' "$@"; for word; do :; done; if [ "$word" = @- ]; then cat; fi; }`;
  const output = execFileSync('sh', ['-c', `${curl}\n${command}`], {
    env: { PATH: process.env['PATH'], HOME: 'expanded', ...variables },
    encoding: 'utf8',
  });
  const words = output.split('\0');
  return words.at(-1) === '' ? words.slice(0, -1) : words;
}

/** Texts that are likely to break something, among any others. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
  fc
    .array(
      fc.constantFrom(
        ...Array.from(`'"\\$\`%@-[]{}•1?&=\n\t\0 `),
        '$HOME',
        '\\ue000',
        '\ue000',
        '\\u0041',
      ),
    )
    .map((parts) => parts.join('')),
);
/** Nothing in it was masked. */
const isPlain = (value: unknown) => !/\[masked\]|\p{Nd}•{7}\p{Nd}{2}/u.test(JSON.stringify(value));
const anyJson = fc
  .letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      anyText,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(anyText, tie('value'), { maxKeys: 4 }),
  }))
  .object.filter(isPlain);

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
    const sent = curlOf(exchange({ body: 'state=[masked]&decision=approve' }), ORIGIN);
    expect(wordsOf(sent, { STATE: 's' }).at(-1)).toBe('state=s&decision=approve');
  });

  it('has a variable for the mask alone, and nothing beside it is lost', () => {
    const at = (path: string) =>
      wordsOf(curlOf(exchange({ path }), ORIGIN), {
        MASKED_ID: '7',
        STATE: 's',
        ATTEMPT_ID: 'a',
      }).at(-1);
    expect(at('/p?id=1•••••••01&x=1')).toBe(`${ORIGIN}/p?id=7&x=1`);
    expect(at('/p?state=[masked]&id=1•••••••01')).toBe(`${ORIGIN}/p?state=s&id=7`);
    expect(at('/p/[masked]/•?q=أ b')).toBe(
      `${ORIGIN}/p/a/${encodeURIComponent('•')}?q=${encodeURIComponent('أ b')}`,
    );
  });

  it('lets no request choose a variable, a file, or another machine', () => {
    const command = curlOf(
      exchange({
        path: '@example.com/x{a,b}',
        headers: { '@/etc/passwd': '', home: '[masked]' },
        body: { HOME: '[masked]', list: ['[masked]'] },
      }),
      ORIGIN,
    );
    expect(command).not.toMatch(/\$HOME|passwd/);
    expect(wordsOf(command)).toEqual(
      expect.arrayContaining([
        '-g',
        `${ORIGIN}/@example.com/x{a,b}`,
        'home: ',
        '{"HOME":"","list":[""]}',
      ]),
    );
    expect(curlOf(exchange({ body: '@/etc/passwd' }), ORIGIN)).toContain('--data-raw @/etc');
  });

  it('has exactly the body that was sent, whatever it is', () => {
    fc.assert(
      fc.property(anyJson, (body) => {
        const command = curlOf(exchange({ body }), ORIGIN);
        expect(command).toMatch(/^[\x20-\x7e]+$/);
        const words = wordsOf(command);
        expect(words).toHaveLength(4);
        expect(JSON.parse(words[3] ?? '')).toEqual(body);
      }),
      { numRuns: 100 },
    );
    fc.assert(
      fc.property(
        anyText.filter((text) => isPlain(text) && !text.includes('\0')),
        (body) => {
          const command = curlOf(exchange({ body }), ORIGIN);
          expect(command).toMatch(/^[\x20-\x7e]+$/);
          const words = wordsOf(command);
          const isRead = words[2] === '--data-binary';
          expect(isRead ? (words[4] ?? '') : (words[3] ?? '')).toBe(body);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('expands our variables alone, wherever a mask is', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (key, before, after) => {
        fc.pre(isPlain([before, after]) && !(key + before + after).includes('\0'));
        // As a parameter it would have a variable of its own name.
        fc.pre(!before.endsWith('='));
        const body = { [key]: before, token: `${before}[masked]${after}` };
        const command = curlOf(exchange({ body }), ORIGIN);
        const sent = wordsOf(command, { TOKEN: 'VALUE' }).at(-1) ?? '';
        expect(JSON.parse(sent)).toEqual({ ...body, token: `${before}VALUE${after}` });
      }),
      { numRuns: 100 },
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

  it('as client code has exactly the texts that were sent', () => {
    fc.assert(
      fc.property(anyText.filter(isPlain), (locale) => {
        const script = clientScript(timeLine(['startAttempt', exchange({ body: { locale } })]), '');
        expect(script).toMatch(/^[\n\x20-\x7e]+$/);
        const [, options = ''] = /miftah\.start\((.*)\);/.exec(script ?? '') ?? [];
        expect(runInNewContext(`(${options}).locale`)).toBe(locale);
      }),
    );
  });

  it('is not offered where no application has begun', () => {
    const line = timeLine(['session', exchange({ body: {} })]);
    expect([curlScript(line, ORIGIN), clientScript(line, ORIGIN)]).toEqual([null, null]);
  });
});
