import { describe, expect, test } from 'vitest';
import { MiftahError } from '@miftah/client';
import { clientOf, MODES } from '../support/client/client-for-test.ts';
import { shareListeningService } from '../support/service/listening-service.ts';
import { decideOnPhone, signInByBrowser } from '../support/client/person.ts';
import { AMAL } from '../support/service/login.ts';

/** The numbered promises of client/PACKAGE.md, against the real service. */

describe.each(MODES)('a client in %s', (_, settings) => {
  const service = shareListeningService(settings);

  test('C-1 signs in by browser, and ends the token', async () => {
    const client = clientOf(service());
    const attempt = await client.start({ locale: 'en' });
    expect(await attempt.status()).toMatchObject({ status: 'pending', tokenReady: false });
    const waited = attempt.waitForResult();
    const back = await signInByBrowser(attempt);
    expect(await waited).toMatchObject({ status: 'authenticated', attemptId: attempt.id });
    const completionCode = back.searchParams.get('completion_code') ?? '';
    const session = await attempt.issueToken({ completionCode, deviceName: 'My phone' });
    expect(await client.user(session.token)).toEqual({ ...session.user, clientId: 'simulator' });
    expect(await client.introspect(session.token)).toMatchObject({
      active: true,
      sub: String(session.user.id),
    });
    await client.revoke(session.token);
    expect(await client.introspect(session.token)).toEqual({ active: false });
    const refused = await client.user(session.token).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(MiftahError);
    expect(refused).toMatchObject({ code: 'token.invalid', status: 401 });
  });

  test('C-1 signs in by phone', async () => {
    const client = clientOf(service());
    const attempt = await client.start({ locale: 'ar', nationalId: AMAL });
    expect(attempt.random).toMatch(/^\d+$/);
    const waited = attempt.waitForResult();
    await decideOnPhone(service(), attempt);
    expect((await waited).status).toBe('authenticated');
    expect((await attempt.issueToken()).user.nationalId).toBe(AMAL);
  });

  test('C-1 tells that the person has refused', async () => {
    const client = clientOf(service());
    const attempt = await client.start({ locale: 'en', nationalId: '1900000010' });
    const end = await attempt.waitForResult();
    expect(end).toMatchObject({ status: 'rejected', user: null });
    expect(end.message).toMatch(/\w/);
    await expect(attempt.issueToken()).rejects.toMatchObject({ code: 'attempt.rejected' });
  });

  test.each([
    ['phone', { nationalId: AMAL }],
    ['browser', {}],
  ])('C-27 cancels an attempt by %s, and ends the wait for it', async (__, person) => {
    const client = clientOf(service());
    const attempt = await client.start({ locale: 'en', ...person });
    const waited = attempt.waitForResult();
    await attempt.cancel();
    await attempt.cancel();
    expect(await waited).toMatchObject({
      status: 'rejected',
      message: 'The sign-in was cancelled.',
      user: null,
    });
    await expect(attempt.issueToken()).rejects.toMatchObject({ code: 'attempt.cancelled' });
  });

  test('C-27 leaves an attempt that was exchanged', async () => {
    const client = clientOf(service());
    const attempt = await client.start({ locale: 'en', nationalId: AMAL });
    await decideOnPhone(service(), attempt);
    await attempt.waitForResult();
    const session = await attempt.issueToken();
    await expect(attempt.cancel()).rejects.toMatchObject({ code: 'attempt.already_redeemed' });
    expect(await client.user(session.token)).toMatchObject({ nationalId: AMAL });
  });

  test('C-2 has names in camel case and times as Date', async () => {
    const client = clientOf(service());
    const attempt = await client.start({ locale: 'en', nationalId: '1900000001' });
    await attempt.waitForResult();
    const session = await attempt.issueToken();
    const found = await client.introspect(session.token);
    for (const time of [attempt.expiresAt, session.expiresAt, found.expiresAt, found.issuedAt]) {
      expect(time).toBeInstanceOf(Date);
      expect(time?.getTime()).toBeGreaterThan(0);
    }
    expect(found.expiresAt).toEqual(session.expiresAt);
    const names = [session.user, found, await attempt.status()].flatMap(Object.keys);
    expect(names.filter((name) => name.includes('_'))).toEqual([]);
  });
});
