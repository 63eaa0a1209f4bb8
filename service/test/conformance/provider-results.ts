import { expect, test } from 'vitest';
import {
  begin,
  newsOf,
  openForTest,
  refusalOf,
  type ProviderConformance,
} from './provider-under-test.ts';

export function resultTests(conformance: ProviderConformance): void {
  pushTests(conformance);
  redirectTests(conformance);
  apartTests(conformance);
}

const REJECTED = { result: 'rejected', reason: 'attempt.rejected' };

function pushTests({ open, cast: { people, results } }: ProviderConformance): void {
  const [somebody] = people;

  test('P-3, P-20, P-22: a push waits, is refused, and stays refused', async () => {
    const under = await openForTest(open);
    const begun = await begin(under, somebody.nationalId);
    expect(await newsOf(under, begun, 0)).toEqual({ result: 'waiting' });
    expect(await newsOf(under, begun, 1)).toEqual({ result: 'waiting' });
    await under.decide(begun, 'refuse');
    for (const look of [2, 3, 3]) expect(await newsOf(under, begun, look)).toEqual(REJECTED);
  });

  test('P-2, P-3, P-20, P-21: a push waits, is approved, and stays approved', async () => {
    const under = await openForTest(open);
    const begun = await begin(under, somebody.nationalId);
    expect(await newsOf(under, begun, 0)).toEqual({ result: 'waiting' });
    await under.decide(begun, 'approve');
    const news = await newsOf(under, begun, 1);
    if (under.provider.isRemote) expect(news).toEqual({ result: 'unproven' });
    else expect(news).toMatchObject({ result: 'approved', person: somebody.identity });
    for (const look of [2, 3, 3]) expect(await newsOf(under, begun, look)).toEqual(news);
  });

  test('P-2: an approval whose signed result never comes is nobody’s, however often asked', async () => {
    const under = await openForTest(open);
    const begun = await begin(under, results.lost);
    for (const look of [0, 1, 2, 3, 4]) {
      expect(await newsOf(under, begun, look)).not.toMatchObject({ result: 'approved' });
    }
  });
}

function redirectTests({ open, cast: { people } }: ProviderConformance): void {
  const [, somebody] = people;

  test('P-2, P-3, P-20: a redirect waits, and a remote one does so for its browser', async () => {
    const under = await openForTest(open);
    const begun = await begin(under, null);
    expect(await newsOf(under, begun, 0)).toEqual({ result: 'waiting' });
    await under.decide(begun, 'approve', somebody.id);
    const news = await newsOf(under, begun, 1);
    if (under.provider.isRemote) expect(news).toEqual({ result: 'waiting' });
    else expect(news).toMatchObject({ result: 'approved', person: somebody.identity });
    for (const look of [2, 3, 3]) expect(await newsOf(under, begun, look)).toEqual(news);
  });
}

function apartTests({ open, cast: { people } }: ProviderConformance): void {
  test('P-23, P-30: four pushes and four redirects at once, each with its own end', async () => {
    const under = await openForTest(open);
    const pushes = await Promise.all(people.map(({ nationalId }) => begin(under, nationalId)));
    const redirects = await Promise.all(people.map(() => begin(under, null)));
    const wanted = people.map((person, number) => ({
      person,
      push: pushes[number] ?? expect.unreachable(),
      redirect: redirects[number] ?? expect.unreachable(),
      isApproved: number % 2 === 0,
    }));
    // In reverse order, so that the order of arrival can't hide a mistake.
    const decided = wanted.toReversed().map(async ({ person, push, redirect, isApproved }) => {
      await under.decide(push, isApproved ? 'approve' : 'refuse');
      await under.decide(redirect, isApproved ? 'refuse' : 'approve', person.id);
    });
    await Promise.all(decided);
    const known = { result: under.provider.isRemote ? 'unproven' : 'approved' };
    for (const { person, push, redirect, isApproved } of wanted) {
      expect(await newsOf(under, push, 1)).toMatchObject(isApproved ? known : REJECTED);
      const [approved, refused] = isApproved ? [push, redirect] : [redirect, push];
      expect(await under.finish(approved)).toMatchObject(person.identity);
      expect((await refusalOf(under.finish(refused))).code).toBe('attempt.rejected');
    }
  });
}
