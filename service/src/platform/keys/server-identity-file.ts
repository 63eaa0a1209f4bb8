import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataFolder } from '../files/data-folder.ts';
import { readIfThere, replaceDurably } from '../files/durable-file.ts';

export const SERVER_IDENTITY_FILE = 'postgres-server.json';

interface Identity {
  readonly systemIdentifier: string | null;
  readonly timeline: number;
}

/**
 * Remembers over restarts which database server was used, so that a former primary, which still
 * believes in itself, is recognised.
 */
export class ServerIdentityFile {
  readonly #folder: string;
  #known: Identity | null;

  /** @throws Error when the file is there and can't be read */
  constructor(folder: string) {
    this.#folder = folder;
    this.#known = readIdentity(join(folder, SERVER_IDENTITY_FILE));
  }

  known(): Identity | null {
    return this.#known;
  }

  /** Replaces the file completely or not at all. */
  async remember(identity: Identity): Promise<void> {
    const known = this.#known;
    const { systemIdentifier, timeline } = identity;
    if (known?.systemIdentifier === systemIdentifier && known.timeline === timeline) return;
    makeDataFolder(this.#folder);
    const text = `${JSON.stringify({ systemIdentifier, timeline })}\n`;
    replaceDurably(join(this.#folder, SERVER_IDENTITY_FILE), text);
    this.#known = identity;
  }
}

/** For who compares, and remembers nothing. */
export function onlyKnown(file: Pick<ServerIdentityFile, 'known'> | null) {
  return { known: () => file?.known() ?? null, remember: async () => undefined };
}

/** Of a folder whose store is a file from now on. */
export function forgetServer(folder: string): void {
  rmSync(join(folder, SERVER_IDENTITY_FILE), { force: true });
}

function readIdentity(path: string): Identity | null {
  const text = readIfThere(path);
  if (text === null) return null;
  const identity = parseIdentity(text);
  if (identity !== null) return identity;
  throw new Error(
    `${path} was changed: it says which database server is used. Delete it if DATABASE_URL names ` +
      'the right one',
  );
}

function parseIdentity(text: string): Identity | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return null;
    if (!('systemIdentifier' in value) || !('timeline' in value)) return null;
    const { systemIdentifier, timeline } = value;
    const isNamed = systemIdentifier === null || typeof systemIdentifier === 'string';
    if (!isNamed || typeof timeline !== 'number' || !Number.isSafeInteger(timeline)) return null;
    return { systemIdentifier, timeline };
  } catch {
    return null;
  }
}
