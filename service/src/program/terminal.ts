import { createInterface, type Interface } from 'node:readline';
import process from 'node:process';

/** The lines of standard input: what a person types, or another program writes. */
export interface Terminal {
  /**
   * The next line; null after the last one. On a terminal the question is shown first, and a hidden
   * line is not shown while it is typed.
   */
  readonly ask: (question: string, how?: { readonly isHidden: boolean }) => Promise<string | null>;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Lets the program end. */
  readonly close: () => void;
}

/** Reads nothing before the first question. */
export function openTerminal(): Terminal {
  let lines: Interface | null = null;
  let each: AsyncIterator<string, undefined> | null = null;
  const close = () => {
    lines?.close();
    lines = each = null;
  };
  return {
    isInteractive: process.stdin.isTTY,
    async ask(question, { isHidden } = { isHidden: false }) {
      if (isHidden && process.stdin.isTTY) {
        close();
        return readHidden(question);
      }
      // Questions are no output: that goes to a file or another program.
      if (process.stdin.isTTY) process.stderr.write(question);
      lines ??= createInterface({ input: process.stdin });
      each ??= lines[Symbol.asyncIterator]();
      const next = await each.next();
      return next.done === true ? null : next.value;
    },
    close,
  };
}

const END_OF_INPUT = '\u0004';
const INTERRUPT = '\u0003';
const BACKSPACES = new Set(['\u0008', '\u007f']);
const LINE_ENDS = new Set(['\r', '\n']);

/** One line of a terminal that shows nothing of it. Its keys are read one by one, as they come. */
function readHidden(question: string): Promise<string | null> {
  const { stdin, stderr } = process;
  // Before the question: who pastes the answer at once must not see it either.
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stderr.write(question);
  return new Promise((resolve) => {
    let typed = '';
    const end = (line: string | null) => {
      stdin.off('data', read);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write('\n');
      resolve(line);
    };
    const read = (keys: string) => {
      for (const key of keys) {
        if (LINE_ENDS.has(key)) return end(typed);
        if (key === END_OF_INPUT) return end(typed === '' ? null : typed);
        if (key === INTERRUPT) {
          end(null);
          process.kill(process.pid, 'SIGINT');
          return;
        }
        typed = BACKSPACES.has(key) ? typed.slice(0, -1) : typed + key;
      }
    };
    stdin.on('data', read);
    stdin.resume();
  });
}
