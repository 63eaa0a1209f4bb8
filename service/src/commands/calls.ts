import { parseAttemptId } from '../domain/attempt-id.ts';
import { isoTimestamp } from '../domain/time.ts';
import type { AddCommand } from './command-context.ts';

/** `miftah calls ATTEMPT_ID`: the redacted requests to the provider and their answers. */
export const callsCommand: AddCommand = (program, context) => {
  program
    .command('calls')
    .argument('<attempt_id>', 'as in the answer of the start')
    .option('--json', 'one JSON object a line')
    .description('the calls to the identity provider that were made for an attempt')
    .action((text: string, { json = false }: { json?: boolean }) => {
      const attemptId = parseAttemptId(text);
      if (attemptId === null) return context.fail('An attempt id is a UUID.');
      return context.withStore(async (store) => {
        const calls = await store.listCalls(attemptId);
        if (calls.length === 0) return context.fail('No call is recorded for this attempt.');
        for (const call of calls) {
          if (json) {
            context.print(JSON.stringify(call));
            continue;
          }
          const { at, operation, status, refusal, reference, durationMs } = call;
          const parts = [isoTimestamp(at), operation, status ?? 'no answer', `${durationMs} ms`];
          if (refusal !== null) parts.push(refusal);
          if (reference !== null) parts.push(`reference ${reference}`);
          context.print(parts.join('  '));
        }
      });
    });
};
