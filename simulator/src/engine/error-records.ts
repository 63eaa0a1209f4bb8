import type { References } from './references.ts';

/** The provider's error answer. `timestamp` is always null. */
export interface ErrorRecord {
  /** The HTTP status as text; the first group of `code` repeats it. */
  readonly status: string;
  readonly timestamp: null;
  readonly message: string;
  /** NNN-NNN-NNN. */
  readonly code: string;
  readonly reference: number;
}

interface RecordKind {
  readonly code: string;
  readonly message: string;
}

/** Every record that this provider can answer, by its name in the code. */
export const RECORDS = {
  recordNotFound: { code: '422-016-023', message: "Couldn't find the requested record." },
  invalidRequest: { code: '422-031-046', message: 'The request data is invalid.' },
  activeTransaction: { code: '400-034-050', message: 'The person has an Active Trx already.' },
  transactionExpired: { code: '400-034-051', message: 'The transaction has expired.' },
  transactionNotFound: { code: '400-034-053', message: "Couldn't find the transaction." },
  stateNotRedeemable: { code: '401-033-024', message: "The state can't be exchanged." },
  malformedBody: { code: '400-031-046', message: 'The request body is not valid JSON.' },
  bodyTooLarge: { code: '413-031-046', message: 'The request body is too large.' },
  unsupportedMediaType: { code: '415-031-046', message: 'The request body must be JSON.' },
} as const satisfies Record<string, RecordKind>;

export type RecordName = keyof typeof RECORDS;

/** Each record gets a new reference, so that no two records share one. */
export function makeRecord(name: RecordName, references: References): ErrorRecord {
  const { code, message } = RECORDS[name];
  const reference = references.next();
  return { status: code.slice(0, 3), timestamp: null, message, code, reference };
}
