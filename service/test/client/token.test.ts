import { describe, expect, test } from 'vitest';
import { clientOf } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { openMeddler, type Meddling } from '../support/client/meddler.ts';

const APPROVES = { locale: 'en', nationalId: '1900000001' };
const service = shareListeningService();

/** An attempt that is approved, of a client behind a proxy. */
async function approved(meddle: (asked: string, index: number) => Meddling) {
  const meddler = await openMeddler(service(), meddle);
  const attempt = await clientOf(meddler).start(APPROVES);
  await clientOf(service()).resume(attempt.export()).waitForResult();
  const exchanges = () => meddler.came.filter((asked) => asked === 'POST /token').length;
  return { attempt, exchanges };
}

const problem = (code: string): Meddling => ({
  status: 503,
  headers: { 'content-type': 'application/problem+json', 'retry-after': '0' },
  body: JSON.stringify({ code, detail: 'Later.', request_id: 'r' }),
});

describe('an exchange', () => {
  test('C-4 whose answer is lost is repeated, and there is one token', async () => {
    const { attempt, exchanges } = await approved((asked, index) =>
      asked === 'POST /token' && index < 2 ? 'lose' : 'pass',
    );
    const { token } = await attempt.issueToken({ deviceName: 'one' });
    expect(exchanges()).toBe(3);
    expect((await attempt.issueToken({ deviceName: 'one' })).token).toBe(token);
    expect(await devicesOf(token)).toHaveLength(1);
  });

  test('C-4 in another process gives the same token', async () => {
    const { attempt } = await approved(() => 'pass');
    const resumed = clientOf(service()).resume(attempt.export());
    const [first, second] = await Promise.all([attempt.issueToken(), resumed.issueToken()]);
    expect(second.token).toBe(first.token);
  });

  test('C-4 with another body is refused, and there is one token', async () => {
    const { attempt } = await approved(() => 'pass');
    const { token } = await attempt.issueToken({ deviceName: 'one' });
    await expect(attempt.issueToken({ deviceName: 'two' })).rejects.toMatchObject({
      code: 'idempotency.mismatch',
    });
    expect(await devicesOf(token)).toContainEqual('one');
  });

  test.each(['storage.outcome_unknown', 'storage.unavailable', 'server.overloaded'])(
    'C-5 that is answered %s is repeated',
    async (code) => {
      const { attempt, exchanges } = await approved((asked, index) =>
        asked === 'POST /token' && index === 0 ? problem(code) : 'pass',
      );
      await attempt.issueToken();
      expect(exchanges()).toBe(2);
    },
  );

  test('C-5 that stays unanswered ends after six tries with the reason', async () => {
    const { attempt, exchanges } = await approved((asked) =>
      asked === 'POST /token' ? problem('storage.unavailable') : 'pass',
    );
    await expect(attempt.issueToken()).rejects.toMatchObject({
      code: 'storage.unavailable',
      status: 503,
      requestId: 'r',
      retryAfter: 0,
    });
    expect(exchanges()).toBe(6);
  });

  test('C-5 that is refused is not repeated', async () => {
    const meddler = await openMeddler(service(), () => 'pass');
    const attempt = await clientOf(meddler).start({ locale: 'en' });
    await expect(attempt.issueToken()).rejects.toMatchObject({ code: 'attempt.pending' });
    expect(meddler.came.filter((asked) => asked === 'POST /token')).toHaveLength(1);
  });
});

describe('a start', () => {
  test.each(['lose', 'refuse', problem('storage.outcome_unknown')] as const)(
    'C-3 that fails is not repeated: %j',
    async (meddling) => {
      const meddler = await openMeddler(service(), () => meddling);
      await expect(clientOf(meddler).start(APPROVES)).rejects.toMatchObject({
        code: meddling === 'lose' || meddling === 'refuse' ? 'client.network' : /./,
      });
      expect(meddler.came).toEqual(['POST /start']);
    },
  );
});

/** The names of the person's devices that this token is one of. */
async function devicesOf(token: string): Promise<readonly (string | null)[]> {
  const answer = await fetch(`${service().origin}/api/v1/tokens`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { data } = (await answer.json()) as { data: { device_name: string; current: boolean }[] };
  return data.filter(({ current }) => current).map(({ device_name: name }) => name);
}
