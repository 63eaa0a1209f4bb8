/** What a program that compares a provider with the simulator needs. */
import { BUILT_IN_PEOPLE } from '../engine/people/built-in-people.ts';
import { BEHAVIOURS } from '../fidelity.ts';
import type { Behaviour, Place } from './behaviour.ts';

export { CLAIM_PROFILE_NAMES } from '../engine/claims/claim-forms.ts';
export type { ClaimProfileName } from '../engine/claims/claim-forms.ts';
export { exchangeRequest, PROBES, sessionRequest, SIGN_IN } from './probes.ts';
export type { Asked, Probe, ProbeRequest } from './probes.ts';
export { openStandIn, type StandIn } from './stand-in.ts';

/** The behaviour of the fidelity card whose words begin like this. @throws Error for none */
export function behaviourOf(where: Place, start: string): Behaviour {
  const found = BEHAVIOURS.find((one) => one.where === where && one.what.startsWith(start));
  const elsewhere = BEHAVIOURS.find(({ what }) => what.startsWith(start));
  const behaviour = found ?? elsewhere;
  if (behaviour === undefined) throw new Error(`the fidelity card has no ${where}: ${start}`);
  return behaviour;
}

/** A person of the simulator for each kind of document, the default person first. */
export const ONE_OF_EACH = [
  ...new Map(
    BUILT_IN_PEOPLE.all
      .toReversed()
      .map((person) => [person.nationalId.charAt(0), person] as const),
  ).values(),
].toReversed();
