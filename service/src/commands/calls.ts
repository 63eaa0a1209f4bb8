import { callEntries, lineOfEntry, MOST_ROWS_OF_ATTEMPT } from '../attempt/call-lines.ts';
import type { AttemptId } from '../values/ids.ts';
import { readAttemptId, type AddCommand, type CommandContext } from './command-context.ts';
import { jsonWithoutControls } from './instance/without-controls.ts';

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
        const rows = await store.readAudit({ after: 0, limit: MOST_ROWS_OF_ATTEMPT, attemptId });
        const found = callEntries(await store.listCalls(attemptId), rows);
        if (found.length === 0) return context.fail(await noneOf(attemptId, context));
        for (const one of found) {
          context.print(json ? jsonWithoutControls(one) : lineOfEntry(one));
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
