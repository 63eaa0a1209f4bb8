import type { History } from '../../support/faults/history.ts';

const CYCLES_BETWEEN_WORDS = 25;

/** Says now and then how far a run of many cycles is. */
export function sayCycle(say: (line: string) => void): (done: number, history: History) => void {
  return (done, { attempts }) => {
    if (done % CYCLES_BETWEEN_WORDS === 0) say(`${done} cycles, ${attempts.length} attempts`);
  };
}
