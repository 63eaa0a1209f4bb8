import { pino, type Logger } from 'pino';
import { openLogOutput, type LogOutput } from '@miftah/schema/log-output';
import { SECOND_MS } from '../values/time.ts';
import type { Meter } from './metrics/meter.port.ts';

export type { LogOutput } from '@miftah/schema/log-output';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;
/** How long a stop waits for a log that can't be written. */
const LAST_LINES_MS = SECOND_MS / 2;

export interface Log {
  readonly logger: Logger;
  /** Null for a logger that was given, which writes to where the giver wants. */
  readonly output: LogOutput | null;
}

export const openStandardOutput = () => openLogOutput(STANDARD_OUTPUT);
export const openStandardError = () => openLogOutput(STANDARD_ERROR);

/** The log says itself when it could not be written for a while. */
export function logOf(
  level: string,
  given: { readonly logger?: Logger; readonly logOutput?: LogOutput },
): Log {
  if (given.logger !== undefined) return { logger: given.logger, output: null };
  const { logOutput: output = openStandardOutput() } = given;
  const logger = pino({ level }, output);
  output.on('restored', (gap) => logger.warn(gap, 'the log could not be written for a while'));
  return { logger, output };
}

/** For those who read the numbers, and not the log that can't be written. */
export function meterLog({ output }: Log, meter: Meter): void {
  output?.on('failed', () => meter.count('miftah_log_failures_total'));
  output?.on('lost', () => meter.count('miftah_log_lost_lines_total'));
}

export async function writeLastLine({ logger, output }: Log, stop: object): Promise<void> {
  logger.info(stop, 'stopped');
  await output?.drain(LAST_LINES_MS);
}
