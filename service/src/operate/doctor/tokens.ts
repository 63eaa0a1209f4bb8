import type { Config } from '../../config/config.ts';
import type { AuditRow } from '../../audit/audit.ts';
import { fault, ok, warning, type Finding } from './finding.ts';
import { parseRefused, type TokenCheck } from '../../attempt/refused-token.ts';
import { isoTimestamp } from '../../values/time.ts';
import type { StoreInspection } from '../../store/index.ts';

const CHECK = 'provider.tokens';

const OF_LOG = 'See the finding `audit.chain` first.';
const OF_CLOCK =
  'Compare the clocks: see the finding `clock`, and have the clock of this machine synchronised (NTP).';
const OF_KEYS =
  'Check PROVIDER_URL and PROVIDER_PATH_PREFIX: the keys there are not those of the token. If they ' +
  'are right, ask the provider which keys it signs with.';
const OF_AUDIENCE =
  'Set PROVIDER_AUDIENCE to what came, if that is the address that you have registered: each ' +
  'character counts, also a slash at the end.';
const OF_PROVIDER = 'Ask the provider, and tell it the time and the check.';

const REMEDIES: Partial<Record<TokenCheck, string>> = {
  kid: OF_KEYS,
  signature: OF_KEYS,
  aud: OF_AUDIENCE,
  azp: OF_AUDIENCE,
  iss:
    'Set PROVIDER_ISSUER (or PROVIDER_PUSH_ISSUER or PROVIDER_WEB_ISSUER, where the flows have one ' +
    'each) to what came, if the provider confirms that it is its issuer.',
  exp: OF_CLOCK,
  nbf: OF_CLOCK,
  iat: OF_CLOCK,
  auth_time: OF_CLOCK,
  ServiceName: 'Set PROVIDER_SERVICE to the name of the service that you have registered.',
  name: 'Ask the provider whether the service of PROVIDER_SERVICE may have names of people.',
};

/**
 * The last token of the provider that was refused, as the audit log has it. It is a fault until
 * somebody has signed in after it. A log that is not whole shows nothing.
 */
export async function examineTokens(
  { live, simulator }: Pick<Config, 'live' | 'simulator'>,
  store: Pick<StoreInspection, 'lastAudit'>,
  isWhole: boolean,
): Promise<Finding[]> {
  // The simulator in the service itself signs no tokens, unless it is strict.
  if (live === null && simulator?.isStrict !== true) return [];
  if (!isWhole) return [warning(CHECK, 'Not looked at: they are in the audit log.', OF_LOG)];
  const refused = await store.lastAudit('provider.token_refused');
  if (refused === null) return [ok(CHECK, 'The audit log has no refused token of the provider.')];
  const signedIn = await store.lastAudit('attempt.authenticated');
  const remedy = REMEDIES[parseRefused(refused.detail ?? '')?.check ?? 'form'] ?? OF_PROVIDER;
  if (signedIn !== null && signedIn.sequence > refused.sequence) {
    return [warning(CHECK, `${wordsOf(refused)} People have signed in since.`, remedy)];
  }
  const last = 'This stays a fault until somebody has signed in.';
  return [fault(CHECK, `${wordsOf(refused)} Nobody has signed in since.`, `${remedy} ${last}`)];
}

function wordsOf({ at, attemptId, detail }: AuditRow): string {
  const which = attemptId === null ? '' : ` (attempt ${attemptId})`;
  return `A token was refused at ${isoTimestamp(at)}${which}: ${detail ?? 'see the audit log'}.`;
}
