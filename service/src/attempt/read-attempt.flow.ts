import { asSignedInBy, type User } from '../account/user.ts';
import { Refusal } from '../errors/refusal.ts';
import type { LoginResult } from '../provider/identity-provider.port.ts';
import type { AttemptWithUser } from '../store/ports/store.port.ts';
import { NO_ATTEMPT_ID, parseAttemptId } from '../values/ids.ts';
import type { Ms } from '../values/time.ts';
import {
  type Attempt,
  attemptAt,
  type AttemptRecord,
  attemptTokenDigest,
  type CompletionProof,
  provesAttempt,
} from './attempt.ts';
import { failAttempt, rejectAttempt } from './finish/end-attempt.flow.ts';
import { finishLogin, type LoginServices } from './finish/finish-login.flow.ts';
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

export type CollectServices = LoginServices & Pick<Services, 'collectNews'>;

/**
 * Updates a pending attempt with what the person has decided at the provider. Other attempts are
 * returned as they are. Several calls at the same time are harmless: one write succeeds, and all
 * return its result.
 */
export async function collectResult(
  services: CollectServices,
  found: AttemptWithUser,
  now: Ms,
  completion: CompletionProof | null = null,
): Promise<AttemptWithUser> {
  const attempt = attemptAt(found.attempt, now);
  if (attempt.state !== 'pending') return found;
  const news = await services.collectNews(attempt.record, now);
  return storeResult(services, found, news, { at: now, completion });
}

interface ResultAt {
  readonly at: Ms;
  readonly completion: CompletionProof | null;
}

/**
 * Writes what the provider says of a pending attempt. @returns the attempt as it is then, by this
 * write or an earlier one
 */
export async function storeResult(
  services: LoginServices,
  found: AttemptWithUser,
  news: LoginResult,
  result: ResultAt,
): Promise<AttemptWithUser> {
  if (news.result === 'waiting') return found;
  const written = await writeResult(services, found.attempt, news, result);
  return written ?? (await services.store.findAttempt(found.attempt.attemptId)) ?? found;
}

/** @returns null when another write came first, or what was written has a user that is not known */
async function writeResult(
  services: LoginServices,
  record: AttemptRecord,
  news: Exclude<LoginResult, { result: 'waiting' }>,
  { at, completion }: ResultAt,
): Promise<AttemptWithUser | null> {
  const { attemptId } = record;
  switch (news.result) {
    case 'approved':
      return finishLogin(services, record, news.person, completion, at);
    case 'rejected':
      return withoutUser(await rejectAttempt(services, { attemptId, at, reason: news.reason }));
    case 'failed':
      return withoutUser(await failAttempt(services, { attemptId, at, reason: news.reason }));
  }
}

/** Null for one with a user: it was authenticated meanwhile, and then failed. */
function withoutUser(ended: AttemptRecord | null): AttemptWithUser | null {
  return ended === null || ended.userId !== null ? null : { attempt: ended, user: null };
}

export interface AttemptStatus {
  readonly attempt: Attempt;
  /** Null unless the attempt is authenticated or redeemed. */
  readonly user: User | null;
}

/**
 * @param admit called once the caller has proved the attempt, before any other work for them.
 * @throws Refusal `attempt.not_found`
 */
export async function readStatus(
  services: CollectServices,
  caller: { attemptId: string; attemptToken: string },
  now: Ms,
  admit: () => Promise<void>,
): Promise<AttemptStatus> {
  const proven = await findProvenAttempt(services, caller.attemptId, caller.attemptToken);
  await admit();
  const found = await collectResult(services, proven, now);
  const attempt = attemptAt(found.attempt, now);
  const { user } = found;
  const isShown = user !== null && isTokenReady(attempt);
  return { attempt, user: isShown ? asSignedInBy(user, attempt.record) : null };
}

export function isTokenReady({ state }: Attempt): boolean {
  return state === 'authenticated' || state === 'redeemed';
}
