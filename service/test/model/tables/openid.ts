import { SHARED_SESSION } from '../../../src/account/openid-client.ts';
import type { AttemptId } from '../../../src/values/ids.ts';
import type { OpenidName, OpenidRecord } from '../../../src/store/ports/store.port.ts';
import type { Ms } from '../../../src/values/time.ts';

export interface KeptOpenid extends OpenidRecord {
  readonly attemptId: AttemptId | null;
  readonly consumedAt: Ms | null;
}

/** The records of the model that the OpenID Provider keeps. */
export class OpenidTable {
  #records: readonly KeptOpenid[] = [];

  get({ model, id }: OpenidName): KeptOpenid | null {
    return this.first((one) => one.model === model && one.id === id);
  }

  get all(): readonly KeptOpenid[] {
    return this.#records;
  }

  first(isWanted: (record: KeptOpenid) => boolean): KeptOpenid | null {
    return this.#records.find((record) => isWanted(record)) ?? null;
  }

  /** In the place of the one with its name. */
  keep(record: KeptOpenid): void {
    const before = this.get(record);
    this.#records = [...this.#records.filter((one) => one !== before), record];
  }

  removeWhere(isEnded: (record: KeptOpenid) => boolean): void {
    this.#records = this.#records.filter((record) => !isEnded(record));
  }

  purge(expiredBefore: Ms, limit: number): number {
    const expired = this.#records
      .filter(({ expiresAt }) => expiresAt !== null && expiresAt < expiredBefore)
      .toSorted((one, other) => (one.expiresAt ?? 0) - (other.expiresAt ?? 0))
      .slice(0, limit);
    const removed = new Set(expired);
    this.removeWhere((record) => removed.has(record));
    return removed.size;
  }

  /** Those of a person, of a client, or with null for both all that expire. */
  endOf(subject: string | null, client: string | null): void {
    this.removeWhere(
      (one) =>
        one.expiresAt !== null &&
        (subject === null || one.subject === subject) &&
        (client === null || one.client === client || one.model === SHARED_SESSION),
    );
  }
}
