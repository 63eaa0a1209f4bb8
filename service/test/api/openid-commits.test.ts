import { beforeEach, describe, expect, it } from 'vitest';
import { Refusal } from '../../src/errors/refusal.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import type { OpenidChange, Store } from '../../src/store/ports/store.port.ts';
import { decideOnPhoneOf } from '../support/client/web-example.ts';
import { share } from '../support/at-end.ts';
import { startPush } from '../support/openid/ciba.ts';
import { demoCode, signInOf } from '../support/openid/demo-sign-in.ts';
import { discovered, LASTING, openOpenid } from '../support/openid/openid-scene.ts';
import * as oidc from 'openid-client';

/** What the requests of a sign-in write, each in as few commits as it can. */

const AMAL = '1000001101';

const opened = share(async (atEnd) => {
  const memory = createMemoryStore();
  const writes: string[] = [];
  /** What was asked for, and the attempts that were used up. */
  const order: string[] = [];
  const outage = { at: '' };
  const another = { isFirst: false };
  const noted =
    <Name extends 'putOpenid' | 'followOpenid' | 'consumeOpenid' | 'removeOpenid'>(name: Name) =>
    (...values: Parameters<Store[Name]>): ReturnType<Store[Name]> => {
      writes.push(name);
      return Reflect.apply(memory[name], memory, values) as ReturnType<Store[Name]>;
    };
  const store: Store = {
    ...memory,
    putOpenid: noted('putOpenid'),
    followOpenid: noted('followOpenid'),
    consumeOpenid: noted('consumeOpenid'),
    removeOpenid: noted('removeOpenid'),
    async useAttempt(change) {
      const isUsed = await memory.useAttempt(change);
      order.push('used up');
      return isUsed;
    },
    async changeOpenid(changes) {
      const shape = changes.map(shapeOf).join(', ');
      writes.push(shape);
      order.push(shape);
      if (outage.at === shape) throw new Refusal('storage.unavailable');
      for (const change of another.isFirst ? changes : []) {
        if ('remove' in change) await memory.removeOpenid(change.remove);
      }
      return memory.changeOpenid(changes);
    },
  };
  return {
    writes,
    order,
    outage,
    another,
    ...(await openOpenid(atEnd, {}, { openStore: async () => store })),
  };
});

function shapeOf(change: OpenidChange): string {
  if ('put' in change) return `put ${change.put.model}`;
  if ('consume' in change) return `consume ${change.consume.model}`;
  return 'remove' in change ? `remove ${change.remove.model}` : `follow ${change.follow.model}`;
}

beforeEach(() => void opened().writes.splice(0));

describe('a sign-in writes', () => {
  it('the code with all that it belongs to at once, and the token with the end of the code', async () => {
    const { origin, writes } = opened();
    const redeemAt = await demoCode(origin);
    const given = 'put Grant, remove Interaction, put AuthorizationCode, follow Session';
    expect(writes).toEqual(['putOpenid', given]);
    expect((await redeemAt(origin)).status).toBe(200);
    expect(writes.slice(2)).toEqual(['consume AuthorizationCode, put AccessToken']);
  });

  it('the end of the attempt with the code, but at the first sign-in of a person', async () => {
    const { origin, order } = opened();
    await demoCode(origin);
    order.splice(0);
    await demoCode(origin);
    const given = 'put Grant, remove Interaction, put AuthorizationCode, follow Session';
    expect(order).toEqual([given, 'used up']);
  });

  it('no code of an interaction that has just ended', async () => {
    const { origin, another } = opened();
    another.isFirst = true;
    const [end] = await Promise.allSettled([signInOf(origin)]);
    another.isFirst = false;
    expect(end.status === 'rejected' && String(end.reason)).toContain('no way back: 4');
  });

  it('a token for later, and then that the grant lasts as long, and answers after both alone', async () => {
    const { origin, writes, outage } = opened();
    const redeemAt = await demoCode(origin, LASTING);
    expect((await redeemAt(origin)).status).toBe(200);
    const [used, ...lasting] = [
      'consume AuthorizationCode, put AccessToken',
      'putOpenid',
      'put Grant',
    ];
    expect(writes.slice(2)).toEqual([used, ...lasting]);
    outage.at = 'put Grant';
    const failed = await (await demoCode(origin, LASTING))(origin);
    outage.at = '';
    expect([failed.status, await failed.json()]).toMatchObject([
      503,
      { error: 'temporarily_unavailable' },
    ]);
  });

  it('the end of an interaction that is refused, which is then over', async () => {
    const { origin, writes } = opened();
    const { back } = await signInOf(origin, { decision: 'refuse' });
    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(writes.slice(1)).toEqual(['remove Interaction']);
  });

  it('by a push the grant with the token', async () => {
    const { origin, writes } = opened();
    const auth = oidc.ClientSecretBasic('mfk_test_demo_web');
    const { end } = await startPush(await discovered(origin, 'demo-web', auth), {
      login_hint: AMAL,
    });
    await decideOnPhoneOf({ provider: origin }, AMAL);
    await end();
    const request = 'BackchannelAuthenticationRequest';
    const given = `put Grant, put ${request}, consume ${request}, put AccessToken`;
    expect(writes).toEqual([given]);
  });
});
