import { afterAll, describe, expect, test as base } from 'vitest';
import { miftahFixture, startMiftah, type TestMiftah } from '../src/index.ts';

/** The fixture in vitest. With Playwright it is tested by examples/testing/playwright. */

const instance = await startMiftah();
// oxlint-disable-next-line typescript/unbound-method -- As a test may, whose library gives it values.
afterAll(instance.stop);

const FIXTURES = [
  ['an instance', miftahFixture(), /^moved$/],
  // All scopes of an instance have one clock, so a test may not move it.
  ['a scope of an instance', miftahFixture({ url: instance.url }), /clock\.of_instance/],
] as const;

base('a scope of an instance has no other options', () => {
  const options = { url: instance.url, strict: true };
  expect(() => miftahFixture(options)).toThrow(/^miftahFixture takes url, .*, and not strict\.$/);
});

describe.each(FIXTURES)('%s for each test', (_, fixture, resultOfMove) => {
  const test = base.extend<{ miftah: TestMiftah }>(fixture);
  const seen: TestMiftah[] = [];

  test.for(['one', 'another'])(
    'has nothing of an earlier test in %s',
    async (_name, { miftah }) => {
      const { amal } = miftah.people;
      expect(miftah.people['own']).toBeUndefined();
      expect(await miftah.faults()).toEqual([]);
      expect(await miftah.phone.prompts()).toEqual([]);
      expect(await miftah.clock.state()).toMatchObject({ aheadMs: 0, frozen: false });
      seen.push(miftah);
      await miftah.putPerson({ ...amal, id: 'own', nationalId: '1000012201' });
      await miftah.client().start({ locale: 'en', nationalId: amal.nationalId });
      await miftah.faults({ operation: 'any', status: 503 });
      await miftah.next('refuses');
      const result = await miftah.clock.advance('1h').then(() => 'moved', String);
      expect(result).toMatch(resultOfMove);
    },
  );

  base('ends with its test', async () => {
    expect(new Set(seen.map(({ baseUrl }) => baseUrl)).size).toBe(2);
    for (const miftah of seen) await expect(miftah.phone.prompts()).rejects.toThrow('was stopped');
  });
});
