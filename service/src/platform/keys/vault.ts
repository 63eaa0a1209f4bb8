import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { keyedDigestText } from '../../values/secret.ts';
import type { Random } from '../runtime.port.ts';
import type { ServerKeyring } from './server-keyring.ts';
import type { ServerKeys } from './server-keys.port.ts';
import type { SealContext, Vault } from './vault.port.ts';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
/** Random nonces: one key may seal 2^32 texts, some four thousand million (SP 800-38D, 8.3). */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** `v1.`, the id of the key, `.`, and in base64url: nonce, encrypted text, tag. */
const FORM = /^v1\.([0-9a-f]{8})\.([\w-]+)$/;

interface VaultKey {
  readonly id: string;
  readonly sealing: KeyObject;
  readonly looking: Uint8Array;
}

/**
 * AES-256-GCM. From each secret it derives a key for sealing, another key for look-up digests, and
 * an id. Table, row, column and key id are authenticated together with the text.
 * @throws Error when a secret is given twice
 */
export function createVault({ current, retired }: ServerKeys, random: Random): Vault {
  const currentKey = deriveKey(current);
  const keys = [currentKey, ...retired.map((secret) => deriveKey(secret))];
  const byId = new Map(keys.map((key) => [key.id, key]));
  if (byId.size < keys.length) throw new Error('one of the secrets of the vault is there twice');

  function keyOf(id: string): VaultKey {
    const key = byId.get(id);
    if (key === undefined) throw new Error(`the vault has no key ${id}: give it the secret again`);
    return key;
  }

  return {
    currentKey: currentKey.id,
    retiredKeys: keys.slice(1).map(({ id }) => id),
    seal: (context, text) => sealWith(currentKey, context, text, random.bytes(NONCE_BYTES)),
    open(context, sealed) {
      const [, id, body] = FORM.exec(sealed) ?? [];
      if (id === undefined || body === undefined) throw unsealed(context, 'it was never sealed');
      const bytes = Buffer.from(body, 'base64url');
      // Several texts decode to the same bytes, but only the canonical one was sealed.
      if (bytes.toString('base64url') !== body) throw unsealed(context, 'it was changed');
      return openWith(keyOf(id), context, bytes);
    },
    digest: (id, ...parts) => keyedDigestText(keyOf(id).looking, 'look-up', ...parts),
  };
}

/** A vault whose keys are always those of the keyring. */
export function vaultOf(keyring: ServerKeyring, random: Random): Vault {
  const vault = keyring.derived((keys) => createVault(keys, random));
  return {
    get currentKey() {
      return vault().currentKey;
    },
    get retiredKeys() {
      return vault().retiredKeys;
    },
    seal: (context, text) => vault().seal(context, text),
    open: (context, sealed) => vault().open(context, sealed),
    digest: (key, ...parts) => vault().digest(key, ...parts),
  };
}

function deriveKey(secret: Uint8Array): VaultKey {
  return {
    id: Buffer.from(derive(secret, 'id', KEY_ID_BYTES)).toString('hex'),
    sealing: createSecretKey(derive(secret, 'sealing', KEY_BYTES)),
    looking: derive(secret, 'look-up', KEY_BYTES),
  };
}

/** HKDF without salt, because the secret is random. The label separates the uses. */
function derive(secret: Uint8Array, use: string, length: number): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `miftah vault 1 ${use}`, length));
}

function sealWith(key: VaultKey, context: SealContext, text: string, nonce: Uint8Array): string {
  const cipher = createCipheriv(CIPHER, key.sealing, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(placeOf(key, context));
  const parts = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `v1.${key.id}.${Buffer.concat(parts).toString('base64url')}`;
}

function openWith(key: VaultKey, context: SealContext, body: Buffer): string {
  const textEnd = body.length - TAG_BYTES;
  if (textEnd < NONCE_BYTES) throw unsealed(context, 'it is cut off');
  const nonce = body.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key.sealing, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(placeOf(key, context)).setAuthTag(body.subarray(textEnd));
  try {
    const text = decipher.update(body.subarray(NONCE_BYTES, textEnd));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    throw unsealed(context, `it was changed, or sealed for another place, under key ${key.id}`);
  }
}

/** Each part is preceded by its length, so that two different places never give the same bytes. */
function placeOf({ id }: VaultKey, { table, row, column }: SealContext): Buffer {
  const parts = [id, table, row, column];
  return Buffer.from(parts.map((part) => `${Buffer.byteLength(part)}:${part}`).join(''));
}

function unsealed({ table, column }: SealContext, reason: string): Error {
  return new Error(`a sealed ${table}.${column} can't be opened: ${reason}`);
}
