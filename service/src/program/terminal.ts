import { createInterface, type Interface } from 'node:readline';
import process from 'node:process';

/** The lines of standard input: what a person types, or another program writes. */
export interface Terminal {
  /** The next line; null after the last one. On a terminal the question is shown first. */
  readonly ask: (question: string) => Promise<string | null>;
  /** Lets the program end. */
  readonly close: () => void;
}

/** Reads nothing before the first question. */
export function openTerminal(): Terminal {
  let lines: Interface | null = null;
  let each: AsyncIterator<string, undefined> | null = null;
  return {
    async ask(question) {
      // Questions are no output: that goes to a file or another program.
      if (process.stdin.isTTY) process.stderr.write(question);
      lines ??= createInterface({ input: process.stdin });
      each ??= lines[Symbol.asyncIterator]();
      const next = await each.next();
      return next.done === true ? null : next.value;
    },
    close() {
      lines?.close();
    },
  };
}
