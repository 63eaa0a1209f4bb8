import { mayBeOfEarlierKey, type AuditFault, type AuditVerdict } from './audit-chain.ts';

type Broken = Extract<AuditVerdict, { readonly ok: false }>;

const EARLIER_KEY_ADVICE =
  'If SECRET_KEY was changed at some time, give the earlier key too, in RETIRED_SECRET_KEYS.';
/** Rows of two keys alternate then, so one between two of the other key may be whole. */
const OTHER_KEY_ADVICE =
  'If several instances changed SECRET_KEY at that time, give both keys, in RETIRED_SECRET_KEYS.';
const FAULTS: Readonly<Record<AuditFault, string>> = {
  missing: 'it is not there, and later ones are',
  moved: 'it was written after another row than the one before it',
  changed: 'it is not as it was written',
  unproven: 'it is not as it was written, or was written under a key that is not given',
  truncated: 'the log once went on here, and has been cut off',
  beyond: 'it comes after the end that the log knows',
  head_lost: 'nothing says where the log ends',
  head_changed: 'the log says that it ends with another row',
  anchor_changed: 'the rows before it are gone, and no key that is given proves who cut them off',
};

/** What is wrong with an audit log, in sentences, and whether a key may be missing instead. */
export function wordsOfBroken(verdict: Broken): string {
  if ('sequence' in verdict) {
    const line = `Row ${verdict.sequence} is wrong: ${FAULTS[verdict.fault]}.`;
    if (verdict.fault === 'changed') return `${line} ${OTHER_KEY_ADVICE}`;
    return mayBeOfEarlierKey(verdict.fault) ? `${line} ${EARLIER_KEY_ADVICE}` : line;
  }
  const { kind, id, action } = verdict.fact;
  if (verdict.fault === 'undone') {
    return `Something was undone: the log has ${action} of the ${kind} ${id}, and the store has not.`;
  }
  return `A row is missing: the store has the ${kind} ${id}, and the log has no ${action} of it.`;
}

/** Rows of the audit log that are old enough to go are kept, because they don't verify. */
export class BrokenAudit extends Error {
  constructor(verdict: Broken) {
    super(wordsOfBroken(verdict));
  }
}
