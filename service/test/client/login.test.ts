import { createClient, type BrowserAttempt, type Login } from '@miftah/client';
import { describe, expect, test } from 'vitest';
import { clientOf, MODES, recordingFetch } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { decideOnPhone, signInByBrowser } from '../support/client/person.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { logIn } from '../support/live/live-login.ts';
import { BANK_KEY, SHOP_KEY } from '../support/live/rehearsal.ts';
import { shareRehearsal } from '../support/live/shared-rehearsal.ts';
import { AMAL } from '../support/service/login.ts';

/** Starts by browser in the session of this id. */
async function begin(login: Login, session: string): Promise<BrowserAttempt> {
  return (await login.start(session, { locale: 'en' })) as BrowserAttempt;
}

describe.each(MODES)('C-15 a login at a back end in %s', (_, settings) => {
  const service = shareListeningService(settings);
  const open = () => {
    const sessions = new Map<string, string>();
    return { sessions, login: clientOf(service()).createLogin(sessions) };
  };

  test('signs in the browser that has started', async () => {
    const { login, sessions } = open();
    const returned = await signInByBrowser(await begin(login, 'mine'));
    const result = await login.finish('mine', { returned, deviceName: 'web' });
    expect(result).toMatchObject({ outcome: 'authenticated', token: { user: { id: 1 } } });
    expect(sessions.size).toBe(0);
    expect(await login.finish('mine', { returned })).toEqual({ outcome: 'dropped' });
  });

  test('signs in by phone', async () => {
    const { login } = open();
    const attempt = await login.start('mine', { locale: 'en', nationalId: AMAL });
    expect(await login.finish('mine')).toEqual({ outcome: 'pending' });
    await decideOnPhone(service(), attempt);
    await (await login.attempt('mine'))?.waitForResult();
    expect(await login.finish('mine')).toMatchObject({ outcome: 'authenticated' });
  });

  test('drops a login that somebody gives away: the return of another session', async () => {
    const { login } = open();
    const theirs = await signInByBrowser(await begin(login, 'attacker'));
    expect(await login.finish('victim', { returned: theirs })).toEqual({ outcome: 'dropped' });
    const own = await begin(login, 'victim');
    expect(await login.finish('victim', { returned: theirs })).toEqual({ outcome: 'dropped' });
    expect((await login.attempt('victim'))?.id).toBe(own.id);
  });

  test('signs in nobody by a link that was passed on: the code is needed', async () => {
    const { login } = open();
    const attempt = await begin(login, 'attacker');
    await signInByBrowser(attempt);
    const forged = [
      `/return?attempt_id=${attempt.id}`,
      `/return?attempt_id=${attempt.id}&error=access_denied`,
      '/return',
      'http://[',
    ];
    for (const returned of forged) {
      expect(await login.finish('attacker', { returned })).toEqual({ outcome: 'dropped' });
    }
    expect(await login.finish('attacker')).toEqual({ outcome: 'dropped' });
    const guessed = `/return?attempt_id=${attempt.id}&completion_code=${'A'.repeat(43)}`;
    await expect(login.finish('attacker', { returned: guessed })).rejects.toMatchObject({
      code: 'attempt.completion_required',
    });
  });

  test('believes the status and not the address', async () => {
    const { login, sessions } = open();
    const attempt = await begin(login, 'mine');
    const returned = `/return?attempt_id=${attempt.id}&error=access_denied`;
    expect(await login.finish('mine', { returned })).toEqual({ outcome: 'pending' });
    const refused = await signInByBrowser(attempt, 'refuse');
    expect(await login.finish('mine', { returned: refused })).toEqual({ outcome: 'rejected' });
    expect(sessions.size).toBe(0);
  });

  test('ends with one that was cancelled meanwhile', async () => {
    const { login, sessions } = open();
    const attempt = await begin(login, 'mine');
    const returned = await signInByBrowser(attempt, 'approve');
    await attempt.cancel();
    expect(await login.finish('mine', { returned })).toEqual({ outcome: 'rejected' });
    expect(sessions.size).toBe(0);
  });

  test.each(['approve', 'refuse'] as const)(
    'leaves what another tab has started while it finished: %s',
    async (decision) => {
      const held = Promise.withResolvers<void>();
      const [asked, ask] = [Promise.withResolvers<void>(), decision === 'approve' ? 'POST' : 'GET'];
      const holding: typeof fetch = async (address, init = {}) => {
        const isFinish =
          /\/(?:token|status)\//.test(new Request(address).url) && init.method === ask;
        if (isFinish) asked.resolve();
        if (isFinish) await held.promise;
        return recordingFetch(address, init);
      };
      const sessions = new Map<string, string>();
      const login = clientOf(service(), { fetch: holding }).createLogin(sessions);
      const returned = await signInByBrowser(await begin(login, 'mine'), decision);
      const finished = login.finish('mine', { returned });
      await asked.promise;
      const newer = await begin(login, 'mine');
      held.resolve();
      const outcome = decision === 'approve' ? 'authenticated' : 'rejected';
      expect(await finished).toMatchObject({ outcome });
      expect((await login.attempt('mine'))?.id).toBe(newer.id);
    },
  );

  test('does not finish what was forgotten, as at a sign-out', async () => {
    const { login, sessions } = open();
    const returned = await signInByBrowser(await begin(login, 'mine'));
    await login.forget('mine');
    expect(await login.finish('mine', { returned })).toEqual({ outcome: 'dropped' });
    expect(sessions.size).toBe(0);
  });

  test('reads what comes after the # too', async () => {
    const { login } = open();
    const { search } = await signInByBrowser(await begin(login, 'mine'));
    const returned = `https://app.example/return#${search.slice(1)}`;
    expect(await login.finish('mine', { returned })).toMatchObject({ outcome: 'authenticated' });
  });
});

describe('C-16 threat 62: a token that a caller brings', () => {
  const rehearsal = shareRehearsal();
  const backEnd = (clientKey: string, options = {}) => {
    const baseUrl = `${rehearsal().service.origin}/api/v1`;
    return createClient({ baseUrl, clientKey }).createLogin(new Map(), options);
  };

  test('is refused when it was issued to another application', async () => {
    const ofShop = await logIn(new LiveClient(rehearsal(), SHOP_KEY));
    const refused = { code: 'token.invalid', status: 401 };
    await expect(backEnd(BANK_KEY).accept(ofShop)).rejects.toMatchObject(refused);
    await expect(backEnd(BANK_KEY, { clientId: 'bank' }).accept(ofShop)).rejects.toMatchObject(
      refused,
    );
    await expect(backEnd(SHOP_KEY).accept('mft_test_forged')).rejects.toMatchObject(refused);
    const accepted = { clientId: 'shop', userId: expect.any(Number) as number };
    expect(await backEnd(SHOP_KEY).accept(ofShop)).toEqual(accepted);
    expect(await backEnd(BANK_KEY, { clientId: 'shop' }).accept(ofShop)).toEqual(accepted);
  });
});
