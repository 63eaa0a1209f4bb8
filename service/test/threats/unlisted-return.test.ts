import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LiveClient } from '../support/live/live-client.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { BANK_KEY, CLIENTS } from '../support/live/rehearsal.ts';
import { reloadClients } from '../support/live/reload-clients.ts';
import { shareRehearsal } from '../support/live/shared-rehearsal.ts';

const rehearsal = shareRehearsal();
let bank: LiveClient;
beforeAll(() => {
  bank = new LiveClient(rehearsal(), BANK_KEY);
});

const [KEPT = '', LOST = ''] = CLIENTS.bank.return_addresses;
const SHORTER = { ...CLIENTS.bank, return_addresses: [KEPT] };

/** Takes one address out of the file, while attempts that lead to it are under way. */
const unlist = () => reloadClients(rehearsal(), [SHORTER, CLIENTS.shop]);
const listAgain = () => reloadClients(rehearsal(), Object.values(CLIENTS));
afterEach(listAgain);

const start = (address: string) => bank.startRedirect({ return_address: address });

/** The address at which a browser comes back that has approved, as the bank's own page would. */
async function approved(address: string) {
  const started = await start(address);
  const browser = new PersonBrowser();
  const page = await browser.launch(started.authorization_url);
  const back = await browser.returnFrom(page, 'amal');
  return { started, browser, back };
}

describe('threat 101: a return address that was taken out of the clients file', () => {
  it('between start and launch: no browser is sent to the provider', async () => {
    const [lost, kept] = [await start(LOST), await start(KEPT)];
    const browser = new PersonBrowser();
    const page = await browser.open(lost.authorization_url);
    await unlist();
    const pressed = await browser.press(page);
    expect([pressed.status, pressed.location]).toEqual([404, null]);
    expect((await browser.open(lost.authorization_url)).status).toBe(404);
    expect((await browser.open(kept.authorization_url)).status).toBe(200);
  });

  it('between launch and return: no code, and the provider is not asked', async () => {
    const { started, browser, back } = await approved(LOST);
    await unlist();
    const visit = await browser.open(back);
    expect([visit.status, visit.location]).toEqual([404, null]);
    expect(visit.html).not.toContain('completion_code');
    expect((await bank.status(started)).data['status']).toBe('pending');
    expect((await bank.redeem(started)).code).toBe('attempt.pending');
  });

  it('after a return: no other code', async () => {
    const { browser, back } = await approved(LOST);
    expect((await browser.open(back)).location?.searchParams.has('completion_code')).toBe(true);
    await unlist();
    const visit = await browser.open(back);
    expect([visit.status, visit.location]).toEqual([404, null]);
  });

  it('other addresses of the client, and the same one when it is listed again, get theirs', async () => {
    const [lost, kept] = [await approved(LOST), await approved(KEPT)];
    await unlist();
    expect((await kept.browser.open(kept.back)).location?.href.startsWith(KEPT)).toBe(true);
    expect((await lost.browser.open(lost.back)).status).toBe(404);
    await listAgain();
    expect((await lost.browser.open(lost.back)).location?.href.startsWith(LOST)).toBe(true);
  });

  it('an application that is no client any more is treated alike', async () => {
    const { started, browser, back } = await approved(KEPT);
    await reloadClients(rehearsal(), [CLIENTS.shop]);
    const visit = await browser.open(back);
    expect([visit.status, visit.location]).toEqual([404, null]);
    await listAgain();
    expect((await bank.status(started)).data['status']).toBe('pending');
  });
});
