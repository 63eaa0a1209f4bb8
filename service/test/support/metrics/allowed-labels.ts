import { ERROR_CODES } from '@miftah/contract/errors';
import { TASKS } from '../../../src/audit/audit.ts';
import { LIMITS } from '../../../src/values/limits.ts';
import { TOKEN_CHECKS } from '../../../src/attempt/refused-token.ts';
import {
  SIGN_IN_STEPS,
  WAIT_ENDS,
  WAIT_KINDS,
  WEBHOOK_OUTCOMES,
} from '../../../src/operate/metrics/meter.port.ts';
import type { Series } from './series.ts';

type Allowed = ReadonlySet<string> | RegExp;

const METHODS = ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'any'];

/** The patterns of live mode's routes, written out so that a new one is looked at here too. */
const ROUTES = new Set([
  'unknown',
  '*',
  '/livez',
  '/readyz',
  '/openapi.json',
  '/errors',
  '/errors/:code',
  '/api/v1/start',
  '/api/v1/status/:attempt_id',
  '/api/v1/callback',
  '/api/v1/callback/launch',
  '/api/v1/complete-mfa',
  '/api/v1/provider/mfa-callback',
  '/api/v1/token/:attempt_id',
]);

/** Every label of the service's own numbers, with all the values that it may have. */
const OWN: Readonly<Record<string, Allowed>> = {
  mode: new Set(['simulator', 'live', 'rehearsal']),
  version: /^\d+\.\d+\.\d+$/,
  flow: new Set(['oidc', 'mfa']),
  step: new Set(SIGN_IN_STEPS),
  reason: new Set([...ERROR_CODES, ...WAIT_ENDS]),
  kind: new Set(WAIT_KINDS),
  check: new Set(TOKEN_CHECKS),
  signed: new Set(['yes', 'no']),
  task: new Set(TASKS),
  limit: new Set(LIMITS),
  state: new Set(['in_use', 'idle']),
  operation: new Set(['session', 'exchange', 'push', 'pushStatus', 'keys']),
  outcome: new Set(['answered', ...ERROR_CODES, ...WEBHOOK_OUTCOMES]),
  method: new Set(METHODS),
  route: ROUTES,
  status: /^[1-5]xx$/,
  le: /^(?:\d+(?:\.\d+)?|\+Inf)$/,
};

/** Those of the library's numbers about the process. */
const PROCESS: Readonly<Record<string, Allowed>> = {
  kind: new Set(['major', 'minor', 'incremental', 'weakcb', 'minor_mark_sweep']),
  space: /^[a-z]+(?:_[a-z]+)*$/,
  // Names of classes of Node.
  type: /^[A-Z][A-Za-z]{2,40}$/,
  version: /^v\d+\.\d+\.\d+$/,
  major: /^\d+$/,
  minor: /^\d+$/,
  patch: /^\d+$/,
  le: /^(?:\d+(?:\.\d+)?|\+Inf)$/,
};

/** The labels that are not allowed, as text. */
export function strangeLabels(series: readonly Series[]): string[] {
  return series.flatMap(({ name, labels }) => {
    const allowed = /^(?:nodejs|process)_/.test(name) ? PROCESS : OWN;
    return Object.entries(labels)
      .filter(([label, value]) => !allows(allowed[label], value))
      .map(([label, value]) => `${name} ${label}=${value}`);
  });
}

function allows(allowed: Allowed | undefined, value: string): boolean {
  return allowed instanceof RegExp ? allowed.test(value) : allowed?.has(value) === true;
}
