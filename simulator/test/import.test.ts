/** POST /simulator/import: the file of an attempt, of which nothing is believed. */
import { beforeAll, describe, expect, it } from 'vitest';
import { nationalIdsIn } from '../../scripts/national-ids.ts';
import { decisionCall, makeApp, pushCall, type AppBench } from './support/apps.ts';
import { AMAL, REQUEST_ID, STRANGER } from './support/engines.ts';

interface Entry {
  readonly number: number;
  readonly name: string;
  readonly exchange: Record<string, unknown> | null;
}

interface Data {
  readonly attempt: Readonly<Record<string, unknown>>;
  readonly entries: readonly Entry[];
  readonly left_out: number;
  readonly findings: readonly unknown[];
}

interface File {
  readonly format: string;
  readonly version: number;
  readonly exported_at: string;
  readonly data: Data;
}

const SECRET = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';

let file: File;

beforeAll(async () => {
  const { app, engine } = makeApp();
  await app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
  const [prompt] = engine.prompts();
  await app.inject(decisionCall(prompt?.id ?? '', { decision: 'refuse' }));
  file = (await app.inject(`/simulator/attempts/${REQUEST_ID}/export`)).json<File>();
});

const importCall = (payload: unknown, headers: Record<string, string> = {}) =>
  ({ method: 'POST', url: '/simulator/import', payload: payload as object, headers }) as const;

const withData = (data: Partial<Data>): File => ({ ...file, data: { ...file.data, ...data } });

function withExchange(change: Readonly<Record<string, unknown>>): File {
  const [first, ...rest] = file.data.entries;
  if (first === undefined) throw new Error('the file has no entry');
  return withData({ entries: [{ ...first, exchange: { ...first.exchange, ...change } }, ...rest] });
}

async function imported({ app }: AppBench, given: unknown, headers = {}) {
  const answer = await app.inject(importCall(given, headers));
  expect(answer.statusCode, answer.body).toBe(201);
  const { data } = answer.json<{ data: { id: string } }>();
  const line = await app.inject({ url: `/simulator/attempts/${data.id}`, headers });
  return { row: data, line: line.json<{ data: Data }>().data, text: answer.body + line.body };
}

const idsOf = async ({ app }: AppBench, query = '', headers = {}) => {
  const answer = await app.inject({ url: `/simulator/attempts${query}`, headers });
  return answer.json<{ data: readonly { id: string }[] }>().data.map(({ id }) => id);
};

describe('a file that is imported', () => {
  it('is the same time line, with an id of its own', async () => {
    const { row, line } = await imported(makeApp(), file);
    expect(row).toEqual({
      ...file.data.attempt,
      id: expect.stringMatching(/^imported-\d+$/) as string,
      source: 'imported',
      entries: 3,
      planned: false,
      answered: false,
      // Whom a file names is not believed.
      person: null,
    });
    expect(file.data.attempt['person']).toMatchObject({ en: 'Amal Salem Nasser Alnamuthaji' });
    expect(line).toEqual({ ...file.data, attempt: row });
  });

  it('can be exported and imported again', async () => {
    const bench = makeApp();
    const { row } = await imported(bench, file);
    const again = await bench.app.inject(`/simulator/attempts/${row.id}/export`);
    expect((await imported(bench, again.json())).line.entries).toEqual(file.data.entries);
  });

  it('is taken where its person has names only, as in files of earlier versions', async () => {
    const person = { ar: 'أمل سالم', en: 'Amal Salem' };
    const { data } = file;
    const given = { ...file, data: { ...data, attempt: { ...data.attempt, person } } };
    expect((await imported(makeApp(), given)).line.entries).toEqual(data.entries);
  });

  it('is listed before the others, in parts too', async () => {
    const bench = makeApp();
    await bench.app.inject(pushCall({ nationalId: AMAL, service: 'Login' }));
    const older = (await imported(bench, file)).row.id;
    const newer = (await imported(bench, file)).row.id;
    expect(await idsOf(bench)).toEqual([newer, older, REQUEST_ID]);
    expect(await idsOf(bench, '?limit=1')).toEqual([newer]);
    expect(await idsOf(bench, `?limit=2&before=${newer}`)).toEqual([older, REQUEST_ID]);
    expect(await idsOf(bench, `?before=${REQUEST_ID}`)).toEqual([]);
  });

  it('is of the scope of its caller, whatever it says, and a reset drops it', async () => {
    const bench = makeApp();
    const headers = { 'x-miftah-scope': 'ours' };
    const { row } = await imported(bench, file, headers);
    expect(row).toMatchObject({ scope: 'ours' });
    expect((await bench.app.inject(`/simulator/attempts/${row.id}`)).statusCode).toBe(404);
    expect(await idsOf(bench)).toEqual([]);
    await bench.app.inject({ method: 'POST', url: '/simulator/reset', payload: {}, headers });
    expect(await idsOf(bench, '', headers)).toEqual([]);
  });

  it('is masked once more', async () => {
    const { text } = await imported(makeApp(), {
      ...withExchange({
        path: `/a/${SECRET}?state=a-secret-state`,
        request: {
          headers: { authorization: 'Bearer a-secret-key', [STRANGER]: STRANGER },
          body: { token: 'a-secret-token', [STRANGER]: Number(STRANGER), deep: [[STRANGER]] },
        },
        response: { headers: { location: '/?token=a-secret-token' }, body: `<p>${STRANGER}` },
      }),
    });
    expect(text).not.toMatch(/eyJ|a-secret/);
    expect([...nationalIdsIn(text)]).toEqual([]);
  });

  it('is masked in its row too', async () => {
    const service = SECRET;
    for (const client of [STRANGER, { ar: STRANGER, en: STRANGER }]) {
      const attempt = { ...file.data.attempt, client, service };
      const { row } = await imported(makeApp(), withData({ attempt }));
      const shown = '1•••••••99';
      expect(row).toMatchObject({ client: { ar: shown, en: shown }, service: '[masked]' });
    }
  });

  it('puts no words into the mouth of the coach', async () => {
    const texts = { ar: 'كلام آخر', en: 'Send money.' };
    const finding = { title: texts, advice: texts, entries: [1] };
    const findings = [
      { ...finding, rule: 'polls_too_fast' },
      { ...finding, rule: 'unknown' },
    ];
    const { line, text } = await imported(makeApp(), withData({ findings }));
    expect(line.findings).toMatchObject([{ rule: 'polls_too_fast', entries: [1] }]);
    expect(text).not.toContain('Send money');
  });

  it('may have as many entries as a journal keeps, and no more', async () => {
    const [first] = file.data.entries;
    const many = (count: number) =>
      withData({
        entries: Array.from({ length: count }, (_, at) => ({ ...first, number: at + 1 }) as Entry),
      });
    const bench = makeApp();
    expect((await imported(bench, many(200))).line.entries).toHaveLength(200);
    expect((await bench.app.inject(importCall(many(201)))).statusCode).toBe(422);
  });

  it('has no body that is longer than one that is recorded', async () => {
    const empty = Array.from({ length: 3000 }, () => ({}));
    const large = { headers: {}, body: empty };
    const { line } = await imported(makeApp(), withExchange({ response: large }));
    expect(line.entries[0]?.exchange?.['response']).toMatchObject({
      body: expect.stringMatching(/^\[\d+ characters\]$/) as string,
    });
  });

  it('may be deep, and is cut', async () => {
    let body: unknown = SECRET;
    for (let depth = 0; depth < 500; depth += 1) body = { a: body };
    const { text } = await imported(makeApp(), withExchange({ response: { headers: {}, body } }));
    expect(text).not.toContain(SECRET);
  });
});

describe('a file that is refused', () => {
  it.each([
    [
      'of another format',
      () => ({ ...file, format: 'har' }),
      '/format: must be one of miftah-attempt',
    ],
    ['of a later version', () => ({ ...file, version: 2 }), '/version: must be 1'],
    [
      'with an unknown member',
      () => withExchange({ script: 'x' }),
      '/data/entries/0/exchange: must not have "script"',
    ],
    [
      'with a way of signing in that there is not',
      () => withData({ attempt: { ...file.data.attempt, flow: 'fax' } }),
      '/data/attempt/flow: must be one of oidc, mfa',
    ],
    [
      'with an impossible time',
      () => withData({ attempt: { ...file.data.attempt, created_at: 'x' } }),
      '/data/attempt/created_at: must be like 2026-01-31T09:05:00+00:00',
    ],
    [
      'with a day that no month has',
      () => withData({ attempt: { ...file.data.attempt, created_at: '2026-02-00T00:00:00Z' } }),
      '/data/attempt/created_at: must be like 2026-01-31T09:05:00+00:00',
    ],
    [
      'with a day that its month does not have',
      () => withData({ attempt: { ...file.data.attempt, expires_at: '2026-02-31T00:00:00Z' } }),
      '/data/attempt/expires_at: must be a day of the calendar',
    ],
    [
      'with an entry of such a day',
      () => {
        const entries = file.data.entries.map((one) => ({ ...one, at: '2025-02-29T00:00:00Z' }));
        return withData({ entries });
      },
      '/data/entries/0/at: must be a day of the calendar',
    ],
    [
      'with a name that is no name',
      () => withData({ attempt: { ...file.data.attempt, state: '<b>done</b>' } }),
      '/data/attempt/state: must be 1 to 64 letters, digits and characters of _.-',
    ],
    [
      'with two entries of one number',
      () => withData({ entries: file.data.entries.map((one) => ({ ...one, number: 1 })) }),
      '/data/entries/1/number: must not be that of another entry',
    ],
  ] as const)('%s', async (_what, made, fault) => {
    const bench = makeApp();
    const answer = await bench.app.inject(importCall(made()));
    const [pointer = '', message = ''] = fault.split(': ');
    expect([answer.statusCode, answer.json()]).toMatchObject([
      422,
      {
        code: 'validation.failed',
        message: expect.stringContaining(`takes. ${fault}`) as string,
      },
    ]);
    const [first] = answer.json<{ violations: readonly object[] }>().violations;
    expect(first).toEqual({ pointer, message: expect.stringContaining(message) as string });
    expect(await idsOf(bench)).toEqual([]);
  });

  it.each([
    ['in the file', '{"format":', '{"format":"x","format":', '/format'],
    ['in the attempt', '"flow":"mfa"', '"flow":"mfa","flow":"mfa"', '/data/attempt/flow'],
    [
      'with another spelling',
      '"flow":"mfa"',
      String.raw`"flow":"mfa","\u0066low":"mfa"`,
      '/data/attempt/flow',
    ],
    [
      'in a list',
      '"entries":[{',
      '"entries":[{},[1,{"a/~":0}],{"a/~":"","a/~":""},{',
      '/data/entries/2/a~1~0',
    ],
    [
      'that is long',
      '{"format":',
      `{"${'n'.repeat(9000)}":1,"${'n'.repeat(9000)}":1,"format":`,
      `/${'n'.repeat(199)}`,
    ],
  ])('with two members of one name %s', async (_where, found, put, pointer) => {
    const bench = makeApp();
    const text = JSON.stringify(file);
    expect(text).toContain(found);
    const headers = { 'content-type': 'application/json' };
    const answer = await bench.app.inject({
      method: 'POST',
      url: '/simulator/import',
      payload: text.replace(found, put),
      headers,
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([
      400,
      {
        code: 'request.malformed_json',
        message: expect.stringContaining(`${pointer}: must not stand twice.`) as string,
        violations: [{ pointer, message: 'must not stand twice' }],
      },
    ]);
    expect(answer.body).toContain('two members with one name');
  });

  it('has a name that is too long to be repeated', async () => {
    const headers = { ['n'.repeat(9000)]: 1 };
    const { app } = makeApp();
    const answer = await app.inject(importCall(withExchange({ request: { headers, body: null } })));
    expect([answer.statusCode, answer.body.length < 2000]).toEqual([422, true]);
  });

  it('has more values than anybody reads', async () => {
    const bench = makeApp();
    const empty = Array.from({ length: 60_000 }, () => ({}));
    const many = withExchange({ response: { headers: {}, body: empty } });
    const answer = await bench.app.inject(importCall(many));
    expect([answer.statusCode, answer.json()]).toMatchObject([
      422,
      {
        code: 'validation.failed',
        message: expect.stringContaining('at most 50000 values') as string,
      },
    ]);
    expect(await idsOf(bench)).toEqual([]);
  });

  it('is larger than 1 MiB', async () => {
    const { app } = makeApp();
    const body = 'x'.repeat(60_000);
    const [first] = file.data.entries;
    const entry = { ...first, exchange: { ...first?.exchange, response: { headers: {}, body } } };
    const entries = Array.from({ length: 20 }, () => entry as Entry);
    const answer = await app.inject(importCall(withData({ entries })));
    expect([answer.statusCode, answer.json()]).toMatchObject([
      413,
      { code: 'request.body_too_large' },
    ]);
  });

  it.each(['/simulator/import', `/simulator/attempts/${REQUEST_ID}/replay`])(
    'comes from a foreign page: %s',
    async (url) => {
      const { app } = makeApp();
      const headers = { origin: 'https://elsewhere.example.test' };
      const answer = await app.inject({ method: 'POST', url, payload: file, headers });
      expect(answer.json()).toMatchObject({ status: 403, code: 'simulator.foreign_origin' });
    },
  );
});

it('a scope keeps the last twenty files, and takes nothing from another', async () => {
  const bench = makeApp();
  const headers = { 'x-miftah-scope': 'ours' };
  await imported(bench, file);
  for (let count = 0; count < 21; count += 1) await imported(bench, file, headers);
  expect([await idsOf(bench), await idsOf(bench, '', headers)]).toMatchObject([
    { length: 1 },
    { length: 20 },
  ]);
});
