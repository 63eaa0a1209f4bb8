import type { Branded } from './brand.ts';
import { parseUuid, uuidVersion7 } from './uuid.ts';
import type { Ms } from './time.ts';

export type AttemptId = Branded<string, 'AttemptId'>;

/** Version 7, so that new rows land side by side in the store's key order. */
export function makeAttemptId(at: Ms, random: Uint8Array): AttemptId {
  return uuidVersion7(at, random) as AttemptId;
}

/** No attempt's id: its version is not 7. Looked up for text that can't be an id. */
export const NO_ATTEMPT_ID = '00000000-0000-0000-0000-000000000000' as AttemptId;

/** Null for anything but the canonical lower-case form. */
export function parseAttemptId(text: string): AttemptId | null {
  return parseUuid(text) as AttemptId | null;
}
