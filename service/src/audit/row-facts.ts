import type { AuditRow } from './audit.ts';

/** What a row has beside its place, its time and its action, each as `name=value`. */
export function rowFacts(row: AuditRow): readonly string[] {
  const { attemptId, userId, client, personDigest, detail, count, actor, reason } = row;
  const about = { attempt: attemptId, user: userId, client, person: personDigest, detail, count };
  // The words of somebody, and so in quotes and last.
  const act = { actor, reason: reason === null ? null : JSON.stringify(reason) };
  const told = Object.entries({ ...about, ...act }).filter(([, value]) => value !== null);
  return told.map(([name, value]) => `${name}=${value}`);
}
