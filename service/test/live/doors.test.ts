import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeClientsFile } from '../../../scripts/rehearsal.ts';
import { until } from '../support/programs/until.ts';
import { LiveClient } from '../support/live/live-client.ts';
import { PersonBrowser } from '../support/live/person-browser.ts';
import { BANK_KEY, CLIENTS, rehearse, SHOP_KEY } from '../support/live/rehearsal.ts';
import { openRehearsal, type OpenedRehearsal } from '../support/live/shared-rehearsal.ts';

let rehearsal: OpenedRehearsal;
beforeAll(async () => void (rehearsal = await openRehearsal()));
afterAll(async () => rehearsal[Symbol.asyncDispose]());

const as = (key: string | null) => new LiveClient(rehearsal, key);

describe('who may start', () => {
  it('a client with its key, and one that is keyless for the flow', async () => {
    expect((await as(BANK_KEY).start({})).status).toBe(200);
    expect((await as(SHOP_KEY).start({})).status).toBe(200);
    expect((await as(null).start({})).status).toBe(200);
  });

  it.each(['mfk_wrong_0123456789abcdef', 'mfk_test_simulator', `${BANK_KEY}0`])(
    'nobody with the key %s, not even as the keyless client',
    async (key) => {
      const refused = await as(key).start({});
      expect([refused.status, refused.code]).toEqual([401, 'client.unauthenticated']);
    },
  );
});

async function backTo(body: object): Promise<URL> {
  const { authorization_url: address } = await as(BANK_KEY).startRedirect(body);
  return new PersonBrowser().signIn(address, 'amal');
}

describe('where the browser is sent back to', () => {
  it('is the first of the client’s addresses, or the one that it names', async () => {
    expect((await backTo({})).href).toContain('https://bank.example.test/return?attempt_id=');
    const other = await backTo({ return_address: CLIENTS.bank.return_addresses[1] });
    expect(other.href).toContain('https://bank.example.test/other?a=b&attempt_id=');
  });

  it.each([
    'https://shop.example.test/return',
    'https://bank.example.test/return/',
    'https://bank.example.test/return?x',
    'https://bank.example.test/return#',
    'HTTPS://bank.example.test/return',
    'https://bank.example.test:443/return',
    '//bank.example.test/return',
    '',
  ])('is none that is not to the letter one of them: %j', async (address) => {
    const refused = await as(BANK_KEY).start({ return_address: address });
    expect([refused.status, refused.code]).toEqual([422, 'validation.failed']);
    expect(refused.body).toMatchObject({
      message:
        'The return address is not one of those registered for this client: allowed are ' +
        'https://bank.example.test/return, https://bank.example.test/other?a=b. CLIENTS_FILE lists ' +
        'them under return_addresses.',
      violations: [{ pointer: '/return_address', code: 'not_listed' }],
    });
  });
});

describe('the flow by phone', () => {
  it('is refused where no address for signed results is registered, and the other one is not', async () => {
    await using other = await openRehearsal({ settings: { PROVIDER_MFA_CALLBACK: '' } });
    const client = new LiveClient(other, BANK_KEY);
    const refused = await client.start({ national_id: '1000002201' });
    expect([refused.status, refused.code]).toEqual([403, 'flow.unavailable']);
    expect((await client.start({})).status).toBe(200);
  });
});

describe('the clients, read anew', () => {
  const NEXT_KEY = 'mfk_bank_next_0123456789';

  it('know a new key beside the old one, and then the new one alone', async () => {
    await using own = await rehearse();
    const { plan, service } = own;
    const client = (key: string) => new LiveClient(own, key);
    const statusOf = async (key: string) => (await client(key).start({})).status;
    const readAnew = (keys: readonly string[]) => {
      writeClientsFile(plan.folder, [{ ...CLIENTS.bank, keys }]);
      service.signal('SIGHUP');
    };
    const attempt = await client(BANK_KEY).startRedirect();
    readAnew([BANK_KEY, NEXT_KEY]);
    await until(async () => (await statusOf(NEXT_KEY)) === 200);
    expect(await statusOf(BANK_KEY)).toBe(200);
    readAnew([NEXT_KEY]);
    await until(async () => (await statusOf(BANK_KEY)) === 401);
    expect((await client(NEXT_KEY).status(attempt)).data['status']).toBe('pending');
  });

  it('stay as they were when the file is wrong, and the log says what is', async () => {
    await using own = await rehearse();
    const { plan, service } = own;
    writeClientsFile(plan.folder, []);
    service.signal('SIGHUP');
    await until(async () => service.stdout().includes('is empty'));
    const [line = ''] = /^.*everything stays as it was.*$/m.exec(service.stdout()) ?? [];
    const told = JSON.parse(line) as { reason: unknown };
    // It is a fault of the file: where the service found it is of no use to who has written it.
    expect(told).not.toHaveProperty('err');
    const file = join(plan.folder, 'clients.json');
    expect(told.reason).toBe(`${file} can't be used:\n  - "clients" is empty`);
    expect((await new LiveClient(own, BANK_KEY).start({})).status).toBe(200);
  });
});
