import { describe, expect, it } from 'vitest';
import { nationalIdsIn } from '../../../scripts/national-ids.ts';
import {
  AMAL,
  approveInBrowser,
  issuedOf,
  readStatus,
  redeem,
  startedOf,
  startPhone,
  startRedirect,
  UNLISTED,
  type Started,
} from '../support/service/login.ts';
import { decide, KEY, returnFrom, startStrict, STRICT } from '../support/service/strict-login.ts';
import {
  openTestService,
  shareService,
  type TestService,
} from '../support/service/test-service.ts';

const plain = shareService();
const strict = shareService(STRICT);

interface TimeLine {
  readonly entries: readonly { readonly side: string; readonly name: string }[];
  readonly findings: readonly unknown[];
}

const OTHER = { 'x-miftah-scope': 'other' };

async function read({ app }: TestService, id: string) {
  const line = await app.inject(`/simulator/attempts/${id}`);
  const file = await app.inject(`/simulator/attempts/${id}/export`);
  expect([line.statusCode, file.statusCode]).toEqual([200, 200]);
  const imported = await app.inject({
    method: 'POST',
    url: '/simulator/import',
    payload: file.json<object>(),
  });
  expect(imported.statusCode, imported.payload).toBe(201);
  const { id: importedId } = imported.json<{ data: { id: string } }>().data;
  const again = await app.inject(`/simulator/attempts/${importedId}`);
  const { entries } = line.json<{ data: TimeLine }>().data;
  const seen = [line, file, imported, again].map(({ payload }) => payload).join('\n');
  return { seen, names: entries.map(({ side, name }) => `${side} ${name}`) };
}

describe('threat 89, by whole logins: secrets and people in a time line', () => {
  it('are masked in one of a phone login, in simulator mode', async () => {
    const service = plain();
    const headers = { 'user-agent': `app for ${UNLISTED}` };
    const body = { national_id: UNLISTED, locale: 'en' };
    const started = startedOf(await service.post('/start', body, headers));
    await decide(service, started);
    await readStatus(service, started);
    const issued = issuedOf(
      await redeem(service, started, {}, { 'idempotency-key': 'k'.repeat(30) }),
    );
    const { seen, names } = await read(service, started.attempt_id);
    for (const secret of [started.attempt_token, issued.token, UNLISTED]) {
      expect(seen).not.toContain(secret);
    }
    expect([...nationalIdsIn(seen)].filter((number) => number !== AMAL)).toEqual([]);
    expect(names).toEqual([
      'area_a startAttempt',
      'phone prompt',
      'phone decision',
      'area_a readStatus',
      'area_a issueToken',
    ]);
  });

  it('are masked in one of a login by browser, in strict mode', async () => {
    const service = strict();
    const started = await startStrict(service);
    const back = await returnFrom(service, started);
    const code = back.searchParams.get('completion_code') ?? '';
    expect(code).not.toBe('');
    const issued = issuedOf(await redeem(service, started, { completion_code: code }, KEY));
    const { seen, names } = await read(service, started.attempt_id);
    const [, key = ''] = KEY['authorization']?.split(' ') ?? [];
    for (const secret of [started.attempt_token, issued.token, code, key]) {
      expect(secret).not.toBe('');
      expect(seen).not.toContain(secret);
    }
    expect(seen).not.toMatch(/eyJ|mft_test_\w/);
    expect(names).toEqual(
      expect.arrayContaining([
        'area_a startAttempt',
        'area_b session',
        'browser decision',
        'area_b exchange',
        'area_a issueToken',
      ]),
    );
  });
});

describe('threat 91: a time line of somebody else’s tests', () => {
  it.each([
    ['GET', ''],
    ['GET', '/export'],
    ['POST', '/replay'],
  ] as const)('is unknown in another scope: %s %s', async (method, path) => {
    const { app } = plain();
    const started = await startPhone(plain());
    const url = `/simulator/attempts/${started.attempt_id}${path}`;
    const foreign = await app.inject({ method, url, headers: OTHER });
    expect([foreign.statusCode, foreign.json()]).toMatchObject([
      404,
      { code: 'attempt.not_found' },
    ]);
    const own = await app.inject({ method, url });
    expect(own.statusCode).toBeLessThan(300);
  });

  it('is of no use to a page of another site', async () => {
    const headers = { origin: 'https://elsewhere.example.test' };
    for (const url of ['/simulator/import', '/simulator/attempts/x/replay']) {
      const answer = await plain().app.inject({ method: 'POST', url, headers, payload: {} });
      expect(answer.json()).toMatchObject({ code: 'simulator.foreign_origin' });
    }
  });
});

describe('threat 92: files without end, to fill the memory of a simulator', () => {
  it('are kept to the last twenty of a scope', async () => {
    const service = await openTestService();
    const started = startedOf(await service.post('/start', { locale: 'en' }));
    const url = `/simulator/attempts/${started.attempt_id}/export`;
    const payload = (await service.app.inject(url)).json<object>();
    const call = { method: 'POST', url: '/simulator/import', headers: OTHER, payload } as const;
    for (let count = 0; count < 25; count += 1) await service.app.inject(call);
    const listed = await service.app.inject({ url: '/simulator/attempts', headers: OTHER });
    expect(listed.json<{ data: unknown[] }>().data).toHaveLength(20);
  });

  it('are at most 1 MiB, and no deeper than anybody reads', async () => {
    const { app } = plain();
    const headers = { 'content-type': 'application/json' };
    const call = { method: 'POST', url: '/simulator/import', headers } as const;
    const large = await app.inject({ ...call, payload: JSON.stringify('x'.repeat(1024 * 1024)) });
    expect(large.statusCode).toBe(413);
    const deep = `${'['.repeat(400_000)}${']'.repeat(400_000)}`;
    expect((await app.inject({ ...call, payload: deep })).statusCode).toBeLessThan(500);
  });
});

describe('a sign-in that is started again', () => {
  it('goes as the first one went', async () => {
    const { app } = plain();
    const started = await startPhone(plain());
    await decide(plain(), started, 'refuse');
    const url = `/simulator/attempts/${started.attempt_id}/replay`;
    const answer = await app.inject({ method: 'POST', url });
    const again = answer.json<{ data: Started }>().data;
    expect([answer.statusCode, again.attempt_id === started.attempt_id]).toEqual([201, false]);
    const status = await readStatus(plain(), again);
    expect(status.json()).toMatchObject({ data: { status: 'rejected' } });
    const line = await app.inject(`/simulator/attempts/${again.attempt_id}`);
    expect(line.json()).toMatchObject({
      data: { attempt: { client: { en: 'Demo application' }, flow: 'mfa', state: 'rejected' } },
    });
  });

  it('goes so by browser too', async () => {
    const { app } = plain();
    const started = await startRedirect(plain());
    await approveInBrowser(plain(), started);
    const url = `/simulator/attempts/${started.attempt_id}/replay`;
    const again = (await app.inject({ method: 'POST', url })).json<{ data: Started }>().data;
    const page = await plain().get(`/callback?state=${again.attempt_id}`);
    expect([page.statusCode, page.headers['location']]).toEqual([
      303,
      expect.stringContaining('completion_code=') as string,
    ]);
  });
});
