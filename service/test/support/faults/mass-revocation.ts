import { readFileSync } from 'node:fs';
import { ApiClient } from '../programs/api-client.ts';
import { LoginsBeside, type Times } from './logins-beside.ts';
import { activeSince, spawnRevokeAll, withManyTokens } from './many-tokens.ts';

const MEMORY_POLL_MS = 50;
const KB_IN_MB = 1024;

export interface MassRevocation {
  readonly tokens: number;
  readonly commandMs: number;
  /** The largest resident memory of the command. */
  readonly commandMb: number;
  /** Of requests while the command ran. */
  readonly statuses: Times;
  readonly writes: Times;
  /** Answers of 5xx, a command that failed, and tokens that were left. */
  readonly faults: readonly string[];
}

/**
 * `miftah revoke --all` with that many tokens, while an application asks for the state of an
 * attempt and people sign in.
 * @param url of the database; null for a file
 */
export async function revokeMany(url: string | null, tokens: number): Promise<MassRevocation> {
  const { service, book, settings } = await withManyTokens(url, tokens);
  await using _ = service;
  // With connections of its own: the service has ended those kept while the tokens were made.
  const client = new ApiClient(service.origin);
  try {
    const beside = new LoginsBeside(client);
    const before = Date.now();
    const { code, err, commandMs, commandMb } = await measuredRevokeAll(settings);
    const { statuses, writes, faults } = await beside.end();
    const left = await book(activeSince(before));
    const found = [
      ...faults,
      ...(left === 0 ? [] : [`${left} tokens are still active`]),
      ...(code === 0 ? [] : [`the command ended with ${code}: ${err}`]),
    ];
    return { tokens, commandMs, commandMb, statuses, writes, faults: found };
  } finally {
    client.close();
  }
}

async function measuredRevokeAll(settings: Readonly<Record<string, string>>) {
  const began = performance.now();
  const { child, ended } = spawnRevokeAll(settings);
  let commandMb = 0;
  const timer = setInterval(() => {
    commandMb = Math.max(commandMb, peakOf(child.pid ?? 0));
  }, MEMORY_POLL_MS);
  const exit = await ended;
  clearInterval(timer);
  return { ...exit, commandMs: Math.round(performance.now() - began), commandMb };
}

/** The largest resident memory of a process until now, in MB; 0 when it has ended. */
function peakOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / KB_IN_MB);
  } catch {
    return 0;
  }
}
