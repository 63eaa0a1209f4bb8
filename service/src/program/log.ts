import { isatty } from 'node:tty';
import { pino, type DestinationStream, type Logger } from 'pino';
import { atEndOfTurn } from '../platform/next-turn.ts';

const STANDARD_OUTPUT = 1;

/**
 * The log, on standard output by default. A write is a system call, which costs a tenth of a status
 * read, so all lines of one turn of the event loop are written at once. If the process ends itself,
 * it writes them first; if it is killed, the lines of the current turn can be lost.
 * @param descriptor of the open file that it is written to
 */
export function openLog(level: string, descriptor = STANDARD_OUTPUT): Logger {
  const lines = groupLines(openDestination(descriptor), atEndOfTurn);
  process.on('exit', lines.flush);
  return pino({ level }, lines);
}

/** Nobody reads a terminal that was closed, so it is no fault. pino does the same for a pipe. */
function openDestination(descriptor: number): DestinationStream {
  const isTerminal = isatty(descriptor);
  const destination = pino.destination({ dest: descriptor, sync: true });
  destination.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    if (error.code !== 'EIO' || !isTerminal) throw error;
    destination.write = () => true;
  });
  return destination;
}

export interface GroupedLines extends DestinationStream {
  readonly flush: () => void;
}

/** @param atEnd calls its argument once, at the end of this turn */
export function groupLines(
  target: DestinationStream,
  atEnd: (work: () => void) => void,
): GroupedLines {
  let waiting = '';
  const flush = () => {
    const text = waiting;
    waiting = '';
    if (text !== '') target.write(text);
  };
  return {
    flush,
    write(line) {
      if (waiting === '') atEnd(flush);
      waiting += line;
    },
  };
}
