import { bringPush } from './steps.ts';
import type { Started } from './live-client.ts';
import type { Scene } from './live-service.ts';
import { json } from '../provider/area-b.ts';

/** A provider that changes its key, and what it then signs. */

let people = 0;

/** A person whom no other test has asked. */
export function somebody(): string {
  return String(1_088_100_000 + (people += 1));
}

/** From now on the provider has this one key. */
function rotateTo({ provider }: Scene, kid: string): void {
  const { forge } = provider;
  provider.answer('keys', json({ keys: [forge.jwk(forge.foreign, { kid })] }));
}

export function signedBy({ provider }: Scene, kid: string, claims: object): string {
  const { forge } = provider;
  const header = JSON.stringify({ alg: 'RS256', kid });
  return forge.signText(header, JSON.stringify(claims), forge.foreign.privateKey);
}

/** The result of a push, in the form in which the provider sends it. */
export function resultOf(scene: Scene, { attempt_id: id }: Started, kid: string) {
  const { provider } = scene;
  return provider.message(id, signedBy(scene, kid, provider.phoneClaims(id)));
}

export async function statusOf({ bank }: Scene, started: Started): Promise<unknown> {
  return (await bank.status(started)).data['status'];
}

/**
 * Two rotations within the pause between two reads of the keys: after this, the key `second` can't
 * be asked for. The keys are not known yet, or no longer fresh.
 * @param tick what happens between the steps
 */
export async function rotateTwice(scene: Scene, tick: () => void = () => undefined): Promise<void> {
  const { bank, provider } = scene;
  provider.answer('keys', provider.honest('keys'));
  const known = await bank.startPhone(somebody());
  const first = await bringPush(scene, provider.message(known.attempt_id));
  tick();
  rotateTo(scene, 'first');
  const earlier = await bank.startPhone(somebody());
  const second = await bringPush(scene, resultOf(scene, earlier, 'first'));
  tick();
  rotateTo(scene, 'second');
  if (first.status !== 200 || second.status !== 200) throw new Error('a rotation was not noticed');
}
