import { expect, test } from 'vitest';
import type { AttemptRecord } from '../../src/attempt/attempt.ts';
import { MINUTE_MS } from '../../src/values/time.ts';
import type { ProviderSession, Store } from '../../src/store/ports/store.port.ts';
import {
  authentication,
  digestNamed,
  redemption,
  redirectTransaction,
  sampleAttempt,
  samplePerson,
  START,
} from './samples.ts';
import { addressTests } from './store-launch-addresses.ts';
import { ENDS, inserted, opened, openedPush } from './store-states.ts';
import { useStore, type OpenStore } from './store-under-test.ts';

const BROWSERS = 20;
const NOW = START + 2;
const EXPIRES_AT = START + MINUTE_MS;

/** Tests of the browser's steps between launch and return. */
export function launchTests(open: OpenStore): void {
  const store = useStore(open);
  browserTests(store);
  addressTests(store);
  sessionTests(store);
  spoilTests(store);
  completionTests(store);
}

function browserTests(store: () => Store): void {
  const browser = digestNamed('a browser');

  test('S-42: the first browser is let in, and again, and no other', async () => {
    const { attemptId } = await opened(store(), redirectTransaction());
    const other = digestNamed('another browser');
    expect(await store().bindBrowser(attemptId, browser, NOW)).toBe(true);
    expect(await store().bindBrowser(attemptId, other, NOW)).toBe(false);
    expect(await store().bindBrowser(attemptId, browser, NOW)).toBe(true);
    expect(await boundBrowser(store(), attemptId)).toBe(browser);
  });

  test(`S-42: of ${BROWSERS} browsers at once one is let in`, async () => {
    const { attemptId } = await opened(store(), redirectTransaction());
    const browsers = Array.from({ length: BROWSERS }, (_, number) => digestNamed(`${number}`));
    const results = await Promise.all(
      browsers.map((one) => store().bindBrowser(attemptId, one, NOW)),
    );
    const winners = browsers.filter((_, index) => results[index]);
    expect(winners).toHaveLength(1);
    expect(await boundBrowser(store(), attemptId)).toBe(winners[0]);
  });

  test.each(Object.entries(ENDS))('S-42: none for an attempt that is %s', async (_, end) => {
    const attempt = await opened(store(), redirectTransaction());
    await end(store(), attempt);
    expect(await store().bindBrowser(attempt.attemptId, browser, NOW)).toBe(false);
    expect(await boundBrowser(store(), attempt.attemptId)).toBeNull();
  });

  test('S-42: up to, and not at, the expiry; a bound browser neither', async () => {
    const { attemptId } = await opened(store(), redirectTransaction());
    expect(await store().bindBrowser(attemptId, browser, EXPIRES_AT - 1)).toBe(true);
    expect(await store().bindBrowser(attemptId, browser, EXPIRES_AT)).toBe(false);
    const push = await openedPush(store());
    expect(await store().bindBrowser(push.attemptId, browser, NOW)).toBe(false);
    expect(await store().bindBrowser(sampleAttempt().attemptId, browser, NOW)).toBe(false);
  });
}

function sessionTests(store: () => Store): void {
  const browser = digestNamed('a browser');
  const replace = (
    { attemptId }: Pick<AttemptRecord, 'attemptId'>,
    session = anotherSession(),
    at = NOW,
    browserDigest = browser,
  ) => store().replaceSession({ attemptId, at, session, browserDigest });

  test('S-47: the session is the new one, its browser let in, and the old state unknown', async () => {
    const before = redirectTransaction();
    const attempt = await opened(store(), before);
    const session = anotherSession();
    expect(await replace(attempt, session)).toBe(true);
    const transaction = { ...before, ...session, browserDigest: browser };
    expect(await store().findTransaction(attempt.attemptId)).toEqual({ attempt, transaction });
    expect(await store().findByState(session.stateDigest)).toEqual({ attempt, transaction });
    expect(await store().findByState(before.stateDigest)).toBeNull();
    expect(await store().bindBrowser(attempt.attemptId, browser, NOW)).toBe(true);
    const other = digestNamed('another browser');
    expect(await store().bindBrowser(attempt.attemptId, other, NOW)).toBe(false);
  });

  test('S-47: not once a browser was let in, not even for that one', async () => {
    const replaced = await opened(store(), redirectTransaction());
    expect(await replace(replaced)).toBe(true);
    const bound = await opened(store(), redirectTransaction());
    await store().bindBrowser(bound.attemptId, browser, NOW);
    for (const attempt of [replaced, bound]) await expectUnchanged(attempt);
  });

  test(`S-47: of ${BROWSERS} replacements and launches at once one succeeds`, async () => {
    const attempt = await opened(store(), redirectTransaction());
    const results = await Promise.all(
      Array.from({ length: BROWSERS }, async (_, number) => {
        const own = digestNamed(`${number}`);
        return number % 2 === 0
          ? replace(attempt, anotherSession(), NOW, own)
          : store().bindBrowser(attempt.attemptId, own, NOW);
      }),
    );
    expect(results.filter(Boolean)).toHaveLength(1);
    const winner = digestNamed(`${results.indexOf(true)}`);
    expect(await boundBrowser(store(), attempt.attemptId)).toBe(winner);
  });

  test.each(Object.entries(ENDS))('S-47: not for an attempt that is %s', async (_, end) => {
    const attempt = await opened(store(), redirectTransaction(), { flow: 'oidc' });
    await end(store(), attempt);
    await expectUnchanged(attempt);
  });

  test('S-47: up to, and not at, the expiry; no spoiled one, no push, nothing unknown', async () => {
    const attempt = await opened(store(), redirectTransaction());
    await expectUnchanged(attempt, EXPIRES_AT);
    expect(await replace(attempt, anotherSession(), EXPIRES_AT - 1)).toBe(true);
    const spoiled = await opened(store(), redirectTransaction(), { flow: 'oidc' });
    expect(await store().spoilAttempt(spoiled.attemptId, NOW)).toBe(true);
    await expectUnchanged(spoiled);
    await expectUnchanged(await openedPush(store()));
    await expectUnchanged(sampleAttempt());
  });

  test('S-47: the session of another attempt is an error, and changes nothing', async () => {
    const session = anotherSession();
    await opened(store(), redirectTransaction(session));
    const attempt = await opened(store(), redirectTransaction());
    const before = await store().findTransaction(attempt.attemptId);
    await expect(replace(attempt, session)).rejects.toThrow(Error);
    expect(await store().findTransaction(attempt.attemptId)).toEqual(before);
  });

  async function expectUnchanged(
    attempt: Pick<AttemptRecord, 'attemptId'>,
    at = NOW,
  ): Promise<void> {
    const before = await store().findTransaction(attempt.attemptId);
    expect(await replace(attempt, anotherSession(), at)).toBe(false);
    expect(await store().findTransaction(attempt.attemptId)).toEqual(before);
  }
}

function anotherSession(): ProviderSession {
  const { launchUrl, stateDigest, nonce } = redirectTransaction();
  return { launchUrl: launchUrl ?? '', stateDigest, nonce };
}

function spoilTests(store: () => Store): void {
  const browser = digestNamed('a browser');
  const redirect = () => opened(store(), redirectTransaction(), { flow: 'oidc' });
  const standing = async ({ attemptId }: AttemptRecord) => ({
    found: await store().findAttempt(attemptId),
    transaction: (await store().findTransaction(attemptId))?.transaction,
    log: (await store().readAudit({ after: 0, limit: 1000, attemptId })).map(
      ({ action }) => action,
    ),
  });

  test('S-46: a pending attempt stays pending, and nobody finishes it', async () => {
    const attempt = await redirect();
    const { attemptId } = attempt;
    const person = samplePerson();
    expect(await store().bindBrowser(attemptId, browser, NOW)).toBe(true);
    expect(await store().spoilAttempt(attemptId, NOW)).toBe(true);
    expect(await store().authenticateAttempt(authentication(attempt, { person }))).toBeNull();
    expect(await store().bindBrowser(attemptId, browser, NOW)).toBe(false);
    const { found, transaction, log } = await standing(attempt);
    expect(found).toEqual({ attempt, user: null });
    expect(transaction).toMatchObject({ spoiledAt: NOW, launchUrl: null, browserDigest: browser });
    expect(log).toEqual(['attempt.spoiled']);
    // The person was not written either.
    const other = await inserted(store());
    const first = await store().authenticateAttempt(authentication(other, { person }));
    expect(first?.user?.createdAt).toBe(first?.user?.updatedAt);
  });

  test('S-46: what was authenticated fails, with one row in the audit log', async () => {
    const attempt = await redirect();
    await ENDS.authenticated(store(), attempt);
    expect(await store().spoilAttempt(attempt.attemptId, NOW)).toBe(true);
    const { found, log } = await standing(attempt);
    expect(found?.attempt).toMatchObject({
      failedAt: NOW,
      endReason: 'callback.browser_mismatch',
    });
    expect(log).toEqual(['attempt.authenticated', 'attempt.spoiled']);
    expect(await store().redeemAttempt(redemption(attempt))).toBeNull();
  });

  test(`S-46: of ${BROWSERS} calls at once one does it, and the moment stays`, async () => {
    const attempt = await redirect();
    const calls = Array.from({ length: BROWSERS }, (_, ms) =>
      store().spoilAttempt(attempt.attemptId, NOW + ms),
    );
    const done = await Promise.all(calls);
    expect(done.filter(Boolean)).toHaveLength(1);
    const { transaction, log } = await standing(attempt);
    expect(transaction).toMatchObject({ spoiledAt: NOW + done.indexOf(true) });
    expect(log).toEqual(['attempt.spoiled']);
  });

  test('S-46: not what has ended, no push, and nothing unknown', async () => {
    const rejected = await redirect();
    await ENDS.rejected(store(), rejected);
    const redeemed = await redirect();
    await ENDS.authenticated(store(), redeemed);
    await store().redeemAttempt(redemption(redeemed));
    const late = await redirect();
    const push = await openedPush(store());
    for (const { attemptId } of [rejected, redeemed, push, sampleAttempt()]) {
      const before = await store().findTransaction(attemptId);
      expect(await store().spoilAttempt(attemptId, NOW)).toBe(false);
      expect(await store().findTransaction(attemptId)).toEqual(before);
    }
    expect(await store().spoilAttempt(late.attemptId, EXPIRES_AT)).toBe(false);
    expect(await store().spoilAttempt(late.attemptId, EXPIRES_AT - 1)).toBe(true);
  });
}

function completionTests(store: () => Store): void {
  const first = { digest: digestNamed('first code'), expiresAt: EXPIRES_AT - 2 };
  const second = { digest: digestNamed('second code'), expiresAt: EXPIRES_AT - 1 };

  async function authenticated(): Promise<AttemptRecord> {
    const attempt = await inserted(store());
    const login = authentication(attempt, { completion: first });
    const result = await store().authenticateAttempt(login);
    if (result === null) throw new Error('the login was refused');
    await store().countWrongCode(attempt.attemptId, NOW);
    return { ...result.attempt, completionMisses: 1 };
  }

  test('S-44: the new code is right, the one before it wrong, and the rest as it was', async () => {
    const attempt = await authenticated();
    const { attemptId } = attempt;
    const rotated = {
      ...attempt,
      completionDigest: second.digest,
      completionExpiresAt: second.expiresAt,
    };
    const change = { attemptId, at: NOW, completion: second };
    expect(await store().rotateCompletion(change)).toEqual(rotated);
    expect((await store().findAttempt(attemptId))?.attempt).toEqual(rotated);
    const redeem = (completionDigest: typeof first.digest) =>
      store().redeemAttempt(redemption(attempt, { completionDigest }));
    expect(await redeem(first.digest)).toBeNull();
    expect(await redeem(second.digest)).not.toBeNull();
  });

  test('S-44: only of an attempt that is authenticated and not redeemed', async () => {
    const pending = await inserted(store());
    const redeemed = await authenticated();
    await store().redeemAttempt(redemption(redeemed));
    const failed = await authenticated();
    await ENDS.failed(store(), failed);
    for (const { attemptId } of [pending, redeemed, failed, sampleAttempt()]) {
      const before = await store().findAttempt(attemptId);
      expect(await store().rotateCompletion({ attemptId, at: NOW, completion: second })).toBeNull();
      expect(await store().findAttempt(attemptId)).toEqual(before);
    }
  });

  test('S-44: up to, and not at, the expiry', async () => {
    const { attemptId, expiresAt } = await authenticated();
    const rotate = (at: number) => store().rotateCompletion({ attemptId, at, completion: second });
    expect(await rotate(expiresAt)).toBeNull();
    expect(await rotate(expiresAt - 1)).not.toBeNull();
  });
}

async function boundBrowser(store: Store, attemptId: AttemptRecord['attemptId']) {
  const found = await store.findTransaction(attemptId);
  return found?.transaction.kind === 'redirect' ? found.transaction.browserDigest : undefined;
}
