import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const SALT_BYTES = 16;
const KEY_BYTES = 32;

/**
 * What a server keeps of a password (RFC 5803), derived by one round. Of the usual 4,096 both ends of
 * each connection do all again, and the tests connect some ten thousand times.
 */
export function quickVerifier(password: string): string {
  const salt = randomBytes(SALT_BYTES);
  const salted = pbkdf2Sync(password, salt, 1, KEY_BYTES, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const server = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$1:${salt.toString('base64')}$${stored}:${server}`;
}
