import type { AttemptId } from '../values/ids.ts';
import type { AuditRow } from '../audit/audit.ts';
import type { ProviderCall } from '../attempt/provider-call.ts';
import { isoTimestamp, type Ms } from '../values/time.ts';
import type { Store } from '../store/ports/store.port.ts';
import { readAttemptId, type AddCommand, type CommandContext } from './command-context.ts';
import { jsonWithoutControls } from './instance/without-controls.ts';

/** More than an attempt can have. */
const MOST_ROWS = 1000;

/**
 * `miftah calls ATTEMPT_ID`: the redacted requests to the provider and their answers, and why a
 * token of the provider was refused.
 */
export const callsCommand: AddCommand = (program, context) => {
  program
    .command('calls')
    .argument('<attempt_id>', 'as in the answer of the start', readAttemptId)
    .option('--json', 'one JSON object a line')
    .description('the calls to the identity provider that were made for an attempt')
    .action((attemptId: AttemptId, { json = false }: { json?: boolean }) =>
      context.withStore(async (store) => {
        const found = await entriesOf(store, attemptId);
        if (found.length === 0) return context.fail(await noneOf(attemptId, context));
        for (const one of found) {
          if (json) context.print(jsonWithoutControls(one));
          else context.print('operation' in one ? lineOfCall(one) : lineOfRefusal(one));
        }
      }),
    );
};

async function noneOf(attemptId: AttemptId, context: CommandContext): Promise<string> {
  const none = 'No call is recorded for this attempt';
  if (await context.recordsCalls()) return `${none}.`;
  return (
    `${none}: simulator mode calls no provider, unless STRICT is on. ` +
    `\`miftah attempt ${attemptId}\` has what happened.`
  );
}

/** In the order of their times. */
async function entriesOf(store: Store, attemptId: AttemptId) {
  const rows = await store.readAudit({ after: 0, limit: MOST_ROWS, attemptId });
  const calls = await store.listCalls(attemptId);
  const refused = rows
    .filter(({ action }) => action === 'provider.token_refused')
    .map((row) => ({ ...row, at: cameAt(row, calls) }));
  return [...calls, ...refused].toSorted((one, other) => one.at - other.at);
}

/** A row has the time of its request, which began before the exchange that brought the token. */
function cameAt({ at }: AuditRow, calls: readonly ProviderCall[]): Ms {
  const exchange = calls.find((call) => call.operation === 'exchange' && call.at >= at);
  return exchange === undefined ? at : exchange.at + exchange.durationMs;
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
