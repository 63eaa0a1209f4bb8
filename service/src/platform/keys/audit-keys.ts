import { keyedDigest } from '../../values/secret.ts';
import type { ServerKeys } from './server-keys.port.ts';

/** The current key comes first. */
export function auditKeysOf({ current, retired }: ServerKeys): [Uint8Array, ...Uint8Array[]] {
  return [auditKeyOf(current), ...retired.map(auditKeyOf)];
}

/** Each use has its own key: the key of the audit log can't open identities. */
function auditKeyOf(serverKey: Uint8Array): Uint8Array {
  return keyedDigest(serverKey, 'audit log');
}
