import { integer, list, nothing, oneOf, openObject, union } from '@miftah/schema';
import { checkOf } from '@miftah/schema/check';
import { makeDataFolder } from '@miftah/schema/data-folder';
import { join } from 'node:path';
import { readIfThere, replaceDurably } from '../platform/durable-file.ts';
import { KEY_ROLES, type KeptKey, type KeyStore } from './key-ring.ts';
import { SigningKey } from './signing-key.ts';

const FILE_NAME = 'keys.json';

const Saved = checkOf(
  openObject({
    keys: list(
      openObject({
        role: oneOf(KEY_ROLES),
        key: SigningKey,
        until: union(integer(), nothing()),
      }),
    ),
  }),
);

export class KeyFileError extends Error {
  constructor(path: string) {
    super(
      `${path} does not hold signing keys. New ones would void every token that is on its way, so ` +
        'nothing was changed: restore the file, or delete it to start with new keys.',
    );
    this.name = 'KeyFileError';
  }
}

/**
 * Keys that survive restarts. They sign for invented people only, but still only this user may read
 * them.
 * @throws KeyFileError when the file exists and is not valid
 */
export function openKeyFile(directory: string): KeyStore {
  const path = join(directory, FILE_NAME);
  return {
    load: () => readKeys(path),
    save(keys) {
      makeDataFolder(directory);
      replaceDurably(path, `${JSON.stringify({ keys })}\n`);
    },
  };
}

function readKeys(path: string): readonly KeptKey[] {
  const text = readIfThere(path);
  if (text === null) return [];
  const content = parsed(text);
  if (!Saved.holds(content)) throw new KeyFileError(path);
  if (content.keys.filter(({ role }) => role === 'signing').length !== 1) {
    throw new KeyFileError(path);
  }
  return content.keys;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
