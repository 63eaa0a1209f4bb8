import {
  MOST_SECONDS,
  readScenario as readHeaders,
  SCOPE_HEADER,
  type PromptKind,
  type ScenarioFault,
} from '@miftah/simulator/engine';
import { Refusal, type FieldFault } from '../../errors/refusal.ts';
import type { Flow } from '../../attempt/flow.ts';
import { DEFAULT_SCOPE } from '../../attempt/scenario.ts';
import type { ScenarioReader } from '../../request/context.ts';

const KINDS = { oidc: 'redirect', mfa: 'push' } as const satisfies Record<Flow, PromptKind>;

/** What a test has chosen for an attempt, from the headers of its start. @throws Refusal */
export const readScenario: ScenarioReader = (headers, flow) => {
  const read = readHeaders(headers, KINDS[flow]);
  if (!read.ok) throw new Refusal('validation.failed', { faults: [faultOf(read.fault, flow)] });
  const { scope, outcome } = read.scenario;
  return scope === DEFAULT_SCOPE && outcome === null ? null : read.scenario;
};

function faultOf(fault: ScenarioFault, flow: Flow): FieldFault {
  const found = { field: fault.header, pointer: '', rule: 'format' } as const;
  if (fault.header === SCOPE_HEADER) return found;
  const { near } = fault;
  return { ...found, expected: expectedOf(fault, flow), ...(near === undefined ? {} : { near }) };
}

const FLOWS = {
  oidc: { en: 'a sign-in by browser', ar: 'الدخول عبر المتصفح' },
  mfa: { en: 'a sign-in by phone', ar: 'الدخول عبر الجوال' },
} as const satisfies Record<Flow, unknown>;

type OutcomeFault = Exclude<ScenarioFault, { header: typeof SCOPE_HEADER }>;

/** The end of the sentence about an outcome that is not allowed. */
function expectedOf(fault: OutcomeFault, flow: Flow): NonNullable<FieldFault['expected']> {
  const keys = fault.allowed.join(', ');
  const { en, ar } = FLOWS[flow];
  if (fault.what === 'outcome') {
    return { en: `for ${en} use one of ${keys}`, ar: `استخدم مع ${ar} إحدى القيم ${keys}` };
  }
  return {
    en: `;after= is a whole number of seconds from 0 to ${MOST_SECONDS}, for ${en} with one of ${keys}`,
    ar: `‎;after=‎ عدد صحيح من الثواني من 0 إلى ${MOST_SECONDS}، مع ${ar} لإحدى القيم ${keys}`,
  };
}
