import type { AuditRow } from '../audit/audit.ts';
import { isoTimestamp, type Ms } from '../values/time.ts';
import type { ProviderCall } from './provider-call.ts';

/** Far more rows of the audit log than an attempt has: only repeated exchanges add some each minute. */
export const MOST_ROWS_OF_ATTEMPT = 1000;

/** A call to the provider that was made for an attempt, or why a token of the provider was refused. */
export type CallEntry = ProviderCall | AuditRow;

/**
 * The calls and the refused tokens, oldest first.
 * @param rows of the audit log about the attempt
 */
export function callEntries(
  calls: readonly ProviderCall[],
  rows: readonly AuditRow[],
): readonly CallEntry[] {
  const refused = rows
    .filter(({ action }) => action === 'provider.token_refused')
    .map((row) => ({ ...row, at: cameAt(row, calls) }));
  return [...calls, ...refused].toSorted((one, other) => one.at - other.at);
}

/**
 * A row has the time at which its request began, so it would stand before the exchange that brought the
 * token. It is shown at the end of that exchange.
 */
function cameAt({ at }: AuditRow, calls: readonly ProviderCall[]): Ms {
  const exchange = calls.find((call) => call.operation === 'exchange' && call.at >= at);
  return exchange === undefined ? at : exchange.at + exchange.durationMs;
}

export function lineOfEntry(entry: CallEntry): string {
  return 'operation' in entry ? lineOfCall(entry) : lineOfRefusal(entry);
}

function lineOfCall(call: ProviderCall): string {
  const { at, operation, status, refusal, reference, durationMs } = call;
  const parts = [isoTimestamp(at), operation, status ?? absenceIn(call), `${durationMs} ms`];
  if (refusal !== null) parts.push(refusal);
  if (reference !== null) parts.push(`reference ${reference}`);
  return parts.join('  ');
}

function absenceIn({ answer }: ProviderCall): string {
  const why = answer === null || typeof answer === 'string' ? undefined : answer['no_answer'];
  return why === undefined ? 'no answer' : `no answer: ${why}`;
}

function lineOfRefusal({ at, detail, count }: AuditRow): string {
  const parts = [isoTimestamp(at), 'token refused', detail ?? 'see the audit log'];
  if (count !== null) parts.push(`${count} times more`);
  return parts.join('  ');
}
