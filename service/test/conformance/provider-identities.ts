import { describe, expect, test } from 'vitest';
import {
  begin,
  expectNothingIn,
  newsOf,
  openForTest,
  refusalOf,
  secretsOf,
  type ProviderConformance,
} from './provider-under-test.ts';

export function identityTests(conformance: ProviderConformance): void {
  personTests(conformance);
  mismatchTests(conformance);
  unsoundTests(conformance);
  refusalTests(conformance);
}

function personTests({ open, cast: { people, results } }: ProviderConformance): void {
  describe.each(people)('P-30: $id with a document of kind $identity.documentType', (person) => {
    test('signs in by phone', async () => {
      const under = await openForTest(open);
      const begun = await begin(under, person.nationalId);
      await under.decide(begun, 'approve');
      expect(await under.finish(begun)).toMatchObject(person.identity);
    });

    test('signs in by browser', async () => {
      const under = await openForTest(open);
      const begun = await begin(under, null);
      await under.decide(begun, 'approve', person.id);
      expect(await under.finish(begun)).toMatchObject(person.identity);
    });
  });

  test.each(['twice', 'early'] as const)('P-30: a signed result that comes %s', async (when) => {
    const under = await openForTest(open);
    const begun = await begin(under, results[when]);
    const person = await under.finish(begun);
    expect(person.nationalId).toBe(results[when]);
    expect(await under.finish(begun)).toEqual(person);
  });
}

function mismatchTests({ open, cast: { people, results } }: ProviderConformance): void {
  const [somebody, other] = people;

  test('P-4, P-31: a result about another person', async () => {
    const under = await openForTest(open);
    const begun = await begin(under, results.otherPerson);
    const refusal = await refusalOf(under.finish(begun));
    expect(refusal.code).toBe('provider.mismatch');
    const numbers = people.map(({ nationalId }) => nationalId);
    expectNothingIn(refusal, [...under.secrets, ...secretsOf([begun]), ...numbers]);
  });

  test('P-31: a push that another person approved', async () => {
    const under = await openForTest(open);
    const begun = await begin(under, somebody.nationalId);
    await under.decide(begun, 'approve', other.id);
    expect((await refusalOf(under.finish(begun))).code).toBe('provider.mismatch');
  });
}

function unsoundTests({ open, cast: { unsound } }: ProviderConformance): void {
  test.each(unsound)(
    'P-2, P-4, P-32: the push of $personId gives nobody',
    async ({ nationalId }) => {
      const under = await openForTest(open);
      const begun = await begin(under, nationalId);
      const refusal = await refusalOf(under.finish(begun));
      expectNothingIn(refusal, [...under.secrets, ...secretsOf([begun])]);
      for (const look of [0, 1, 3]) {
        expect(await newsOf(under, begun, look)).not.toMatchObject({ result: 'approved' });
      }
    },
  );

  test.each(unsound)('P-4, P-32: the redirect of $personId gives nobody', async ({ personId }) => {
    const under = await openForTest(open);
    const begun = await begin(under, null);
    await under.decide(begun, 'approve', personId);
    const refusal = await refusalOf(under.finish(begun));
    expect(refusal.code).toBe('provider.bad_response');
    expectNothingIn(refusal, [...under.secrets, ...secretsOf([begun])]);
  });
}

function refusalTests({ open, cast: { people } }: ProviderConformance): void {
  const [somebody] = people;

  test.each([
    ['push', somebody.nationalId],
    ['redirect', null],
  ] as const)('P-33: a %s that was refused names nobody', async (_, nationalId) => {
    const under = await openForTest(open);
    const begun = await begin(under, nationalId);
    await under.decide(begun, 'refuse', somebody.id);
    expect((await refusalOf(under.finish(begun))).code).toBe('attempt.rejected');
  });
}
