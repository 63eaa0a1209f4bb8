import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

export const SERVER_IDENTITY_FILE = 'postgres-server.json';
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

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
    mkdirSync(this.#folder, { recursive: true, mode: PRIVATE_FOLDER });
    const path = join(this.#folder, SERVER_IDENTITY_FILE);
    const file = openSync(`${path}.part`, 'w', PRIVATE_FILE);
    try {
      writeSync(file, `${JSON.stringify({ systemIdentifier, timeline })}\n`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(`${path}.part`, path);
    this.#known = identity;
  }
}

function readIdentity(path: string): Identity | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new Error(`${path} can't be read`, { cause: error });
  }
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
