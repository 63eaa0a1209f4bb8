/** The program as somebody runs it: its own process, real signals. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AMAL, REQUEST_ID, STRANGER } from './support/engines.ts';

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts');

let directory: string;
let running: ChildProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'simulator-'));
});
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running = [];
  rmSync(directory, { recursive: true, force: true });
});

function start(env: Record<string, string>) {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [MAIN], {
    env: { PATH, DATA_DIR: join(directory, 'data'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, exit, output: () => output };
}

async function startListening(env: Record<string, string> = {}) {
  const port = await freePort();
  const started = start({ PORT: String(port), ...env });
  const origin = `http://127.0.0.1:${port}`;
  await Promise.race([once(started.child.stdout, 'data'), started.exit]);
  return { ...started, origin };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function push(origin: string, nationalId: string): Promise<Response> {
  return fetch(`${origin}/stg/api/v1/mfa/request?local=en&requestId=${REQUEST_ID}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nationalId, service: 'Login' }),
  });
}

describe('npm run simulator', () => {
  it('says where it is and how to use it, is alive and ready, and ends with 0 on SIGTERM', async () => {
    const { child, exit, output, origin } = await startListening();
    expect(output()).toContain(`${origin}/stg`);
    expect(output()).toContain(AMAL);
    expect(output()).toMatch(/curl /);
    for (const path of ['/livez', '/readyz']) {
      expect((await fetch(origin + path)).status).toBe(200);
    }
    expect((await push(origin, AMAL)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  it('goes on counting references where a killed one was', async () => {
    const references: number[] = [];
    for (let life = 0; life < 2; life += 1) {
      const { child, exit, origin } = await startListening();
      const answer = (await (await push(origin, STRANGER)).json()) as { reference: number };
      references.push(answer.reference);
      child.kill('SIGKILL');
      await exit;
    }
    expect(references[1]).toBeGreaterThan(references[0] ?? Number.POSITIVE_INFINITY);
  });

  it('lists every fault of its settings at once and ends with 1', async () => {
    const { exit, output } = start({ PORT: 'x', HOST: '0.0.0.0', NODE_ENV: 'production' });
    expect(await exit).toBe(1);
    expect(output()).toMatch(/PORT x/);
    expect(output()).toMatch(/SIMULATOR_TOKEN/);
    expect(output()).toMatch(/ALLOW_SIMULATOR/);
  });

  it('says what is wrong with a people file, without a stack', async () => {
    const file = join(directory, 'people.json');
    writeFileSync(file, '{"people": [{"id": "x"}]}');
    const { exit, output } = start({ PEOPLE_FILE: file });
    expect(await exit).toBe(1);
    expect(output()).toContain('/people/0');
    expect(output()).not.toContain('    at ');
  });
});
