/** The errors of the provider's calls, as the OpenAPI document describes them. */
import { integer, nothing, oneOf, openObject, string, type Schema } from '@miftah/schema';
import {
  FAULT_STATUSES,
  faultOfStatus,
  type FaultStatus,
} from '../engine/outcomes/answer-faults.ts';
import { RECORDS, type RecordName } from '../engine/error-records.ts';
import { RECORDS_OF, type Operation } from '../engine/outcomes/faults.ts';
import type { BodyFault } from '../http/bodies.ts';

interface Described {
  readonly description: string;
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

const OF_BODIES: readonly BodyFault[] = ['malformedBody', 'bodyTooLarge', 'unsupportedMediaType'];

/** Every error that an operation can answer with, by its status. */
export function providerErrors(
  operation: Operation,
  hasBody: boolean,
  problem: Schema,
): Readonly<Record<string, Described>> {
  const names = new Set<RecordName>([...RECORDS_OF[operation], ...(hasBody ? OF_BODIES : [])]);
  const byStatus = Map.groupBy(names, (name) => RECORDS[name].code.slice(0, 3));
  const records = [...byStatus].map(
    ([status, found]) => [status, recordsOf(status, found, problem)] as const,
  );
  const faults = FAULT_STATUSES.map((status) => [String(status), faultOf(status)] as const);
  return Object.fromEntries([...records, ...faults]);
}

function recordsOf(status: string, names: readonly RecordName[], problem: Schema): Described {
  const codes = names.map((name) => RECORDS[name].code);
  const record = openObject({
    status: oneOf([status]),
    timestamp: nothing(),
    message: string(),
    code: oneOf(codes),
    reference: integer({ description: 'Of this answer alone: what support asks for.' }),
  });
  const meanings = names.map((name) => `\`${RECORDS[name].code}\`: ${RECORDS[name].message}`);
  const isOfScenarios = status === '422';
  return {
    description: [
      ...meanings,
      ...(isOfScenarios ? ['A wrong header of a scenario is an error of the control API.'] : []),
    ].join(' '),
    content: {
      'application/json': { schema: record },
      ...(isOfScenarios && { 'application/problem+json': { schema: problem } }),
    },
  };
}

/** Of the gateway, and of a provider that is away. None of them is a record. */
function faultOf(status: FaultStatus): Described {
  const fault = faultOfStatus(status);
  const description =
    fault.kind === 'gateway'
      ? `The gateway does not take the keys: the text \`${fault.text}\`.`
      : 'An outage, where a test has asked for it.';
  const mediaType = fault.kind === 'gateway' ? 'text/plain' : fault.mediaType;
  return { description, content: { [mediaType]: { schema: string() } } };
}
