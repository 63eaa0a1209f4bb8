import { NO_ATTEMPT_ID, parseAttemptId } from '../values/ids.ts';
import { attemptTokenDigest, provesAttempt, type AttemptRecord } from './attempt.ts';
import { Refusal } from '../errors/refusal.ts';
import type { AttemptWithUser } from '../store/ports/store.port.ts';
import type { Services } from './services.flow.ts';

type Needs = Pick<Services, 'store'>;

/**
 * Finds the attempt with this id if the token belongs to it. The caller can't distinguish a
 * malformed id, an unknown id and a wrong token, neither by the answer nor by its time: each costs
 * one look-up of id and digest together, and one comparison.
 * @throws Refusal `attempt.not_found`
 */
export async function findProvenAttempt(
  { store }: Needs,
  attemptId: string,
  attemptToken: string,
): Promise<AttemptWithUser> {
  const digest = attemptTokenDigest(attemptToken);
  const found = await store.findProvenAttempt(parseAttemptId(attemptId) ?? NO_ATTEMPT_ID, digest);
  const proven = provesAttempt(found?.attempt ?? null, digest);
  if (found === null || !proven) throw new Refusal('attempt.not_found');
  return found;
}

/**
 * Only a confidential client's own back end can redeem or cancel its attempts; for others they do
 * not exist.
 * @throws Refusal `attempt.not_found`
 */
export function requireOwner(
  { rules, clients }: Pick<Services, 'rules' | 'clients'>,
  record: AttemptRecord,
  client: string | null,
): void {
  if (rules.redeemedBy === 'anybody') return;
  const owner = clients.find(record.client);
  const isTheirs = owner?.type === 'public' || client === owner?.id;
  if (owner === null || !isTheirs) throw new Refusal('attempt.not_found');
}

/** For operations that need no credential by the interface document. @throws Refusal */
export async function findKnownAttempt({ store }: Needs, text: string): Promise<AttemptWithUser> {
  const attemptId = parseAttemptId(text);
  const found = attemptId === null ? null : await store.findAttempt(attemptId);
  if (found === null) throw new Refusal('attempt.not_found');
  return found;
}
