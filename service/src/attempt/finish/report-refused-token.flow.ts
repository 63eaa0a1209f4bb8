import type { AttemptRecord } from '../attempt.ts';
import { Refusal } from '../../errors/refusal.ts';
import { isSignedCheck, textOfRefused } from '../refused-token.ts';
import type { Ms } from '../../values/time.ts';
import { countRepeat, report, type ReportServices } from '../../audit/report.flow.ts';

/** In the provider's answer to our own call, or in a request to our callback, which anybody can send. */
type TokenSource = 'answer' | 'callback';

/**
 * Tells the operator why a token of the provider was refused; other errors are left alone. What
 * anybody may have sent, a token at the callback without a valid signature, is only counted: one row
 * a minute for each check, about no attempt.
 */
export async function reportRefusedToken(
  services: ReportServices,
  { attemptId, client }: Pick<AttemptRecord, 'attemptId' | 'client'>,
  error: unknown,
  { at, source }: { readonly at: Ms; readonly source: TokenSource },
): Promise<void> {
  const refused = error instanceof Refusal ? error.details.refusedToken : undefined;
  if (refused === undefined) return;
  services.meter.tokenRefused(refused.check);
  const detail = textOfRefused(refused);
  if (source === 'callback' && !isSignedCheck(refused.check)) {
    countRepeat(services, { at, action: 'provider.token_unverified', detail });
  } else {
    await report(services, { at, action: 'provider.token_refused', attemptId, client, detail });
  }
}
