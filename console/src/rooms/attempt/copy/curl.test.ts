import { execFileSync } from 'node:child_process';
import process from 'node:process';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, exchange, isPlain, ORIGIN } from '../../../../test/support/sent.ts';
import { curlOf } from './curl.ts';

type Variables = Readonly<Record<string, string>>;

/** What a real shell makes of a command: the words that curl is given, and then its input. */
function wordsOf(command: string, variables: Variables = {}): string[] {
  return wordsOfAll([command], variables)[0] ?? [];
}

/** All in one shell: a process for each takes longer than everything else that is tested here. */
function wordsOfAll(commands: readonly string[], variables: Variables = {}): string[][] {
  const curl = `curl() { printf '%s\\0' "$#" "$@"; for word; do :; done; if [ "$word" = @- ]; then cat; fi; }`;
  const output = execFileSync('sh', ['-s'], {
    input: [curl, ...commands.flatMap((command) => [command, `printf '\\0'`])].join('\n'),
    env: { PATH: process.env['PATH'], HOME: 'expanded', ...variables },
    encoding: 'utf8',
  });
  const parts = output.split('\0').values();
  return commands.map(() => {
    const words = [...parts.take(Number(parts.next().value))];
    const input = parts.next().value ?? '';
    return input === '' ? words : [...words, input];
  });
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

/** Of the texts that are made at random, how many each shell is given, and how many shells. */
const [IN_A_SHELL, SHELLS] = [25, 4];

/** Calls `check` with as many values as a shell is given, and with what it is to be run with. */
function checkInShells<Value>(
  value: fc.Arbitrary<Value>,
  check: (values: readonly Value[]) => void,
): void {
  const values = fc.array(value, { minLength: IN_A_SHELL, maxLength: IN_A_SHELL });
  fc.assert(fc.property(values, check), { numRuns: SHELLS });
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
      '# needs $STATE, $MIFTAH_KEY, $ATTEMPT_TOKEN, $NATIONAL_ID',
    );
    expect(command).not.toContain('masked');
    const words = wordsOf(command, {
      STATE: 's s',
      MIFTAH_KEY: 'k',
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
    expect(token).toContain('-H "authorization: Bearer $MIFTAH_KEY"');
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

  it('has exactly the body that was sent, whatever it is', () => {
    checkInShells(anyJson, (bodies) => {
      const sent = sentBy(bodies.map((body) => curlOf(exchange({ body }), ORIGIN)));
      expect(sent.map((words) => words.length)).toEqual(bodies.map(() => 4));
      expect(sent.map((words) => JSON.parse(words[3] ?? '') as unknown)).toEqual(bodies);
    });
    const text = anyText.filter((body) => isPlain(body) && !body.includes('\0'));
    checkInShells(text, (bodies) => {
      const sent = sentBy(bodies.map((body) => curlOf(exchange({ body }), ORIGIN)));
      const read = sent.map((words) => (words[2] === '--data-binary' ? words[4] : words[3]) ?? '');
      expect(read).toEqual(bodies);
    });
  });

  it('expands our variables alone, wherever a mask is', () => {
    const parts = fc.tuple(anyText, anyText, anyText).filter(
      ([key, before, after]) =>
        isPlain([before, after]) &&
        !(key + before + after).includes('\0') &&
        // As a parameter it would have a variable of its own name.
        !before.endsWith('='),
    );
    checkInShells(parts, (all) => {
      const commands = all.map((of) => curlOf(exchange({ body: bodyOf(of, '[masked]') }), ORIGIN));
      const sent = wordsOfAll(commands, { TOKEN: 'VALUE' }).map((words) => words.at(-1) ?? '');
      expect(sent.map((body) => JSON.parse(body) as unknown)).toEqual(
        all.map((of) => bodyOf(of, 'VALUE')),
      );
    });
  });
});

function bodyOf([key = '', before, after]: readonly string[], token: string) {
  return { [key]: before, token: `${before}${token}${after}` };
}

function sentBy(commands: readonly string[]): string[][] {
  for (const command of commands) expect(command).toMatch(/^[\x20-\x7e]+$/);
  return wordsOfAll(commands);
}
