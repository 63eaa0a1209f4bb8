import { EMPTY_AUDIT, type AuditHead } from './audit.ts';
import { keyedDigestText, parseDigest, sameDigest, type Digest } from '../values/secret.ts';
import { isoTimestamp, type Ms } from '../values/time.ts';

/**
 * The end of the audit log, kept outside the store in a file of its own. A genuine log contains
 * this row. A log that was cut, or a store that was replaced by an older copy, does not.
 */
export interface KeptHead extends AuditHead {
  /** When it was read from the store. */
  readonly at: Ms;
  /** The highest id that a user had been given by then; null in a file of an earlier version. */
  readonly lastUserId: number | null;
}

const VERSION = 'miftah-audit-head 1';

/**
 * One line that people and programs can read: label, row number, hash, time, and a proof (HMAC);
 * then the time for people, the highest user id and its proof. An earlier version reads what
 * follows the first proof as one word, so it can be started again on this file.
 */
export function writeKeptHead(key: Uint8Array, head: KeptHead): string {
  const { count, hash, at, lastUserId } = head;
  const line = `${VERSION} ${count} ${hash} ${at} ${proofOf(key, head)} ${isoTimestamp(at)}`;
  if (lastUserId === null) return `${line}\n`;
  return `${line},users=${lastUserId},${usersProofOf(key, head)}\n`;
}

/** Null for text that none of the keys has signed. */
export function readKeptHead(keys: readonly Uint8Array[], text: string): KeptHead | null {
  const [, number, hashText = '', time, proof = '', users, usersProof] = FORM.exec(text) ?? [];
  const hash = parseDigest(hashText);
  if (hash === null) return null;
  const lastUserId = users === undefined ? null : Number(users);
  if (lastUserId !== null && !Number.isSafeInteger(lastUserId)) return null;
  const head = { count: Number(number), hash, at: Number(time), lastUserId };
  return keys.some((key) => isProven(key, head, { proof, usersProof })) ? head : null;
}

const FORM = new RegExp(
  `^${VERSION} (\\d{1,15}) (\\S{43}) (\\d{1,15}) (\\S{43}) [^\\s,]+(?:,users=(\\d{1,16}),(\\S{43}))?\\n$`,
);

interface Proofs {
  readonly proof: string;
  readonly usersProof: string | undefined;
}

function isProven(key: Uint8Array, head: KeptHead, { proof, usersProof }: Proofs): boolean {
  if (!isDigest(proof, proofOf(key, head))) return false;
  return usersProof === undefined || isDigest(usersProof, usersProofOf(key, head));
}

function isDigest(text: string, expected: Digest): boolean {
  const digest = parseDigest(text);
  return digest !== null && sameDigest(expected, digest);
}

function proofOf(key: Uint8Array, { count, hash, at }: KeptHead): Digest {
  return keyedDigestText(key, 'audit head', `${count}`, hash, `${at}`);
}

function usersProofOf(key: Uint8Array, { count, hash, at, lastUserId }: KeptHead): Digest {
  return keyedDigestText(key, 'audit head users', `${count}`, hash, `${at}`, `${lastUserId}`);
}

export function isEmptyHead({ count, hash }: AuditHead): boolean {
  return count === EMPTY_AUDIT.count && hash === EMPTY_AUDIT.hash;
}
