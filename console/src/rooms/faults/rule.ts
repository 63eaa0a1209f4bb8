import type { CountedRule, FaultRule } from '@miftah/contract/control';
import { textIn } from '../../parts/text-in.ts';

export const OPERATIONS = [
  'any',
  'session',
  'mfa_request',
  'mfa_status',
  'exchange',
  'jwk',
  'token_valid',
] as const;
export type Operation = (typeof OPERATIONS)[number];

export const KINDS = ['status', 'record', 'latency', 'answer'] as const;
export type Kind = (typeof KINDS)[number];

export const STATUSES = [403, 429, 500, 502, 503, 504] as const;
export const ANSWERS = ['malformed', 'cut', 'timeout'] as const;

const INVALID = '422-031-046';

/** The error records that an operation can have. */
export const RECORDS: Readonly<Record<Operation, readonly string[]>> = {
  any: [INVALID],
  session: [INVALID],
  mfa_request: ['422-016-023', '400-034-050', INVALID],
  mfa_status: ['400-034-051', '400-034-053', INVALID],
  exchange: ['401-033-024', INVALID],
  jwk: [INVALID],
  token_valid: [INVALID],
};

/** A rule that was read, as it is sent: with its seed, without its counts. */
export function withoutCounts({ seen: _seen, hits: _hits, ...rule }: CountedRule): FaultRule {
  const { times, ...others } = rule;
  return times === null || times === undefined ? others : { ...others, times };
}

/** What the fields of the form say; a field that is not shown is null. */
export function ruleFrom(fields: FormData): FaultRule {
  const text = (name: string) => textIn(fields, name);
  const number = (name: string) => (text(name) === '' ? undefined : Number(text(name)));
  const operation = OPERATIONS.find((one) => one === text('operation')) ?? 'any';
  const [seed, times] = [number('seed'), number('times')];
  return {
    operation,
    ...faultFrom(text('kind'), text, number),
    rate: (number('rate') ?? 100) / 100,
    ...(seed === undefined ? {} : { seed }),
    ...(times === undefined ? {} : { times }),
  };
}

function faultFrom(
  kind: string,
  text: (name: string) => string,
  number: (name: string) => number | undefined,
): Partial<FaultRule> {
  if (kind === 'status') return { status: number('status') ?? 0 };
  if (kind === 'record') return { record: text('record') };
  if (kind === 'answer') return { answer: text('answer') };
  const [min, max] = [number('min') ?? 0, number('max') ?? 0];
  return { latency_ms: min === max ? min : { min, max } };
}
