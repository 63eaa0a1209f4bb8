/** The numbers that the provider accepts; the first digit determines the document type. */
export const NATIONAL_ID_PATTERN = String.raw`^[1234569]\d{9}$`;

/** No list of test people may contain this number, so tests can rely on it being unknown. */
export const NEVER_LISTED_ID = '1999999999';

const OUTCOME_RANGE = '19000000';

/** `nin`: a citizen. `iqama`: a resident. `visa`, `border`: a visitor. */
export const DOCUMENT_TYPES = ['nin', 'iqama', 'visa', 'border'] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

const DOCUMENTS_BY_FIRST_DIGIT: Readonly<Record<string, readonly DocumentType[]>> = {
  1: ['nin'],
  2: ['iqama'],
  3: ['visa', 'border'],
  4: ['visa', 'border'],
  5: ['visa', 'border'],
  6: ['visa', 'border'],
};

/** The document types that a number with this first digit may have; none for an unknown digit. */
export function documentsFor(nationalId: string): readonly DocumentType[] {
  return DOCUMENTS_BY_FIRST_DIGIT[nationalId.charAt(0)] ?? [];
}

/** `19000000NN`: the reserved identity whose outcome is number NN. */
export function outcomeId(number: number): string {
  return `${OUTCOME_RANGE}${String(number).padStart(2, '0')}`;
}

export function isReserved(nationalId: string): boolean {
  return nationalId === NEVER_LISTED_ID || nationalId.startsWith(OUTCOME_RANGE);
}
