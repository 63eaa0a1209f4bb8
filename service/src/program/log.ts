import { pino, type DestinationStream, type Logger } from 'pino';
import { atEndOfTurn } from '../platform/next-turn.ts';

/**
 * The log on standard output. A write to it is a call of the system, which costs as much as a tenth
 * of a status read, so the lines of one turn of the event loop leave in one write. What ends the
 * process from inside writes them first; a kill can lose the lines of the turn that it interrupts.
 */
export function openLog(level: string): Logger {
  const lines = groupLines(pino.destination({ dest: 1, sync: true }), atEndOfTurn);
  process.on('exit', lines.flush);
  return pino({ level }, lines);
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
