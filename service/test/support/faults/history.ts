import type { Started } from '../programs/api-client.ts';

/** What a client knows about its request: the answer may have been lost. */
export type Fate = 'never asked' | 'unknown' | 'acknowledged';

/** One attempt, as its application knows it. */
export interface KnownAttempt {
  readonly started: Started;
  readonly flow: 'oidc' | 'mfa';
  completion: Fate;
  refusal: Fate;
  redemption: Fate;
  /** The Idempotency-Key of the redemption, for repeating it. */
  key: string | null;
  /** When the token was first requested: the redemption is not earlier. */
  askedAt: number;
  /** Every token in an answer for this attempt. */
  readonly tokens: Set<string>;
  revocation: Fate;
  userId: number | null;
  /** The last status other than pending that a check saw. */
  end: string | null;
  /** Whether an operation on it is in progress; then only that worker uses it. */
  taken: boolean;
}

/** Everything that the applications of a run were told, across all restarts. */
export class History {
  readonly attempts: KnownAttempt[] = [];
  /** Contradictions that an answer or a later check has shown. */
  readonly violations: string[] = [];
  readonly references = new Set<string>();
  /** The user id of each national id (invariant I8). */
  readonly users = new Map<string, number>();
  answers = 0;
  unanswered = 0;
  /** Whether the run has taken the database away: then 503 is right, and leaves a result unknown. */
  isStoreAway = false;
  /** Requests that were answered with 503 meanwhile. */
  unavailable = 0;
  /** The longest that a writer waited for an answer, in ms. */
  slowestMs = 0;
  /** Requests that a stopped instance refused, and that were sent to the next one. */
  retried = 0;

  add(started: Started, flow: KnownAttempt['flow']): KnownAttempt {
    const attempt: KnownAttempt = {
      started,
      flow,
      completion: 'never asked',
      refusal: 'never asked',
      redemption: 'never asked',
      key: null,
      askedAt: 0,
      tokens: new Set(),
      revocation: 'never asked',
      userId: null,
      end: null,
      taken: false,
    };
    this.attempts.push(attempt);
    return attempt;
  }

  accuse(attempt: KnownAttempt, invariant: string, what: string): void {
    this.violations.push(`${invariant}: ${attempt.started.attempt_id} ${what}`);
  }

  sawUser(attempt: KnownAttempt, user: { id: number; national_id: string }): void {
    const known = this.users.get(user.national_id);
    if (known !== undefined && known !== user.id) {
      this.accuse(attempt, 'I8', `has user ${user.id}, who was ${known} before`);
    }
    this.users.set(user.national_id, user.id);
    attempt.userId = user.id;
  }

  /** Each instance counts its references by itself, across its restarts. */
  sawReference(reference: number, origin: string): void {
    const key = `${origin} ${reference}`;
    if (this.references.has(key)) this.violations.push(`reference ${key} came twice`);
    this.references.add(key);
  }

  /** An attempt has one token, whoever requests it and how often (invariants I1 and I9). */
  sawToken(attempt: KnownAttempt, token: string): void {
    attempt.tokens.add(token);
    if (attempt.tokens.size > 1) this.accuse(attempt, 'I1', 'has two tokens');
  }
}
