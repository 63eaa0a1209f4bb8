import { expect, it } from 'vitest';
import { writeClientsFile, type ClientEntry } from '../../../scripts/rehearsal.ts';
import { temporaryFolder } from '../support/at-end.ts';
import { openLive } from '../support/live/live-service.ts';
import { BANK_KEY, CLIENTS, SHOP_KEY } from '../support/live/rehearsal.ts';
import { bearer } from '../support/service/login.ts';
import { STRICT } from '../support/service/strict-login.ts';
import { openTestService } from '../support/service/test-service.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/values/time.ts';

/** The member "limits" of the clients file. The shop is another back end, without one. */

const SHOP: ClientEntry = { ...CLIENTS.shop, type: 'confidential', keyless: [] };

function clientsWith(folder: string, limits: NonNullable<ClientEntry['limits']>): string {
  return writeClientsFile(folder, [{ ...CLIENTS.bank, limits }, SHOP]);
}

let people = 0;
const somebody = () => String(1_087_600_000 + (people += 1));

it('of requests without an end user’s address are its own, and new ones hold from a reload on', async () => {
  const folder = temporaryFolder('limits');
  const file = clientsWith(folder, { requests_per_minute: 2 });
  const settings = { ...STRICT, RATE_LIMITS: 'on', CLIENTS_FILE: file };
  const service = await openTestService({ settings });
  const start = async (key: string) => {
    const { statusCode, headers } = await service.post('/start', { locale: 'en' }, bearer(key));
    return [statusCode, headers['ratelimit-policy']];
  };
  expect(await start(BANK_KEY)).toEqual([200, '"back-end";q=2;w=60']);
  expect(await start(BANK_KEY)).toEqual([200, '"back-end";q=2;w=60']);
  expect(await start(BANK_KEY)).toEqual([429, '"back-end";q=2;w=60']);
  expect(await start(SHOP_KEY)).toEqual([200, '"back-end";q=600;w=60']);
  clientsWith(folder, { requests_per_minute: 3 });
  await service.reload();
  expect(await start(BANK_KEY)).toEqual([200, '"back-end";q=3;w=60']);
  expect(await start(BANK_KEY)).toEqual([429, '"back-end";q=3;w=60']);
});

it('of pushes in a minute are its own', async () => {
  const file = clientsWith(temporaryFolder('limits'), { pushes_per_minute: 2 });
  const { bank, shop, clock } = await openLive({ settings: { CLIENTS_FILE: file } });
  const codeOf = async (client = bank) => (await client.start({ national_id: somebody() })).code;
  expect([await codeOf(), await codeOf(), await codeOf()]).toEqual(['', '', 'push.budget_spent']);
  expect([await codeOf(shop), await codeOf(shop), await codeOf(shop)]).toEqual(['', '', '']);
  clock.advance(MINUTE_MS);
  expect(await codeOf()).toBe('');
});

it('of pushes to one person in a day are of this person and this application', async () => {
  const file = clientsWith(temporaryFolder('limits'), { pushes_per_person_per_day: 2 });
  const { bank, shop, clock } = await openLive({ settings: { CLIENTS_FILE: file } });
  const person = somebody();
  const codeOf = async (client = bank, national_id = person) => {
    clock.advance(HOUR_MS);
    return (await client.start({ national_id })).code;
  };
  expect(await codeOf(shop)).toBe('');
  expect([await codeOf(), await codeOf(), await codeOf()]).toEqual(['', '', 'push.budget_spent']);
  expect([await codeOf(shop), await codeOf(bank, somebody())]).toEqual(['', '']);
  clock.advance(DAY_MS);
  expect(await codeOf()).toBe('');
});
