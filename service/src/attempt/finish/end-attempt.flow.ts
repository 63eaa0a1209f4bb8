import type { AttemptRecord } from '../attempt.ts';
import type { EndAttempt } from '../../store/ports/store.port.ts';
import type { Services } from '../services.flow.ts';

type Needs = Pick<Services, 'store' | 'meter'>;

/** Null when the attempt had ended before. */
export async function rejectAttempt(
  { store, meter }: Needs,
  end: EndAttempt,
): Promise<AttemptRecord | null> {
  const rejected = await store.rejectAttempt(end);
  if (rejected !== null) meter.signIn('rejected', rejected, end.reason);
  return rejected;
}

/** Null when the attempt had ended before. */
export async function failAttempt(
  { store, meter }: Needs,
  end: EndAttempt,
): Promise<AttemptRecord | null> {
  const failed = await store.failAttempt(end);
  if (failed !== null) meter.signIn('failed', failed, end.reason);
  return failed;
}
