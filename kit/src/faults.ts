import type { ControlApi } from './control-api.ts';
import { ANYTHING, dataOf, isObject, optional, type Rule } from './options.ts';

/** Which calls fail, and how: of the service to the provider, or of a client to its OpenID Provider. */
export interface FaultRule {
  readonly operation:
    | 'session'
    | 'mfa_request'
    | 'mfa_status'
    | 'exchange'
    | 'jwk'
    | 'token_valid'
    /** All of these. */
    | 'any'
    | 'openid_token'
    | 'openid_userinfo'
    | 'openid_jwks'
    | 'openid_discovery';
  /** The HTTP status in the place of the answer. */
  readonly status?: 403 | 429 | 500 | 502 | 503 | 504 | undefined;
  /** The code of an error record of the provider: `422-016-023`. */
  readonly record?: string | undefined;
  /** Milliseconds that the call waits, or a range of them. */
  readonly latencyMs?: number | { readonly min: number; readonly max: number } | undefined;
  /** What becomes of the answer to a call that was carried out. */
  readonly answer?: 'malformed' | 'cut' | 'timeout' | undefined;
  /** The share of the calls, 0 to 1; by default 1. */
  readonly rate?: number | undefined;
  /** The same seed gives the same decisions; by default one is chosen. */
  readonly seed?: number | undefined;
  /** For so many calls; by default for all. */
  readonly times?: number | undefined;
}

/** A rule as it is set. */
export interface SetFault extends FaultRule {
  readonly rate: number;
  readonly seed: number;
  /** The calls of its operation since it was set. */
  readonly seen: number;
  /** Those that met the fault. */
  readonly hits: number;
}

/** What is wrong with a value says the instance, which knows them all. */
const FAULT = dataOf<FaultRule>('is a fault', {
  operation: ANYTHING,
  status: optional(ANYTHING),
  record: optional(ANYTHING),
  latencyMs: optional(ANYTHING),
  answer: optional(ANYTHING),
  rate: optional(ANYTHING),
  seed: optional(ANYTHING),
  times: optional(ANYTHING),
});

export const FAULTS_RULE: Rule<FaultRule | readonly FaultRule[]> = optional({
  ...FAULT,
  name: 'rules',
  says: 'are a fault or a list of faults',
  holds: (rules): rules is FaultRule | readonly FaultRule[] =>
    isObject(rules) || Array.isArray(rules),
  each: FAULT,
});

/** Puts rules in the place of those that are set. */
export async function setFaults(
  control: ControlApi,
  rules: FaultRule | readonly FaultRule[] | undefined,
): Promise<readonly SetFault[]> {
  if (rules === undefined) return listFrom(await control.call('listFaults'));
  const faults = isList(rules) ? rules : [rules];
  return listFrom(await control.call('setFaults', { body: { faults } }));
}

function isList(rules: FaultRule | readonly FaultRule[]): rules is readonly FaultRule[] {
  return Array.isArray(rules);
}

function listFrom(data: unknown): readonly SetFault[] {
  if (isSet(data)) return data;
  throw new Error('/simulator/faults has answered without a list.');
}

function isSet(data: unknown): data is readonly SetFault[] {
  return Array.isArray(data);
}
