import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { createMemoryStore } from '../../src/store/index.ts';
import type { OpenidChange } from '../../src/store/ports/store.port.ts';
import { SECOND_MS } from '../../src/values/time.ts';
import { share } from '../support/at-end.ts';
import { decideOnPhoneOf } from '../support/client/web-example.ts';
import { errorOf, startPush } from '../support/openid/ciba.ts';
import {
  discovered,
  OPENID_CLIENTS,
  openOpenid,
  openStrictOpenid,
  PORTAL_KEY,
  type OpenidScene,
} from '../support/openid/openid-scene.ts';
import { openRehearsal } from '../support/live/shared-rehearsal.ts';
import { openSso } from '../support/openid/sso-scene.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';
import { outcomeNumber } from '../support/service/outcome-number.ts';

/** Attacks on sign-ins by CIBA, in strict mode. */

const AMAL = '1000001101';
const OTHER_KEY = 'mfk_other_0123456789abcdef';
const { portal, reader } = OPENID_CLIENTS;
const other = { ...portal, id: 'other', keys: [OTHER_KEY] };
const { backchannel_token_delivery_mode: _, ...browserAlone } = portal.openid;
const without = {
  ...portal,
  id: 'without',
  keys: ['mfk_without_0123456789ab'],
  openid: browserAlone,
};
const scene = share((atEnd) => openStrictOpenid(atEnd, [portal, reader, other, without]));

type Place = Pick<OpenidScene, 'origin'>;
const config = (at: Place = scene(), id = 'portal', key = PORTAL_KEY) =>
  discovered(at.origin, id, oidc.ClientSecretBasic(key));
const asked = async (at: Place = scene()) => startPush(await config(at), { login_hint: AMAL });
const decide = (decision: 'approve' | 'refuse', at: Place = scene()) =>
  decideOnPhoneOf({ provider: at.origin }, AMAL, decision);

async function promptsAt({ origin }: OpenidScene): Promise<number> {
  const { data } = (await (await fetch(`${origin}/simulator/prompts`)).json()) as { data: [] };
  return data.length;
}

const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  fetch(`${scene().origin}/openid/backchannel`, {
    method: 'POST',
    body: new URLSearchParams({ scope: 'openid', login_hint: AMAL, ...form }),
    headers,
  });

const basic = (id: string, key: string) => ({ authorization: `Basic ${btoa(`${id}:${key}`)}` });

describe('threat 129: a push by CIBA', () => {
  it.each([
    ['nobody', {}, {}, 400],
    ['a wrong key', {}, basic('portal', OTHER_KEY), 401],
    ['a public client', { client_id: 'reader' }, {}, 400],
    ['a client that may not', {}, basic('without', 'mfk_without_0123456789ab'), 400],
  ])('is not sent for %s', async (_who, form, headers, status) => {
    expect((await post(form, headers)).status).toBe(status);
    expect(await promptsAt(scene())).toBe(0);
  });

  it('says in the log what the client lacks', () => {
    const lines = scene().service.logLines.join('');
    expect(lines).toContain('is not allowed for this client');
    expect(lines).toContain('may have \\"backchannel_token_delivery_mode\\": \\"poll\\" in openid');
  });

  it('is not sent by an address', async () => {
    const query = new URLSearchParams({ scope: 'openid', login_hint: AMAL }).toString();
    const answer = await fetch(`${scene().origin}/openid/backchannel?${query}`, {
      headers: basic('portal', PORTAL_KEY),
    });
    expect(answer.status).toBe(405);
    expect(await promptsAt(scene())).toBe(0);
  });

  it('is not sent for a request that is nested too deeply to be kept', async () => {
    const deep = `${'['.repeat(25_000)}${']'.repeat(25_000)}`;
    // For an object with an index in the place of a name, the engine needs its stack.
    const claims = `{"id_token":{"sub":{"value":${deep}},"1":null}}`;
    const answer = await fetch(`${scene().origin}/openid/backchannel`, {
      method: 'POST',
      // Written as it is, more of it is in the limit of a body.
      body: `scope=openid&login_hint=${AMAL}&claims=${claims}`,
      headers: {
        ...basic('portal', PORTAL_KEY),
        'content-type': 'application/x-www-form-urlencoded',
      },
    });
    expect(await answer.json()).toMatchObject({ error: 'invalid_request' });
    expect(await promptsAt(scene())).toBe(0);
  });

  it('leaves the number of the person in the attempt alone, with which it is erased', async () => {
    const at = await openStrictOpenid(onTestFinished, [portal]);
    const { asked: own, end } = await asked(at);
    const store = await openStoreBeside(at.service);
    const kept = () =>
      store.findOpenid({ model: 'BackchannelAuthenticationRequest', id: own.auth_req_id });
    expect((await kept())?.body).not.toContain(AMAL);
    await decide('approve', at);
    await end();
    expect((await kept())?.body).not.toContain(AMAL);
  });

  it.each([
    ['active_transaction', 429, 'temporarily_unavailable'],
    ['provider_down_503', 503, 'temporarily_unavailable'],
    ['unknown_record', 400, 'unknown_user_id'],
  ])('that the provider does not send says so: %s', async (outcome, status, error) => {
    const answer = await post({ login_hint: outcomeNumber(outcome) }, basic('portal', PORTAL_KEY));
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([status, status !== 400]);
    expect(await answer.json()).toMatchObject({ error });
  });
});

it('threat 129: in live mode a person gets one push at a time, and no file has their number', async () => {
  const settings = { OPENID: 'on' };
  await using rehearsal = await openRehearsal({ clients: [portal], settings });
  const { origins, service } = rehearsal;
  const at = { origin: origins.service };
  const { asked: own, end } = await asked(at);
  const second = asked(at);
  await expect(second).rejects.toMatchObject({ status: 429, error: 'temporarily_unavailable' });
  const files = readdirSync(service.dataDir).filter((name) => name.startsWith('miftah.db'));
  const content = files.map((name) => readFileSync(join(service.dataDir, name), 'latin1')).join();
  const hidden = [AMAL, own.auth_req_id];
  expect(hidden.filter((text) => content.includes(text))).toEqual([]);
  expect(content).toContain('openid_records');
  await decide('approve', { origin: origins.simulator });
  expect((await end()).claims()).toHaveProperty('sub');
});

describe('threat 129: the tokens of a push', () => {
  it('are for the client that has asked alone', async () => {
    const { asked: own, end } = await asked();
    await decide('approve');
    const stolen = oidc.genericGrantRequest(
      await config(scene(), 'other', OTHER_KEY),
      'urn:openid:params:grant-type:ciba',
      { auth_req_id: own.auth_req_id },
    );
    await expect(stolen).rejects.toMatchObject({ error: 'invalid_grant' });
    expect((await end()).claims()).toHaveProperty('sub');
  });

  it('asked for ten times at once are given once, and stay good', async () => {
    const { end, poll } = await asked();
    await decide('approve');
    // Whether the provider has told the service already: the first of the ten may be early.
    const ends = await Promise.allSettled(Array.from({ length: 10 }, () => end()));
    const given = ends.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(given).toHaveLength(1);
    expect(new Set(ends.map(errorOf))).toEqual(new Set([null, 'invalid_grant']));
    await expect(poll()).rejects.toMatchObject({ error: 'invalid_grant' });
    const token = given[0]?.access_token ?? '';
    expect(await oidc.tokenIntrospection(await config(), token)).toMatchObject({ active: true });
  });

  it('are not taken back by a poll at an instance whose turn came before the end of another', async () => {
    const memory = createMemoryStore();
    let ended = 0;
    const store = {
      ...memory,
      async changeOpenid(changes: readonly OpenidChange[]) {
        for (const change of changes) {
          if ('consume' in change) await memory.consumeOpenid(change.consume, Date.now());
        }
        return memory.changeOpenid(changes);
      },
      async removeOpenidGrant(...removal: Parameters<typeof memory.removeOpenidGrant>) {
        ended += 1;
        return memory.removeOpenidGrant(...removal);
      },
    };
    const at = await openOpenid(onTestFinished, {}, { openStore: async () => store });
    const { end } = await startPush(await config(at, 'demo-web', 'mfk_test_demo_web'), {
      login_hint: AMAL,
    });
    await decide('approve', at);
    await expect(end()).rejects.toMatchObject({ error: 'invalid_grant' });
    expect(ended).toBe(0);
  });

  it('are not given for an answer of the provider about somebody else', async () => {
    const { end } = await startPush(await config(), {
      login_hint: outcomeNumber('token_other_person'),
    });
    await expect(end()).rejects.toMatchObject({ error: 'access_denied' });
  });

  it.each(['disabled', 'revoked'] as const)(
    'are not given to a person who is %s while the phone is asked',
    async (how) => {
      const at = await openStrictOpenid(onTestFinished, [portal]);
      const first = await asked(at);
      await decide('approve', at);
      const store = await openStoreBeside(at.service);
      const user = await store.findSubject(String((await first.end()).claims()?.sub));
      if (user === null) throw new Error('nobody has this sub');
      const { end } = await asked(at);
      if (how === 'disabled') await store.disableUser(user.id, Date.now());
      else await store.revokeAll(Date.now(), { userId: user.id });
      await decide('approve', at);
      await expect(end()).rejects.toMatchObject({ error: 'access_denied' });
    },
  );

  it('are not given to a client that was removed, or may not ask any more', async () => {
    const at = await openStrictOpenid(onTestFinished, [portal]);
    const { poll } = await asked(at);
    await decide('approve', at);
    for (const [left, status] of [
      [{ ...portal, openid: browserAlone }, 400],
      [reader, 401],
    ] as const) {
      writeClientsFile(dirname(at.clientsFile), [left]);
      await at.service.reload();
      await expect(poll()).rejects.toMatchObject({ status });
    }
  });

  it('are asked for no more often than the answer says', async () => {
    const at = await openSso(onTestFinished, [portal], { RATE_LIMITS: 'on' });
    const { poll, asked: own } = await asked(at);
    const errors: (string | null)[] = [];
    for (let time = 0; time <= 60 / Number(own.interval); time += 1) {
      errors.push(errorOf((await Promise.allSettled([poll()]))[0]));
    }
    expect(errors.pop()).toBe('slow_down');
    expect(new Set(errors)).toEqual(new Set(['authorization_pending']));
    at.advance(7 * SECOND_MS);
    const refused: unknown = await poll().catch((error: unknown) => error);
    if (!(refused instanceof oidc.ResponseBodyError)) throw new Error('it was answered');
    const wait = Number(refused.response.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(Number(own.interval));
    expect(refused.error_description).toContain(`ask again in ${wait} seconds`);
    at.advance(wait * SECOND_MS);
    // By then this push has ended.
    await expect(poll()).rejects.toMatchObject({ error: 'expired_token' });
  });
});
