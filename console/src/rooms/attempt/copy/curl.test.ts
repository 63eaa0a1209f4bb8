import { execFileSync } from 'node:child_process';
import process from 'node:process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, exchange, isPlain, ORIGIN } from '../../../../test/support/sent.ts';
import { curlOf } from './curl.ts';

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

/** The address, with values for its variables. */
const addressOf = (path: string) =>
  wordsOf(curlOf(exchange({ path }), ORIGIN), {
    MASKED_ID: '7',
    STATE: 's',
    ATTEMPT_ID: 'a',
  }).at(-1);

/** Each of a few hundred texts is given to a shell, a process each. */
const SHELLS_LIMIT_MS = 120_000;

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

  it('sends a form as a form, and has each word in one pair of quotes', () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const body = { state: '[masked]', 'a&b': 'c d=أ' };
    const command = curlOf(exchange({ headers, body }), ORIGIN);
    expect(command).toContain(`-H 'content-type: application/x-www-form-urlencoded`);
    expect(wordsOf(command, { STATE: 's' }).at(-1)).toBe('state=s&a%26b=c%20d%3D%D8%A3');
    const token = curlOf(exchange({ headers: { authorization: 'Bearer [masked]' } }), ORIGIN);
    expect(token).toContain('-H "authorization: Bearer $CLIENT_KEY"');
  });

  it('has a variable for the mask alone, and nothing beside it is lost', () => {
    expect(addressOf('/p?id=1•••••••01&x=1')).toBe(`${ORIGIN}/p?id=7&x=1`);
    expect(addressOf('/p?state=[masked]&id=1•••••••01')).toBe(`${ORIGIN}/p?state=s&id=7`);
    expect(addressOf('/p/[masked]/•?q=أ b')).toBe(
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

  it('has exactly the body that was sent, whatever it is', { timeout: SHELLS_LIMIT_MS }, () => {
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
