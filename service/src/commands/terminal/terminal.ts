import { createInterface, type Interface } from 'node:readline';
import process from 'node:process';
import type { AskHow } from '../drive/index.ts';
import { Questions } from './questions.ts';

/** The lines of standard input: what a person types, or another program writes. */
export interface Terminal {
  /**
   * The next line; null after the last one. On a terminal the question is shown first, and a hidden
   * line is not shown while it is typed, nor when it was typed before its question.
   */
  readonly ask: (question: string, how?: AskHow) => Promise<string | null>;
  /** Whether a person can be asked. */
  readonly isInteractive: boolean;
  /** Lets the program end. */
  readonly close: () => void;
}

/** Reads nothing before the first question. */
export function openTerminal(): Terminal {
  let lines: Interface | null = null;
  let each: AsyncIterator<string, undefined> | null = null;
  // Questions are no output: that goes to a file or another program.
  const questions = new Questions(process.stdin, process.stderr, () => {
    process.kill(process.pid, 'SIGINT');
  });
  return {
    isInteractive: process.stdin.isTTY && process.stderr.isTTY,
    async ask(question, how = { isHidden: false }) {
      if (process.stdin.isTTY) return questions.ask(question, how);
      lines ??= createInterface({ input: process.stdin });
      each ??= lines[Symbol.asyncIterator]();
      const next = await each.next();
      return next.done === true ? null : next.value;
    },
    close() {
      questions.close();
      lines?.close();
      lines = each = null;
    },
  };
}
