import type { AttemptId } from '../../../values/ids.ts';
import { isErrorCode } from '../../../errors/catalogue.ts';
import {
  boundedCall,
  parseCallContent,
  parseCallQuery,
  type ProviderCall,
} from '../../../attempt/provider-call.ts';
import { RowReader } from './row-reader.ts';
import type { CallRow } from '../schema.ts';
import type { SqlRow } from '../statement.ts';

export function callToRow(attemptId: AttemptId, call: ProviderCall): Omit<CallRow, 'call_id'> {
  const { at, operation, query, body, status, answer, reference, refusal, durationMs } =
    boundedCall(call);
  return {
    attempt_id: attemptId,
    at,
    operation,
    query: JSON.stringify(query),
    body: JSON.stringify(body),
    status,
    answer: JSON.stringify(answer),
    reference,
    refusal,
    duration_ms: durationMs,
  };
}

export function callFromRow(row: SqlRow): ProviderCall {
  const read = new RowReader<CallRow>('provider_calls', row);
  const content = (column: 'body' | 'answer') => {
    const value = parseCallContent(read.text(column));
    return value === null ? null : read.accepted(column, value ?? null);
  };
  return {
    at: read.integer('at'),
    operation: read.text('operation'),
    requestId: read.text('attempt_id'),
    query: read.parsed('query', parseCallQuery),
    body: content('body'),
    status: read.integerOrNull('status'),
    answer: content('answer'),
    reference: read.integerOrNull('reference'),
    refusal: read.parsedOrNull('refusal', (text) => (isErrorCode(text) ? text : null)),
    durationMs: read.integer('duration_ms'),
  };
}
