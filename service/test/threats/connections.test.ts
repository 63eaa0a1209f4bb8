import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { measureSlowClients } from '../support/attacks/slow-clients.ts';
import { startServiceForTest } from '../support/programs/for-test.ts';
import {
  HEAP_OF_256_MB,
  measurePipelined,
  measureUnread,
} from '../support/attacks/unread/figures.ts';
import { until } from '../support/programs/until.ts';
import { PIPELINED_PATHS } from '../support/attacks/unread/paths.ts';

const TIMEOUT_MS = 120_000;
const MOST_MB = 64;

describe('threat 59: large answers that nobody reads', () => {
  it(
    'cost next to no memory, and others are served',
    async () => {
      const service = await startServiceForTest();
      const { grownMb, livezMs } = await measureUnread(service, 100);
      expect(livezMs).not.toBeNull();
      expect(grownMb).toBeLessThan(MOST_MB);
    },
    TIMEOUT_MS,
  );
});

describe('threat 66: requests one behind the other, whose answers nobody reads', () => {
  it(
    'do not exhaust the memory, on whichever route',
    async () => {
      const service = await startServiceForTest({ settings: HEAP_OF_256_MB });
      const figures = await measurePipelined(service, 60, 192);
      const unserved = figures.filter(({ livezMs, isRunning }) => livezMs === null || !isRunning);
      expect(unserved).toEqual([]);
      expect(figures).toHaveLength(PIPELINED_PATHS.length);
    },
    TIMEOUT_MS,
  );
});

it('a client that goes on sending after it was answered with an error loses its connection', async () => {
  const service = await startServiceForTest();
  const socket = connect({ port: service.port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write('no HTTP\r\n\r\n');
  await until(() => {
    if (socket.writable) socket.write('x');
    return socket.closed;
  });
  expect(service.isRunning).toBe(true);
});

describe('clients that send one byte a second and read nothing', () => {
  it(
    'keep nobody else from being served',
    async () => {
      const service = await startServiceForTest();
      const { faults, good } = await measureSlowClients(service, 200, 50);
      expect(faults).toEqual([]);
      expect(good).toBe(50);
      expect(service.isRunning).toBe(true);
    },
    TIMEOUT_MS,
  );
});
