import { describe, expect, it } from 'vitest';
import type { Started } from '../support/live/live-client.ts';
import { openLive, type OpenedOptions, type OpenedScene } from '../support/live/live-service.ts';
import { PERSON } from '../support/live/provider-double.ts';
import { bringPush, comeBack, launched, signedIn } from '../support/live/steps.ts';
import { ISSUER } from '../support/provider/provider-under-test.ts';

const WEB = 'https://gateway.example.test';
const PUSH = 'an-application';
/** An empty variable is not set. */
const SPLIT = { PROVIDER_ISSUER: '', PROVIDER_WEB_ISSUER: WEB, PROVIDER_PUSH_ISSUER: PUSH };

const open = (settings: Record<string, string>, more: Partial<OpenedOptions> = {}) =>
  openLive({ ...more, settings });

/** The id of the person, after a sign-in by browser whose token has this issuer. */
async function byBrowser(scene: OpenedScene, iss: string): Promise<unknown> {
  const started = await scene.bank.startRedirect();
  const completion_code = await signedIn(scene, started, { iss });
  return idIn((await scene.bank.redeem(started, { completion_code })).data);
}

async function byPhone(scene: OpenedScene, iss: string): Promise<unknown> {
  const started = await scene.bank.startPhone(PERSON);
  expect((await push(scene, started, iss)).status).toBe(200);
  return idIn((await scene.bank.redeem(started)).data);
}

function push(scene: OpenedScene, { attempt_id: id }: Started, iss: string) {
  return bringPush(scene, scene.provider.message(id, scene.provider.phoneToken(id, { iss })));
}

function idIn({ user }: Readonly<Record<string, unknown>>): unknown {
  expect(user).toMatchObject({ national_id: PERSON, id: expect.any(Number) as unknown });
  return (user as { readonly id: unknown }).id;
}

/** The next service with the data of the one before it, and other issuers. */
async function again(before: OpenedScene, settings: Record<string, string>): Promise<OpenedScene> {
  await before.close();
  return open(settings, { after: before });
}

describe('threat 31: the issuer of the other flow', () => {
  it('of a push, in the token of a browser', async () => {
    const scene = await open(SPLIT);
    for (const iss of [PUSH, ISSUER]) {
      const started = await scene.bank.startRedirect();
      const browser = await launched(started);
      scene.provider.approve(started.attempt_id, { iss });
      expect((await comeBack(scene, started, browser)).status).toBe(502);
      expect((await scene.bank.status(started)).data).toMatchObject({ user: null });
    }
  });

  it('of a browser, in the token of a push', async () => {
    const scene = await open(SPLIT);
    const started = await scene.bank.startPhone(PERSON);
    for (const iss of [WEB, ISSUER]) {
      expect((await push(scene, started, iss)).status).toBe(401);
      expect((await scene.bank.status(started)).data).toMatchObject({ status: 'pending' });
    }
    expect((await push(scene, started, PUSH)).status).toBe(200);
  });
});

describe('threat 33: one person with tokens of two issuers', () => {
  it('is one user in both flows', async () => {
    const scene = await open(SPLIT);
    const id = await byBrowser(scene, WEB);
    expect(await byPhone(scene, PUSH)).toBe(id);
  });

  it('stays the same user when the one issuer becomes two, and two become the other one', async () => {
    const first = await open({ PROVIDER_ISSUER: WEB });
    const id = await byBrowser(first, WEB);
    const split = await again(first, SPLIT);
    expect(await byPhone(split, PUSH)).toBe(id);
    const merged = await again(split, { PROVIDER_ISSUER: PUSH });
    expect(await byBrowser(merged, PUSH)).toBe(id);
    expect(await byPhone(merged, PUSH)).toBe(id);
    const back = await again(merged, { PROVIDER_ISSUER: WEB });
    expect(await byPhone(back, WEB)).toBe(id);
  });

  it.each([WEB, PUSH])(
    'of a store that began with two, the one that stays does not matter: %s',
    async (issuer) => {
      const first = await open(SPLIT);
      const id = await byPhone(first, PUSH);
      const merged = await again(first, { PROVIDER_ISSUER: issuer });
      expect(await byBrowser(merged, issuer)).toBe(id);
    },
  );

  it('a provider whose issuers are all strange is another provider', async () => {
    const first = await open(SPLIT);
    await byPhone(first, PUSH);
    await expect(again(first, { PROVIDER_ISSUER: ISSUER })).rejects.toThrow(
      `issuer ${WEB} or ${PUSH}. It was to be used`,
    );
  });
});

describe('a provider with a path prefix for each flow', () => {
  const prefixes = { oidc: '/stg', mfa: '' };
  const settings = {
    PROVIDER_PATH_PREFIX: '',
    PROVIDER_WEB_PATH_PREFIX: '/stg',
    PROVIDER_PUSH_PATH_PREFIX: '/',
  };

  it('is asked for everything below the right one, by a service with one user for both', async () => {
    const scene = await open(settings, { prefixes });
    const id = await byBrowser(scene, ISSUER);
    expect(await byPhone(scene, ISSUER)).toBe(id);
    for (const operation of ['session', 'exchange', 'push', 'keys'] as const) {
      expect(scene.provider.received(operation)).not.toEqual([]);
    }
  });

  it('opens a store of one prefix', async () => {
    const first = await open({ PROVIDER_PATH_PREFIX: '/stg' }, { prefixes });
    const split = await again(first, settings);
    await byPhone(split, ISSUER);
    await expect(again(split, { PROVIDER_PATH_PREFIX: '/sandbox' })).rejects.toThrow(
      'path prefix "/stg" or ""',
    );
  });
});
