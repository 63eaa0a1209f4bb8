import { inspect } from 'node:util';
import { createClient } from '@miftah/client';
import { describe, expect, test, vi } from 'vitest';
import { clientOf } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { openMeddler } from '../support/client/meddler.ts';

const service = shareListeningService();
const APPROVES = { locale: 'en', nationalId: '1900000001' };

/** Everything that a log could make of a value. */
function printed(value: unknown): string {
  const shown = inspect(value, { depth: 9, showHidden: true, getters: true });
  return [shown, JSON.stringify(value), String(value)].join();
}

/** What a copy of its members has. */
function copied(value: object): string {
  return inspect({ ...value }, { depth: 9, showHidden: true, getters: true });
}

describe('C-13 a secret', () => {
  test('is in no log and no JSON of an attempt and a token', async () => {
    const attempt = await clientOf(service()).start(APPROVES);
    await attempt.waitForResult();
    const session = await attempt.issueToken();
    const { key } = JSON.parse(attempt.export()) as { key: string };
    const text = printed({ attempt, session }) + printed(attempt) + printed(session);
    expect(text).toContain(attempt.id);
    for (const secret of [attempt.token, session.token, key, session.user.nationalId]) {
      expect(secret.length).toBeGreaterThan(9);
      expect(text).not.toContain(secret);
    }
    const copies = copied(attempt) + copied(session);
    for (const secret of [attempt.token, session.token, key]) expect(copies).not.toContain(secret);
    expect(JSON.parse(JSON.stringify(attempt))).toEqual({
      id: attempt.id,
      flow: 'mfa',
      expiresAt: attempt.expiresAt.toISOString(),
    });
  });

  test('is in no failure', async () => {
    const meddler = await openMeddler(service(), (asked) =>
      asked === 'POST /start' ? 'pass' : 'refuse',
    );
    const attempt = await clientOf(meddler).start(APPROVES);
    const failure: unknown = await attempt.status().catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'client.network', status: 0 });
    expect(printed(failure)).not.toContain(attempt.token);
  });

  test('does not follow a redirect to another host', async () => {
    const other = await openMeddler(service(), () => ({ status: 200, body: '{}' }));
    const meddler = await openMeddler(service(), (asked) =>
      asked === 'POST /start'
        ? 'pass'
        : { status: 307, headers: { location: `${other.origin}/api/v1/status` } },
    );
    const attempt = await clientOf(meddler).start(APPROVES);
    await expect(attempt.status()).rejects.toMatchObject({ code: 'client.network', status: 307 });
    expect(other.came).toEqual([]);
  });

  test.each([
    ['a page', 'document', {}],
    ['a worker of a page', 'importScripts', {}],
    ['an app with React Native', 'navigator', { product: 'ReactNative' }],
  ])('a client key throws in %s', (_, name, value) => {
    vi.stubGlobal(name, value);
    const baseUrl = service().origin;
    expect(() => createClient({ baseUrl, clientKey: 'mfk_test_simulator' })).toThrow(
      new TypeError('clientKey is a secret of a server'),
    );
    expect(createClient({ baseUrl })).toBeDefined();
  });
});

describe('C-13 a secret with a line break, which no header can have', () => {
  const BROKEN = 'mfk_first_line\nsecond_line';

  test.each([BROKEN, 'mfk_first_line\n', ' mfk_first_line', 'mfk_é', 'mfk_\0', 'first_line'])(
    'is no client key, and is not shown: %j',
    (clientKey) => {
      const make = () => createClient({ baseUrl: service().origin, clientKey });
      const must = 'clientKey must be mfk_… in ASCII without white space (.trim()) or Bearer';
      expect(make).toThrow(new TypeError(must));
    },
  );

  test('in an API token is in no failure, nor in its cause', async () => {
    const failure: unknown = await clientOf(service())
      .user(BROKEN)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'client.network' });
    expect(inspect(failure, { depth: 9, showHidden: true })).not.toMatch(/first_line|second_line/);
  });
});

describe('C-14 a failure', () => {
  test('has what the service says about it', async () => {
    const failed = clientOf(service()).start({ locale: 'en', nationalId: '1900000021' });
    await expect(failed).rejects.toMatchObject({
      name: 'MiftahError',
      code: 'provider.record_not_found',
      status: 422,
      detail: expect.stringMatching(/\w/) as string,
      remedy: expect.stringMatching(/\w/) as string,
      requestId: expect.stringMatching(/^[\da-f-]{36}$/) as string,
    });
  });

  test('is of the network when something else answers, and its Retry-After is kept', async () => {
    const page = { status: 502, headers: { 'retry-after': '7' }, body: '<h1>Bad gateway</h1>' };
    const meddler = await openMeddler(service(), () => page);
    await expect(clientOf(meddler).start(APPROVES)).rejects.toMatchObject({
      code: 'client.network',
      status: 502,
      retryAfter: 7,
    });
  });
});
