import { describe, expect, it, onTestFinished } from 'vitest';
import { connectMiftah, startMiftah, type TestMiftah } from '../src/index.ts';
import { share } from './support/instances.ts';

const INSTANCES = 5;
const SCOPES = 20;

/** The same person signs in at all of them at once, and every other one refuses. */
async function signInAt(miftah: TestMiftah, place: number): Promise<string> {
  const refuses = place % 2 === 1;
  const { nationalId } = miftah.people.amal;
  const attempt = await miftah.client().start({ locale: 'en', nationalId });
  // Without a name it fails where it sees the prompt of another one.
  const prompt = await (refuses ? miftah.phone.refuse() : miftah.phone.approve());
  expect(prompt.attemptId).toBe(attempt.id);
  await miftah.waitFor(attempt, refuses ? 'rejected' : 'authenticated');
  return refuses ? 'refused' : (await attempt.issueToken()).user.nationalId;
}

const places = (count: number) => Array.from({ length: count }, (_, place) => place);

describe('side by side', () => {
  const shared = share(false);

  it('instances see nothing of each other', async () => {
    const instances = await Promise.all(places(INSTANCES).map(() => startMiftah()));
    onTestFinished(async () => void (await Promise.all(instances.map((one) => one.stop()))));
    expect(new Set(instances.map(({ url }) => url)).size).toBe(INSTANCES);
    const ended = await Promise.all(instances.map(signInAt));
    expect(ended.filter((end) => end === 'refused')).toHaveLength(Math.floor(INSTANCES / 2));
    await instances[0]?.clock.advance('1h');
    expect(await instances[1]?.clock.state()).toMatchObject({ aheadMs: 0 });
  });

  it('scopes of one instance see nothing of each other', async () => {
    const { url, phone } = shared();
    const scopes = await Promise.all(
      places(SCOPES).map((place) => connectMiftah(url, { scope: `worker-${place}` })),
    );
    onTestFinished(async () => void (await Promise.all(scopes.map((one) => one.stop()))));
    const ended = await Promise.all(scopes.map(signInAt));
    expect(ended.filter((end) => end === 'refused')).toHaveLength(SCOPES / 2);
    const [one, other] = scopes;
    const { amal } = shared().people;
    await one?.putPerson({ ...amal, id: 'own', nationalId: '1000012201' });
    expect([one?.people['own']?.id, other?.people['own']]).toEqual(['own', undefined]);
    expect(await phone.prompts()).toEqual([]);
    await expect(one?.clock.advance('5m')).rejects.toThrow(/clock\.of_instance/);
  });

  it('a scope that is stopped has nothing left of its own', async () => {
    const { url, people } = shared();
    const connected = await connectMiftah(url, { scope: 'left' });
    await connected.putPerson({ ...people.amal, id: 'own', nationalId: '1000012201' });
    await connected.stop();
    const again = await connectMiftah(url, { scope: 'left' });
    expect(again.people['own']).toBeUndefined();
  });
});
