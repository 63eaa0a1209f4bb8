import type { ServiceProcess } from '../../programs/service-process.ts';
import { repeated, residentMemory, slowestLivez, UnreadSockets } from './crowd.ts';
import { PIPELINED_PATHS } from './paths.ts';

const KILOBYTE = 1024;
const MEGABYTE = KILOBYTE * KILOBYTE;
const LIVEZ_ASKED = 20;
const READER = '/docs/reader.js';

export interface Figures {
  readonly what: string;
  /** The growth of resident memory, in megabytes. */
  readonly grownMb: number;
  /** The slowest answer of `/livez` meanwhile, in milliseconds; null when none came. */
  readonly livezMs: number | null;
  readonly isRunning: boolean;
}

export const HEAP_OF_256_MB = { NODE_OPTIONS: '--max-old-space-size=256', LOG_LEVEL: 'silent' };

function getRequest(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
}

/** Threat 59: `count` clients request the largest answer and do not read it. */
export async function measureUnread(service: ServiceProcess, count: number): Promise<Figures> {
  // The first use loads it, which is not to be measured.
  await fetch(service.origin + READER).then((answer) => answer.arrayBuffer());
  return measure(service, `${count} sockets, ${READER}`, count, getRequest(READER));
}

/** Threat 66: pipelined requests on every route whose answers nobody reads. */
export async function measurePipelined(
  service: ServiceProcess,
  count: number,
  kilobytes: number,
  paths: readonly string[] = PIPELINED_PATHS,
): Promise<readonly Figures[]> {
  const found: Figures[] = [];
  for (const path of paths) {
    if (!service.isRunning) break;
    const what = `${count} sockets, ${kilobytes} KB of GET ${path.split('?')[0]}`;
    const bytes = repeated(getRequest(path), kilobytes * KILOBYTE);
    found.push(await measure(service, what, count, bytes));
  }
  return found;
}

async function measure(
  service: ServiceProcess,
  what: string,
  count: number,
  bytes: string,
): Promise<Figures> {
  const before = await residentMemory(service.pid);
  const sockets = await UnreadSockets.open(service.port, count, bytes);
  const livez = await slowestLivez(service.port, LIVEZ_ASKED).catch(() => null);
  const after = await residentMemory(service.pid);
  sockets.close();
  return {
    what,
    grownMb: Math.round((after - before) / MEGABYTE),
    livezMs: livez === null ? null : Math.round(livez),
    isRunning: service.isRunning,
  };
}
