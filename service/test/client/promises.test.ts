import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { MiftahError, relayEvents, type Attempt, type BrowserAttempt } from '@miftah/client';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { atLength } from '../../../scripts/test-length.ts';
import { watchedFetch } from '../support/client/client-for-test.ts';
import { openMeddler, type Meddling } from '../support/client/meddler.ts';
import { decideOnPhone, signInByBrowser } from '../support/client/person.ts';
import { clientOn, STAGES, type Stage } from '../support/client/stages.ts';

/**
 * Each promise of client/PACKAGE.md, shortly, in each mode. What belongs to it in detail is in the
 * other files of this folder.
 */

const EVENTS = 'GET /status/events';
const LONG_POLL = 'GET /status?wait=25';
/** What does not depend on the mode of a service. */
const WITHOUT_SERVICE: Readonly<Record<string, string>> = {
  'C-12': 'service/test/client/openapi.test.ts and client/src/types.test.ts',
  'C-18': 'test/packages.test.ts',
  'C-26': 'service/test/client/pages.test.ts, with a real page',
  'C-28':
    'service/test/client/frameworks.test.ts; in each mode service/test/e2e/web-example.test.ts',
  ...Object.fromEntries(
    // The element is told by the application's back end, whatever the mode of the service.
    [19, 20, 21, 22, 23, 24, 29].map((number) => [`C-${number}`, 'service/test/element/']),
  ),
};

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Promised = (stage: Stage) => Promise<void>;

/** Behind a proxy that meddles; the person decides when `asked` has come. */
async function waitBehind(
  stage: Stage,
  asked: string,
  meddle: (asked: string, index: number) => Meddling,
) {
  const meddler = await openMeddler(stage.service, meddle);
  const attempt = await clientOn(stage, meddler).start({ locale: 'en' });
  const waited = attempt.waitForResult();
  await expect.poll(() => meddler.came).toContain(asked);
  const returned = await signInByBrowser(attempt);
  expect((await waited).status).toBe('authenticated');
  return { attempt, came: meddler.came.slice(1), completionCode: codeIn(returned), meddler };
}

function codeIn({ searchParams }: URL): string {
  return searchParams.get('completion_code') ?? '';
}

async function signedIn(stage: Stage): Promise<{ attempt: Attempt; completionCode: string }> {
  const attempt = await clientOn(stage).start({ locale: 'en' });
  return { attempt, completionCode: codeIn(await signInByBrowser(attempt)) };
}

const PROMISES: Readonly<Record<string, Promised>> = {
  async 'C-1'(stage) {
    const client = clientOn(stage);
    const attempt = await client.start({ locale: 'en', nationalId: '1000002201' });
    const { expiresAt, randomExpiresAt } = client.resume(attempt.export());
    const early = expiresAt.getTime() - Number(randomExpiresAt);
    // The provider is asked a moment after the attempt has begun.
    expect(Math.abs(5 * MINUTE_MS - early - stage.pushMs)).toBeLessThan(MINUTE_MS / 3);
    const waited = attempt.waitForResult();
    await decideOnPhone(stage.provider, attempt);
    expect((await waited).status).toBe('authenticated');
    const { token, user } = await attempt.issueToken();
    expect(await client.user(token)).toEqual({ ...user, clientId: stage.clientId });
  },

  async 'C-2'(stage) {
    const { attempt, completionCode } = await signedIn(stage);
    const session = await attempt.issueToken({ completionCode });
    expect(attempt.expiresAt).toBeInstanceOf(Date);
    expect(session.expiresAt).toBeInstanceOf(Date);
    const names = [session.user, await attempt.status()].flatMap(Object.keys);
    expect(names.filter((name) => name.includes('_'))).toEqual([]);
  },

  async 'C-3'(stage) {
    const meddler = await openMeddler(stage.service, () => 'lose');
    const started = clientOn(stage, meddler).start({ locale: 'en' });
    await expect(started).rejects.toMatchObject({ code: 'client.network' });
    expect(meddler.came).toEqual(['POST /start']);
  },

  async 'C-4'(stage) {
    const { attempt, completionCode } = await signedIn(stage);
    const resumed = clientOn(stage).resume(attempt.export());
    const both = [attempt.issueToken({ completionCode }), resumed.issueToken({ completionCode })];
    const [one, other] = await Promise.all(both);
    expect(other?.token).toBe(one?.token);
  },

  async 'C-5'(stage) {
    const { attempt, completionCode, meddler } = await waitBehind(stage, EVENTS, (asked, index) =>
      asked === 'POST /token' && index < 2 ? 'lose' : 'pass',
    );
    const { token } = await attempt.issueToken({ completionCode });
    expect(meddler.came.filter((asked) => asked === 'POST /token')).toHaveLength(3);
    expect((await attempt.issueToken({ completionCode })).token).toBe(token);
  },

  async 'C-7'(stage) {
    const { came } = await waitBehind(stage, EVENTS, () => 'pass');
    expect(came).toEqual([EVENTS]);
  },

  async 'C-8'(stage) {
    const { came } = await waitBehind(stage, LONG_POLL, (asked) =>
      asked === EVENTS ? 'hold' : 'pass',
    );
    expect(came).toEqual([EVENTS, LONG_POLL]);
  },

  async 'C-9'(stage) {
    const { sent, fetch } = watchedFetch();
    const attempt = await clientOn(stage, stage.service, { fetch }).start({ locale: 'en' });
    const control = new AbortController();
    const waited = attempt.waitForResult({ signal: control.signal });
    const streams = () => sent.filter((asked) => asked === 'GET /status/ID/events').length;
    await expect.poll(streams).toBe(1);
    await stage.restart();
    await expect.poll(streams).toBeGreaterThan(1);
    if (stage.forgets) control.abort();
    else await signInByBrowser(attempt);
    if (stage.forgets) await expect(waited).rejects.toMatchObject({ code: 'client.aborted' });
    else expect((await waited).status).toBe('authenticated');
  },

  async 'C-10'(stage) {
    const busy = { status: 503, headers: { 'retry-after': '2' }, body: 'busy' };
    const before = performance.now();
    await waitBehind(stage, EVENTS, (asked, index) =>
      asked === EVENTS && index === 0 ? busy : 'pass',
    );
    expect(performance.now() - before).toBeGreaterThan(2_000);
  },

  async 'C-11'(stage) {
    const attempt = await clientOn(stage).start({ locale: 'en' });
    const late = { code: 'client.timeout' };
    await expect(attempt.waitForResult({ timeout: 100 })).rejects.toMatchObject(late);
    const kept = { ...JSON.parse(attempt.export()), token: 'x'.repeat(64) } as object;
    const unknown = clientOn(stage).resume(JSON.stringify(kept)).waitForResult();
    await expect(unknown).rejects.toMatchObject({ code: 'attempt.not_found' });
  },

  async 'C-13'(stage) {
    const { attempt, completionCode } = await signedIn(stage);
    const session = await attempt.issueToken({ completionCode });
    const shown =
      inspect({ attempt, session }, { depth: 9 }) + JSON.stringify({ attempt, session });
    for (const secret of [attempt.token, session.token, session.user.nationalId]) {
      expect(shown).not.toContain(secret);
    }
  },

  async 'C-14'(stage) {
    const attempt = await clientOn(stage).start({ locale: 'en' });
    const failure: unknown = await attempt.issueToken().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(MiftahError);
    expect(failure).toMatchObject({ code: 'attempt.pending', status: 409 });
  },

  async 'C-15'(stage) {
    const login = clientOn(stage).createLogin(new Map());
    const begin = (session: string) =>
      login.start(session, { locale: 'en' }) as Promise<BrowserAttempt>;
    const [mine, theirs] = [await begin('mine'), await begin('theirs')];
    const foreign = await signInByBrowser(theirs);
    expect(await login.finish('mine', { returned: foreign })).toEqual({ outcome: 'dropped' });
    const returned = await signInByBrowser(mine);
    expect(await login.finish('mine', { returned })).toMatchObject({ outcome: 'authenticated' });
  },

  async 'C-16'(stage) {
    const { attempt, completionCode } = await signedIn(stage);
    const { token } = await attempt.issueToken({ completionCode });
    const login = (clientId: string) => clientOn(stage).createLogin(new Map(), { clientId });
    expect(await login(stage.clientId).accept(token)).toMatchObject({ clientId: stage.clientId });
    const refused = { code: 'token.invalid' };
    await expect(login('another').accept(token)).rejects.toMatchObject(refused);
  },

  async 'C-27'(stage) {
    const attempt = await clientOn(stage).start({ locale: 'en', nationalId: '1000002201' });
    await attempt.cancel();
    expect(await attempt.status()).toMatchObject({ status: 'rejected' });
  },

  async 'C-25'(stage) {
    const { headers } = await fetch(`${stage.service.origin}/livez`);
    const now = Date.parse(headers.get('date') ?? '');
    onTestFinished(() => void vi.useRealTimers());
    for (const hours of [-6, 6]) {
      vi.useFakeTimers({ toFake: ['Date'] });
      vi.setSystemTime(now + hours * HOUR_MS);
      const { attempt, completionCode } = await signedIn(stage);
      expect(Math.abs(attempt.expiresAt.getTime() - now - 5 * MINUTE_MS)).toBeLessThan(MINUTE_MS);
      expect((await attempt.waitForResult()).status).toBe('authenticated');
      const { expiresAt } = await attempt.issueToken({ completionCode });
      expect(expiresAt.getTime()).toBeGreaterThan(now);
      vi.useRealTimers();
    }
  },

  async 'C-17'(stage) {
    const attempt = await clientOn(stage).start({ locale: 'en', nationalId: '1000003301' });
    const told = new Response(relayEvents(attempt).body).text();
    await decideOnPhone(stage.provider, attempt);
    const text = await told;
    expect(text.match(/"status":"\w+"/g)?.at(-1)).toBe('"status":"authenticated"');
    expect(text).not.toContain(attempt.token);
    expect(text).not.toContain('1000003301');
  },
};

/** Strict mode has the simulator in its process, and the checks of live mode. */
const SHORT = STAGES.filter(([name]) => name !== 'strict mode');

describe.each(atLength(STAGES, SHORT))('in %s', (_, open) => {
  const stage = open();
  test.each(Object.entries(PROMISES))('%s is kept', async (_number, keeps) => keeps(stage()));
});

test('each promise of client/PACKAGE.md is tried in each mode, or does not depend on it', () => {
  const page = readFileSync(new URL('../../../client/PACKAGE.md', import.meta.url), 'utf8');
  const promised = [...page.matchAll(/^- \*\*(C-\d+)\*\* /gm)].map(([, number]) => number);
  const tried = [...Object.keys(PROMISES), ...Object.keys(WITHOUT_SERVICE)];
  expect(promised.length).toBeGreaterThan(15);
  expect(new Set(promised)).toEqual(new Set(tried));
  expect(STAGES.map(([name]) => name)).toHaveLength(3);
});
