import type { History, KnownAttempt } from './history.ts';
import type { AttemptFact, PushFact, StoreFacts, TokenFact } from './store-facts.ts';

/** How many prompts one person may get within a time. */
export interface PushLimit {
  readonly most: number;
  readonly withinMs: number;
}

/**
 * Compares a store with what applications were told, and with itself. Nothing may write meanwhile.
 * Each violation names its invariant (docs/reliability.md).
 */
export function checkStore(
  history: History,
  facts: StoreFacts,
  pushLimit: PushLimit | null = null,
): void {
  const found = [
    ...integrityFaults(facts),
    ...facts.attempts.flatMap(attemptFaults),
    ...tokenFaults(facts),
    ...userFaults(facts),
    ...auditFaults(facts),
    ...lostOnes(history, facts),
    ...(pushLimit === null ? [] : pushFaults(facts.pushes, pushLimit)),
  ];
  // What stays wrong would be found again after each restart.
  for (const fault of found) {
    if (!history.violations.includes(fault)) history.violations.push(fault);
  }
}

function integrityFaults({ integrity }: StoreFacts): string[] {
  return integrity === null || integrity === 'ok' ? [] : [`integrity: ${integrity}`];
}

/** I5: at most one end. I6: nothing at or after the expiry. */
function attemptFaults(attempt: AttemptFact): string[] {
  const { id, expiresAt, authenticatedAt, rejectedAt, failedAt, redeemedAt } = attempt;
  const faults: string[] = [];
  const isOther = rejectedAt !== null || failedAt !== null;
  if (authenticatedAt !== null && rejectedAt !== null) {
    faults.push(`I5: ${id} is authenticated and rejected`);
  }
  if (redeemedAt !== null && isOther) faults.push(`I5: ${id} is redeemed and ended otherwise`);
  if (authenticatedAt !== null && authenticatedAt >= expiresAt) {
    faults.push(`I6: ${id} was completed after its expiry`);
  }
  if (redeemedAt !== null && redeemedAt >= expiresAt) {
    faults.push(`I6: ${id} was redeemed after its expiry`);
  }
  return faults;
}

/** I1: one token for an attempt. I4: only for a redeemed one. I8: for the user who signed in. */
function tokenFaults({ attempts, tokens }: StoreFacts): string[] {
  const known = new Map(attempts.map((attempt) => [attempt.id, attempt]));
  const seen = new Set<string>();
  return tokens.flatMap(({ attemptId, userId }) => {
    const attempt = known.get(attemptId);
    const faults: string[] = [];
    if (seen.has(attemptId)) faults.push(`I1: ${attemptId} has two tokens in the store`);
    seen.add(attemptId);
    if (attempt === undefined || attempt.redeemedAt === null || attempt.authenticatedAt === null) {
      faults.push(`I4: ${attemptId} has a token, and was not redeemed`);
    } else if (attempt.userId !== userId) {
      faults.push(`I8: ${attemptId} of user ${attempt.userId} has a token of user ${userId}`);
    }
    return faults;
  });
}

/** I8: one user for a document. */
function userFaults({ users }: StoreFacts): string[] {
  const keys = users.flatMap(({ identityDigest, document }) => [identityDigest, document]);
  const twins = keys.length - new Set(keys).size;
  return twins === 0 ? [] : [`I8: ${twins} people are two users`];
}

/** Each column of a security action, and the action in the audit log that it has to have. */
const LOGGED = [
  ['authenticatedAt', 'attempt.authenticated'],
  ['rejectedAt', 'attempt.rejected'],
  ['redeemedAt', 'token.issued'],
] as const;

/** I11: exactly one row in the log for each action that took effect, and no row is missing. */
function auditFaults({ attempts, tokens, audit }: StoreFacts): string[] {
  const counts = new Map<string, number>();
  for (const { attemptId, action } of audit) {
    const key = `${attemptId} ${action}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const expectRows = (id: string, action: string, happened: boolean) => {
    const rows = counts.get(`${id} ${action}`) ?? 0;
    return rows === Number(happened) ? [] : [`I11: ${id} has ${rows} rows ${action}`];
  };
  const gap = audit.findIndex(({ sequence }, index) => sequence !== index + 1);
  return [
    ...(gap === -1 ? [] : [`I11: the audit log has no row ${gap + 1}`]),
    ...attempts.flatMap((attempt) =>
      LOGGED.flatMap(([column, action]) =>
        expectRows(attempt.id, action, attempt[column] !== null),
      ),
    ),
    ...tokens.flatMap(({ attemptId, revokedAt }) =>
      expectRows(attemptId, 'token.revoked', revokedAt !== null),
    ),
  ];
}

/** I2, I3, I4 and I7: what was acknowledged is in the store. */
function lostOnes({ attempts }: History, facts: StoreFacts): string[] {
  const stored = new Map(facts.attempts.map((attempt) => [attempt.id, attempt]));
  const tokens = new Map(facts.tokens.map((token) => [token.attemptId, token]));
  return attempts.flatMap((attempt) => {
    const id = attempt.started.attempt_id;
    const found = stored.get(id);
    if (found === undefined) return [`I2: ${id} was acknowledged, and is lost`];
    return lossesOf(attempt, found, tokens.get(id)).map(([name, what]) => `${name}: ${id} ${what}`);
  });
}

function lossesOf(
  { completion, refusal, tokens, revocation, userId }: KnownAttempt,
  stored: AttemptFact,
  token: TokenFact | undefined,
): [string, string][] {
  const losses: [string, string][] = [];
  if (completion === 'acknowledged' && stored.authenticatedAt === null) {
    losses.push(['I3', 'was completed, and is not authenticated']);
  }
  if (refusal === 'acknowledged' && stored.rejectedAt === null) {
    losses.push(['I3', 'was refused, and is not rejected']);
  }
  if (tokens.size > 0 && (token === undefined || stored.redeemedAt === null)) {
    losses.push(['I4', 'has a token that the store does not know']);
  }
  if (userId !== null && stored.userId !== userId) {
    losses.push(['I8', `has user ${stored.userId}, who was ${userId}`]);
  }
  if (revocation === 'acknowledged' && (token?.revokedAt ?? null) === null) {
    losses.push(['I7', 'was revoked, and its token is not']);
  }
  return losses;
}

/** I10: no time window in which one person got more prompts than the budget. */
function pushFaults(pushes: readonly PushFact[], { most, withinMs }: PushLimit): string[] {
  const people = Map.groupBy(
    pushes.filter(({ personDigest }) => personDigest !== null),
    ({ personDigest }) => personDigest,
  );
  return [...people.values()].flatMap((ofOne) => {
    const times = ofOne.map(({ admittedAt }) => admittedAt).toSorted((one, two) => one - two);
    const isOver = times.some((time, index) => {
      const first = times[index - most];
      return first !== undefined && time - first < withinMs;
    });
    return isOver ? [`I10: a person got more than ${most} prompts within ${withinMs} ms`] : [];
  });
}
