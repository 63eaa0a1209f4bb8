import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type SharedServer, TEST_POSTGRES } from './door.ts';
import { offerMadeData } from './made-data.ts';

type Closing = SharedServer & { readonly close: () => Promise<void> };

let server: Promise<Closing> | null = null;

/**
 * One PostgreSQL for all test files of a run, started when the first test asks for it: most runs of
 * a single file need none. Tests with a server of their own share what it begins with.
 */
export default async function setUp(): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-door-'));
  const path = process.platform === 'win32' ? `\\\\.\\pipe\\${folder}` : join(folder, 'postgres');
  const door = createServer((asking) => void answer(asking)).listen(path);
  await once(door, 'listening');
  process.env[TEST_POSTGRES] = path;
  const removeData = offerMadeData();
  return async () => {
    door.close();
    removeData();
    rmSync(folder, { recursive: true, force: true });
    const opened = await server?.catch(() => null);
    await opened?.close();
  };
}

async function answer(asking: Socket): Promise<void> {
  asking.on('error', () => undefined);
  server ??= open();
  const told = await server.then(
    ({ url, run }) => ({ url, run }),
    (error: unknown) => ({ error: error instanceof Error ? error.message : String(error) }),
  );
  asking.end(JSON.stringify(told));
}

/** Loaded only when it is needed, since every run loads this file. */
async function open(): Promise<Closing> {
  const { openSharedServer } = await import('./shared-server.ts');
  return openSharedServer();
}
