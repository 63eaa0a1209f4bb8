import { meant } from '@miftah/schema/nearest';
import { PUSH_BUDGET } from '../../attempt/start/push-budget.ts';
import { MOST_BACK_END_REQUESTS, type ClientLimits } from '../../values/limits.ts';
import { memberOf } from '../../values/member.ts';

const REQUESTS = 'requests_per_minute';
const PUSHES = 'pushes_per_minute';
const PUSHES_TO_ONE = 'pushes_per_person_per_day';
const MEMBERS: readonly string[] = [REQUESTS, PUSHES, PUSHES_TO_ONE];

/** A higher number would never be reached: the budget of a person, over all clients, refuses first. */
const MOST_TO_ONE = Math.max(...PUSH_BUDGET.person.map(({ quota }) => quota));

/** The member "limits" of a client. One that is not given is null, and the usual limit holds. Faults go to `tell`. */
export function readLimits(entry: unknown, tell: (fault: string) => void): ClientLimits {
  const isObject = typeof entry === 'object' && entry !== null && !Array.isArray(entry);
  if (entry !== undefined && !isObject) tell('it must be an object');
  const unknown = isObject ? Object.keys(entry).filter((name) => !MEMBERS.includes(name)) : [];
  for (const name of unknown) tell(`unknown: ${name}${meant(name, MEMBERS)}`);
  const read = (name: string, most: number) => {
    const value = memberOf(entry, name);
    if (value === undefined) return null;
    const isFit = typeof value === 'number' && Number.isInteger(value);
    if (isFit && value >= 1 && value <= most) return value;
    tell(`"${name}" must be a whole number from 1 to ${most}`);
    return null;
  };
  return {
    requestsPerMinute: read(REQUESTS, MOST_BACK_END_REQUESTS),
    pushesPerMinute: read(PUSHES, PUSH_BUDGET.service.quota),
    pushesPerPersonPerDay: read(PUSHES_TO_ONE, MOST_TO_ONE),
  };
}
