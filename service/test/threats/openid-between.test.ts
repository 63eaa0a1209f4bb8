import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { share } from '../support/at-end.ts';
import {
  ask,
  beginIn,
  exchange,
  OPENID_CLIENTS,
  openidBrowser,
  openStrictOpenid,
  signInIn,
  type Asked,
} from '../support/openid/openid-scene.ts';
import { openStoreBeside } from '../support/openid/store-beside.ts';
import type { PersonBrowser } from '../support/live/person-browser.ts';

/** Attacks on an OpenID sign-in between the person's approval and the code, in strict mode. */

const scene = share((atEnd) => openStrictOpenid(atEnd, Object.values(OPENID_CLIENTS)));

/** Signs in, and stops before the address at which the code is given. */
async function heldBefore(
  asked: Asked,
  browser: PersonBrowser,
  { page, decision }: { readonly page?: URL; readonly decision?: string } = {},
): Promise<URL> {
  const begun = page === undefined ? await beginIn(browser, asked) : await browser.open(page);
  let location: URL | null = await signInIn(browser, begun, decision);
  while (location !== null && !/^\/openid\/interaction\/.*\/return$/.test(location.pathname)) {
    ({ location } = await browser.open(location));
  }
  if (location === null) throw new Error('the sign-in did not end');
  return location;
}

describe('threat 119: the end of a sign-in', () => {
  it('is not given to the browser that began it, when another one has signed in', async () => {
    const asked = await ask(scene(), { id: 'portal' });
    const [attacker, victim] = [openidBrowser(), openidBrowser()];
    const page = await beginIn(attacker, asked);
    // What a sibling of our host can set in the victim's browser.
    for (const [name, value] of attacker.cookies) {
      if (name.startsWith('miftah_interaction')) victim.cookies.set(name, value);
    }
    const held = await heldBefore(asked, victim, { page: page.url });
    const stolen = await attacker.open(held);
    expect([stolen.status, stolen.location]).toEqual([403, null]);
    expect(stolen.html).toContain('<html lang="ar" dir="rtl">');
    // The address of the library for it is not there.
    const resumed = new URL(page.url.href.replace('interaction', 'authorize'));
    expect((await attacker.open(resumed)).status).toBe(404);
    expect((await victim.open(held)).location?.searchParams.get('code')).toBeTruthy();
    // Pressed again, the request does not become a sign-in of the attacker's browser.
    expect((await attacker.press(page)).status).toBe(404);
    expect((await attacker.open(held)).location).toBeNull();
  });

  it('is not there before the person has approved, and to look for it ends nothing', async () => {
    const asked = await ask(scene(), { id: 'portal' });
    const browser = openidBrowser();
    const page = await beginIn(browser, asked);
    const early = await browser.open(`${page.url.origin}${page.url.pathname}/return`);
    expect([early.status, early.location]).toEqual([404, null]);
    const held = await heldBefore(asked, browser, { page: page.url });
    expect((await browser.open(held)).location?.searchParams.get('code')).toBeTruthy();
  });

  it('brought twelve times at once is one code, and not the refusal of the others', async () => {
    // The first one, alone, gives the person their `sub`.
    for (const length of [1, 12, 12]) {
      const asked = await ask(scene(), { id: 'portal' });
      const browser = openidBrowser();
      const held = await heldBefore(asked, browser);
      const visits = await Promise.all(Array.from({ length }, () => browser.open(held)));
      const onward = visits.flatMap(({ location }) => (location === null ? [] : [location]));
      expect(onward.map(({ searchParams }) => searchParams.has('code'))).toEqual([true]);
      for (const { status } of visits) expect(status).toBeLessThan(500);
    }
  });
});

describe('threat 122: between the approval and the code', () => {
  it.each([
    ['the person', 303, 'access_denied'],
    ['the client', 404, null],
    ['everybody', 404, null],
  ] as const)('revoking %s ends the sign-in', async (whom, status, error) => {
    const own = await openStrictOpenid(onTestFinished, Object.values(OPENID_CLIENTS));
    const [first, asked] = [await ask(own, { id: 'portal' }), await ask(own, { id: 'portal' })];
    const browser = openidBrowser();
    const done = await browser.open(await heldBefore(first, browser));
    const tokens = await exchange(first, done.location ?? first.url);
    const held = await heldBefore(asked, browser);
    const store = await openStoreBeside(own.service);
    const user = await store.findSubject(String(tokens.claims()?.sub));
    if (user === null) throw new Error('nobody has this sub');
    const scopes = {
      'the person': { userId: user.id },
      'the client': { client: 'portal' },
      everybody: 'all',
    } as const;
    await store.revokeAll(Date.now(), scopes[whom]);
    const visit = await browser.open(held);
    expect(visit.status).toBe(status);
    expect(visit.location?.searchParams.get('error') ?? null).toBe(error);
  });
});

describe('threat 121: between the approval and the code', () => {
  it.each([
    ['a redirect address that the operator removes gets nothing', 'approve'],
    ['nor is it told that the person has refused', 'refuse'],
  ])('%s', async (_, decision) => {
    const own = await openStrictOpenid(onTestFinished, [OPENID_CLIENTS.reader]);
    const asked = await ask(own, { id: 'reader' });
    const browser = openidBrowser();
    const held = await heldBefore(asked, browser, { decision });
    const { reader } = OPENID_CLIENTS;
    const moved = { ...reader.openid, redirect_uris: ['https://reader.example.test/new'] };
    writeClientsFile(dirname(own.clientsFile), [{ ...reader, openid: moved }]);
    await own.service.reload();
    const visit = await browser.open(held);
    expect([visit.status, visit.location]).toEqual([400, null]);
  });

  it('a scope that the operator removes is not granted', async () => {
    const own = await openStrictOpenid(onTestFinished, [OPENID_CLIENTS.reader]);
    const asked = await ask(own, { id: 'reader', parameters: { scope: 'openid profile' } });
    const browser = openidBrowser();
    const held = await heldBefore(asked, browser);
    const { reader } = OPENID_CLIENTS;
    writeClientsFile(dirname(own.clientsFile), [
      { ...reader, openid: { ...reader.openid, scope: 'openid' } },
    ]);
    await own.service.reload();
    const back = (await browser.open(held)).location ?? asked.url;
    expect((await exchange(asked, back)).scope).toBe('openid');
  });
});
