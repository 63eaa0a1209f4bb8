import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HeldPorts } from '../support/programs/held-port.ts';

async function heldPorts(settings: Record<string, string> = {}): Promise<HeldPorts> {
  const ports = await HeldPorts.open(settings);
  onTestFinished(() => ports[Symbol.asyncDispose]());
  return ports;
}

const ask = async (port: number, path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });

/** What another user of the machine is told who tries to listen there. */
async function attemptToListen(port: number): Promise<unknown> {
  const server = createServer().listen(port, '127.0.0.1');
  return once(server, 'listening').then(
    () => server.close(),
    (error: unknown) => error,
  );
}

describe('threat 95: the port is taken during a restart', () => {
  it('ports that a supervisor holds are never free, and requests wait for the next start', async () => {
    const ports = await heldPorts();
    await ports.start();
    for (const round of [1, 2]) {
      expect((await ask(ports.api, '/livez')).status, `round ${round}`).toBe(200);
      expect(await (await ask(ports.metrics, '/metrics')).text()).toContain('miftah_');
      ports.stop();
      expect(await ports.ended()).toBe(0);
      for (const port of [ports.api, ports.metrics]) {
        expect(await attemptToListen(port)).toMatchObject({ code: 'EADDRINUSE' });
      }
      const waiting = ask(ports.api, '/livez');
      await ports.start();
      expect((await waiting).status).toBe(200);
    }
  });

  it('a socket with another address than that of the settings is refused, before anything is written', async () => {
    const ports = await heldPorts({ PORT: '3' });
    await ports.start();
    expect(await ports.ended()).toBe(2);
    expect(ports.stderr()).toContain(
      `a socket that systemd holds for the service listens on 127.0.0.1:${ports.api}, but HOST and ` +
        `PORT say 127.0.0.1:3, and METRICS_HOST and METRICS_PORT say 127.0.0.1:${ports.metrics}: ` +
        'change ListenStream (systemctl edit miftah.socket), or these settings',
    );
    expect(existsSync(ports.dataDir)).toBe(false);
  });
});
