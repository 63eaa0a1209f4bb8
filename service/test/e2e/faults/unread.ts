import {
  HEAP_OF_256_MB,
  measurePipelined,
  measureUnread,
  type Figures,
} from '../../support/attacks/unread/figures.ts';
import { startService } from '../../support/programs/service-process.ts';
import type { FaultRun } from './fault-run.ts';

/**
 * How much the service's memory may grow while clients do not read, and how long /livez may take
 * then.
 */
const MOST_GROWN_MB = 64;
const SLOWEST_LIVEZ_MS = 1000;

export const UNREAD: FaultRun<'sockets'> = {
  name: 'unread',
  fault: 'clients that ask and do not read',
  promise: 'memory stays bounded, and others are served',
  options: { sockets: 1000 },
  planted: [],
  async run({ options }) {
    await using service = await startService();
    const unread = await measureUnread(service, options.sockets);
    await using small = await startService({ settings: HEAP_OF_256_MB });
    const pipelined = [
      ...(await measurePipelined(small, 60, 192)),
      ...(await measurePipelined(small, 30, 8192, ['/openapi.json', '/errors'])),
    ];
    const figures = [unread, ...pipelined];
    return {
      cycles: figures.length,
      acknowledged: null,
      tokens: null,
      recoveryMs: null,
      faults: figures.filter(isTooMuch).map(sayFigures),
      figures,
    };
  },
};

function isTooMuch({ grownMb, livezMs, isRunning }: Figures): boolean {
  if (!isRunning || livezMs === null) return true;
  return grownMb > MOST_GROWN_MB || livezMs > SLOWEST_LIVEZ_MS;
}

function sayFigures({ what, grownMb, livezMs }: Figures): string {
  return `${what}: ${grownMb} MB more, /livez after ${livezMs ?? 'no'} ms`;
}
