import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { cpuSeconds, slowestLivez } from '../support/attacks/unread/crowd.ts';
import { startServiceForTest } from '../support/programs/for-test.ts';
import type { ServiceProcess } from '../support/programs/service-process.ts';

const CALLS = 3000;
const OPENED_AT_ONCE = 250;
const PLACES_OF_ADDRESS = 100;

/** Opens calls that wait for half a minute. `refused` are those that got no place. */
async function waitTogether({ port }: ServiceProcess) {
  const request = 'GET /simulator/wait?until=prompt&timeout=30 HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const answers: string[] = [];
  for (let opened = 0; opened < CALLS; opened += OPENED_AT_ONCE) {
    const sockets = Array.from({ length: OPENED_AT_ONCE }, () => connect(port, '127.0.0.1'));
    for (const socket of sockets) {
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => undefined);
      socket.once('data', (bytes) => void answers.push(bytes.toString('latin1')));
      socket.write(request);
    }
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  }
  return { refused: () => answers.filter((answer) => answer.startsWith('HTTP/1.1 429 ')) };
}

async function costOfLivez(service: ServiceProcess): Promise<number> {
  const before = await cpuSeconds(service.pid);
  await slowestLivez(service.port, 2000);
  return (await cpuSeconds(service.pid)) - before;
}

test('threat 107: a crowd that waits at the simulator keeps nobody else from being served', async () => {
  const service = await startServiceForTest({ settings: { LOG_LEVEL: 'silent' } });
  await costOfLivez(service);
  const alone = await costOfLivez(service);
  const { refused } = await waitTogether(service);
  await expect.poll(() => refused().length).toBe(CALLS - PLACES_OF_ADDRESS);
  expect(refused()[0]).toMatch(/^retry-after: 1\r$/im);
  const beside = await costOfLivez(service);
  // `ps` counts whole seconds.
  expect(beside).toBeLessThan(2 * (alone + 1));
});
