import { expect, it } from 'vitest';
import { share, type AtEnd } from '../support/at-end.ts';
import { demoCode } from '../support/openid/demo-sign-in.ts';
import { emptyDatabase } from '../support/postgres/databases.ts';
import { findFreePort, startService } from '../support/programs/service-process.ts';

/** Two instances on one database are one OpenID Provider: any of them may get the next request. */

const SECRET_KEY = 'ab'.repeat(32);

async function two(atEnd: AtEnd): Promise<readonly [string, string]> {
  const port = await findFreePort();
  const database = { DATABASE_URL: await emptyDatabase(atEnd), SECRET_KEY };
  const settings = { OPENID: 'on', PUBLIC_URL: `http://127.0.0.1:${port}`, ...database };
  const [first, second] = await Promise.all([
    startService({ port, settings }),
    startService({ settings }),
  ]);
  atEnd(async () => void (await Promise.all([first.kill(), second.kill()])));
  return [settings.PUBLIC_URL, second.origin];
}

const instances = share(two);

it('they sign with the same keys, whichever is asked first', async () => {
  const keys = instances().map(async (origin) => (await fetch(`${origin}/openid/jwks`)).text());
  const [one, other] = await Promise.all(keys);
  expect(one).toBe(other);
  expect(one).toContain('RS256');
});

it('a code that is redeemed at both at once gives one token', async () => {
  const [issuer] = instances();
  const redeemAt = await demoCode(issuer);
  const racers = Array.from({ length: 6 }, () => instances().map((origin) => redeemAt(origin)));
  const answers = await Promise.all(racers.flat());
  const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
  expect(statuses).toEqual([200, ...Array.from({ length: 11 }, () => 400)]);
});
