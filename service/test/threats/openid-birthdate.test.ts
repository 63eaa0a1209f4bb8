import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as oidc from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { exportUser } from '../../src/account/personal-data.flow.ts';
import { DAY_MS, MINUTE_MS } from '../../src/values/time.ts';
import { openRehearsal } from '../support/live/shared-rehearsal.ts';
import {
  ask,
  beginIn,
  exchange,
  LASTING,
  OPENID_CLIENTS,
  openidBrowser,
  openStrictOpenid,
  signedIn,
  signInIn,
  wayBack,
  type OpenidScene,
} from '../support/openid/openid-scene.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';
import { decideOnPhoneOf } from '../support/client/web-example.ts';
import { errorOf, startPush } from '../support/openid/ciba.ts';

/** Where a day of birth is, and for how long. In strict simulator mode nothing is sealed. */

const AMAL = '1000001101';
const BORN = '1990-04-12';
const SCOPE = { scope: 'openid birthdate' };
const LASTING_BIRTH = { ...LASTING, scope: `${LASTING.scope} birthdate` };
const { portal, reader } = OPENID_CLIENTS;
const CLAIM = {
  claims: JSON.stringify({ userinfo: { birthdate: null }, id_token: { birthdate: null } }),
};

const openOwn = () => openStrictOpenid(onTestFinished, [portal, reader]);

/** Where the day is, in every table, whoever reads the file: the kinds of record, or else the table. */
function heldIn({ service: { dataDir } }: OpenidScene): string[] {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    return tables
      .map(({ name }) => String(name))
      .flatMap((table) =>
        database
          .prepare(`SELECT * FROM ${table}`)
          .all()
          .filter((row) => JSON.stringify(row).includes(BORN))
          .map(({ model = table }) => String(model)),
      )
      .toSorted();
  } finally {
    database.close();
  }
}

/** In how many milliseconds the last grant ends. */
function grantsEndIn({ service: { dataDir } }: OpenidScene): number {
  const database = new DatabaseSync(join(dataDir, 'miftah.db'), { readOnly: true });
  const last = "SELECT max(expires_at) AS last FROM openid_records WHERE model = 'Grant'";
  const row = database.prepare(last).get();
  database.close();
  return Number(row?.['last']) - Date.now();
}

/** All that the store has written, and what the log says. */
function writtenBy({ service: { dataDir, logLines } }: OpenidScene): string {
  const files = readdirSync(dataDir).filter((name) => name.startsWith('miftah.db'));
  const content = files.map((name) => readFileSync(join(dataDir, name), 'latin1'));
  return [...content, ...logLines].join('\n');
}

/** Somebody has approved, and their browser has not gone on. */
async function approved(own: OpenidScene, id: 'portal' | 'reader', parameters = {}) {
  const asked = await ask(own, { id, parameters });
  const browser = openidBrowser();
  const bound = await browser.open(await signInIn(browser, await beginIn(browser, asked)));
  const goOn = async () => {
    const { location } = await wayBack(browser, asked, bound.location ?? asked.url);
    return location ?? asked.url;
  };
  return { asked, goOn };
}

describe('threat 144: a day of birth', () => {
  it.each([
    ['has not asked for it', 'portal', { scope: 'openid profile email national_id' }],
    ['may not have it', 'reader', CLAIM],
  ] as const)('is written nowhere for a client that %s', async (_, id, parameters) => {
    const own = await openOwn();
    const { asked, goOn } = await approved(own, id, parameters);
    const tokens = await exchange(asked, await goOn());
    const { sub = '' } = { ...tokens.claims() };
    const told = await oidc.fetchUserInfo(asked.config, tokens.access_token, sub);
    expect({ ...tokens.claims(), ...told }).not.toHaveProperty('birthdate');
    expect(writtenBy(own)).not.toContain(BORN);
  });

  it('is of one record at a time, from the approval on until the client gives it back', async () => {
    const own = await openOwn();
    const { asked, goOn } = await approved(own, 'portal', LASTING_BIRTH);
    expect(heldIn(own)).toEqual(['BirthDate']);
    const back = await goOn();
    expect(heldIn(own)).toEqual(['Grant']);
    const tokens = await exchange(asked, back);
    const next = await oidc.refreshTokenGrant(asked.config, String(tokens.refresh_token));
    expect(heldIn(own)).toEqual(['Grant']);
    await oidc.tokenRevocation(asked.config, String(next.refresh_token));
    expect(heldIn(own)).toEqual([]);
    const { logLines } = own.service;
    expect(logLines.join('\n')).not.toContain(BORN);
  });

  it('is not kept for long where nobody exchanges the code', async () => {
    const own = await openOwn();
    const { asked, goOn } = await approved(own, 'portal', LASTING_BIRTH);
    const back = await goOn();
    expect(grantsEndIn(own)).toBeLessThanOrEqual(15 * MINUTE_MS);
    const tokens = await exchange(asked, back);
    expect(tokens.refresh_token).toBeDefined();
    expect(grantsEndIn(own)).toBeGreaterThan(DAY_MS);
  });

  it.each(['disabled', 'erased', 'revoked'])('goes with a person who is %s', async (how) => {
    const own = await openOwn();
    const first = await approved(own, 'portal', LASTING_BIRTH);
    const tokens = await exchange(first.asked, await first.goOn());
    const { goOn } = await approved(own, 'portal', SCOPE);
    expect(heldIn(own)).toEqual(['BirthDate', 'Grant']);
    const store = await openStoreBeside(own.service);
    const user = await store.findSubject(String(tokens.claims()?.sub));
    if (user === null) throw new Error('nobody has this sub');
    const at = Date.now();
    if (how === 'disabled') await store.disableUser(user.id, at);
    else if (how === 'revoked') await store.revokeAll(at, { userId: user.id });
    else await store.eraseUser({ userId: user.id, at, pushesOf: [], keepsOut: null });
    expect(heldIn(own)).toEqual([]);
    expect((await goOn()).searchParams.has('code')).toBe(false);
  });

  it('goes with somebody who is erased at their first sign-in, before its client has them', async () => {
    const own = await openOwn();
    await approved(own, 'portal', SCOPE);
    const store = await openStoreBeside(own.service);
    const [user] = await store.findUsersNamed(AMAL as Parameters<typeof store.findUsersNamed>[0]);
    if (user === undefined) throw new Error('nobody has signed in');
    await store.eraseUser({ userId: user.id, at: Date.now(), pushesOf: [], keepsOut: null });
    expect(heldIn(own)).toEqual([]);
  });

  it('is not kept for a client from which the scope was taken meanwhile', async () => {
    const own = await openOwn();
    const asked = await ask(own, { id: 'portal', parameters: SCOPE });
    const browser = openidBrowser();
    let location: URL | null = await signInIn(browser, await beginIn(browser, asked));
    while (location !== null && !location.pathname.startsWith('/openid/interaction/')) {
      ({ location } = await browser.open(location));
    }
    expect(heldIn(own)).toEqual(['BirthDate']);
    const less = { ...portal, openid: { ...portal.openid, scope: 'openid profile' } };
    writeClientsFile(dirname(own.clientsFile), [less]);
    await own.service.reload();
    const visit = await browser.open(location ?? asked.url);
    expect((await exchange(asked, visit.location ?? asked.url)).scope).toBe('openid');
    expect(heldIn(own)).toEqual([]);
  });

  it('is told by an export, for as long as it is kept, and by no introspection or row', async () => {
    const own = await openOwn();
    const asked = await ask(own, { id: 'portal', parameters: SCOPE });
    const tokens = await exchange(asked, await signedIn(asked));
    const known = await oidc.tokenIntrospection(asked.config, tokens.access_token);
    expect(JSON.stringify(known)).not.toContain(BORN);
    const store = await openStoreBeside(own.service);
    expect(JSON.stringify(await store.readAudit({ after: 0, limit: 100 }))).not.toContain(BORN);
    const exported = async () => {
      const user = await store.findSubject(String(tokens.claims()?.sub));
      if (user === null) throw new Error('nobody has this sub');
      return (await exportUser(store, [], user, Date.now())).json;
    };
    const births = { birthDates: [{ client: 'portal', birthDate: BORN }] };
    expect(await exported()).toMatchObject(births);
    await oidc.tokenRevocation(asked.config, tokens.access_token);
    expect(await exported()).toMatchObject({ birthDates: [] });
  });

  it('can be read in live mode in no file, no line of the log and no number of the metrics', async () => {
    const settings = { OPENID: 'on' };
    await using rehearsal = await openRehearsal({ clients: [portal], settings });
    const { origins, service } = rehearsal;
    const at = { origin: origins.service } as OpenidScene;
    const browser = openidBrowser();
    const asked = await ask(at, { id: 'portal', parameters: LASTING_BIRTH });
    const bound = await browser.open(await signInIn(browser, await beginIn(browser, asked)));
    const kept = () =>
      readdirSync(service.dataDir)
        .filter((name) => name.startsWith('miftah.db'))
        .map((name) => readFileSync(join(service.dataDir, name), 'latin1'))
        .join('\n');
    const readable = async () => {
      const metrics = await (await fetch(`${origins.service}/metrics`)).text();
      const all = [kept(), service.log(), metrics].join('\n');
      // As the claim has it, and as the provider's tokens do.
      return [BORN, '12-04-1990', 'Apr 12 00:00:00'].filter((form) => all.includes(form));
    };
    expect(kept()).toContain('BirthDate');
    expect(await readable()).toEqual([]);
    const { location } = await wayBack(browser, asked, bound.location ?? asked.url);
    const push = await startPush(asked.config, { ...SCOPE, login_hint: AMAL });
    await decideOnPhoneOf({ provider: origins.simulator }, AMAL);
    for (const tokens of [await exchange(asked, location ?? asked.url), await push.end()]) {
      const { sub = '' } = { ...tokens.claims() };
      const told = await oidc.fetchUserInfo(asked.config, tokens.access_token, sub);
      expect(told).toMatchObject({ birthdate: BORN });
    }
    expect(await readable()).toEqual([]);
  });

  it('of a push that is polled many times at once is in one grant', async () => {
    const own = await openOwn();
    const asked = await ask(own, { id: 'portal' });
    const push = await startPush(asked.config, { ...SCOPE, login_hint: AMAL });
    await decideOnPhoneOf({ provider: own.origin }, AMAL);
    const ends = await Promise.allSettled(Array.from({ length: 6 }, () => push.end()));
    expect(ends.filter((end) => errorOf(end) === null)).toHaveLength(1);
    expect(heldIn(own)).toEqual(['Grant']);
  });
});
