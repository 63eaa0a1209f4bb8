import type { Started } from '../programs/api-client.ts';

/** What the asker knows of something that was asked for: an answer may have been lost. */
export type Fate = 'never asked' | 'unknown' | 'acknowledged';

/** One attempt as its application knows it. */
export interface KnownAttempt {
  readonly started: Started;
  readonly flow: 'oidc' | 'mfa';
  completion: Fate;
  refusal: Fate;
  redemption: Fate;
  /** The Idempotency-Key of the redemption, to repeat it with. */
  key: string | null;
  /** When the token was first asked for: the redemption is no earlier. */
  askedAt: number;
  /** Every token that an answer has given for this attempt. */
  readonly tokens: Set<string>;
  revocation: Fate;
  userId: number | null;
  /** Some operation on it is under way: only its own worker goes on with it. */
  taken: boolean;
}

/** All that the applications of a run have been told, over any number of restarts. */
export class History {
  readonly attempts: KnownAttempt[] = [];
  /** What an answer or a later look has contradicted. */
  readonly violations: string[] = [];
  readonly references = new Set<number>();
  /** The user id of each national id (invariant I8). */
  readonly users = new Map<string, number>();
  answers = 0;
  unanswered = 0;

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

  sawReference(reference: number): void {
    if (this.references.has(reference)) this.violations.push(`reference ${reference} came twice`);
    this.references.add(reference);
  }

  /** A flow has one token, whoever asks and how often (invariants I1 and I9). */
  sawToken(attempt: KnownAttempt, token: string): void {
    attempt.tokens.add(token);
    if (attempt.tokens.size > 1) this.accuse(attempt, 'I1', 'has two tokens');
  }
}
