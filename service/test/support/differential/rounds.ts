import type { AuditVerdict } from '../../../src/audit/audit-chain.ts';
import type { AuditRow } from '../../../src/audit/audit.ts';
import type { Store } from '../../../src/store/ports/store.port.ts';
import type { Operation } from '../../conformance/store-arbitraries.ts';
import { Performer } from '../../conformance/store-operations.ts';

const AUDIT_PAGE = 10_000;
const ALONE: ReadonlySet<Operation['op']> = new Set(['purge', 'revokeAll']);

/** What a store answered, to be compared with what another one did. */
export interface Played {
  /** For each sequence: the result of each operation, and what is stored at the end. */
  readonly results: readonly unknown[];
  /** The rows of the audit log in some order, because operations of one round were at once. */
  readonly audit: readonly string[];
  readonly verdict: AuditVerdict;
}

/**
 * Plays sequences side by side: the first operation of each at once, then the second of each. They
 * concern different rows. Only a purge concerns the rows of all, and a revocation those that began
 * later by the clock of their sequence: they are alone.
 */
export async function playRounds(
  store: Store,
  plans: readonly (readonly Operation[])[],
  firstRun: number,
): Promise<Played> {
  const { count } = await store.auditHead();
  const players = plans.map((plan, index) => ({
    plan,
    performer: new Performer(store, firstRun + index),
  }));
  const longest = Math.max(...plans.map(({ length }) => length));
  for (let position = 0; position < longest; position += 1) {
    const round = players.flatMap(({ plan, performer }) => {
      const operation = plan[position];
      return operation === undefined ? [] : [{ performer, operation }];
    });
    const [alone, atOnce] = [true, false].map((isAlone) =>
      round.filter(({ operation: { op } }) => ALONE.has(op) === isAlone),
    );
    await Promise.all((atOnce ?? []).map((one) => one.performer.perform(one.operation, position)));
    for (const one of alone ?? []) await one.performer.perform(one.operation, position);
  }
  const performers = players.map(({ performer }) => performer);
  await Promise.all(performers.map((performer) => performer.readAll()));
  return {
    results: performers.map(({ results }) => results),
    audit: await auditSince(store, count, performers, firstRun),
    verdict: await store.verifyAudit(),
  };
}

async function auditSince(
  store: Store,
  count: number,
  performers: readonly Performer[],
  firstRun: number,
): Promise<string[]> {
  const rows = await store.readAudit({ after: count, limit: AUDIT_PAGE });
  const nameOf = ({ userId }: AuditRow) => {
    const place = performers.findIndex((one) => userId !== null && one.personOf(userId));
    const person = userId === null ? userId : performers[place]?.personOf(userId);
    return person === undefined ? 'nobody' : `${firstRun + place} ${person}`;
  };
  const texts = rows.map((row) => {
    const { at, action, attemptId, client, personDigest, detail, count: counted } = row;
    const about = { attemptId, client, personDigest, detail, counted };
    return JSON.stringify([at, action, nameOf(row), about]);
  });
  return texts.toSorted();
}
