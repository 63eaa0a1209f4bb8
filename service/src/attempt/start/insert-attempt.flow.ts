import type { AttemptRecord } from '../attempt.ts';
import type { Services } from '../services.flow.ts';

/** Stores a new attempt, and counts it as started. */
export async function insertAttempt(
  { store, meter }: Pick<Services, 'store' | 'meter'>,
  record: AttemptRecord,
): Promise<void> {
  await store.insertAttempt(record);
  meter.signIn('started', record);
}
