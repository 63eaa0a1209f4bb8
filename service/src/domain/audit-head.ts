import { EMPTY_AUDIT, type AuditHead } from './audit.ts';
import { keyedDigestText, parseDigest, sameDigest, type Digest } from './digest.ts';
import { isoTimestamp, type Ms } from './time.ts';

/**
 * The end of the audit log, kept outside the store in a file of its own. A genuine log contains
 * this row. A log that was cut, or a store that was replaced by an older copy, does not.
 */
export interface KeptHead extends AuditHead {
  /** When it was read from the store. */
  readonly at: Ms;
}

const VERSION = 'miftah-audit-head 1';

/**
 * One line that people and programs can read: label, row number, hash, time, and a proof (HMAC).
 */
export function writeKeptHead(key: Uint8Array, head: KeptHead): string {
  const { count, hash, at } = head;
  return `${VERSION} ${count} ${hash} ${at} ${proofOf(key, head)} ${isoTimestamp(at)}\n`;
}

/** Null for text that none of the keys has signed. */
export function readKeptHead(keys: readonly Uint8Array[], text: string): KeptHead | null {
  const [, number, hashText = '', time, proofText = ''] = FORM.exec(text) ?? [];
  const [hash, proof] = [parseDigest(hashText), parseDigest(proofText)];
  if (hash === null || proof === null) return null;
  const head = { count: Number(number), hash, at: Number(time) };
  return keys.some((key) => sameDigest(proofOf(key, head), proof)) ? head : null;
}

const FORM = new RegExp(`^${VERSION} (\\d{1,15}) (\\S{43}) (\\d{1,15}) (\\S{43}) \\S+\\n$`);

function proofOf(key: Uint8Array, { count, hash, at }: KeptHead): Digest {
  return keyedDigestText(key, 'audit head', `${count}`, hash, `${at}`);
}

export function isEmptyHead({ count, hash }: AuditHead): boolean {
  return count === EMPTY_AUDIT.count && hash === EMPTY_AUDIT.hash;
}
