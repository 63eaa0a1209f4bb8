import { type Command, Results, type StepResult } from './statement.ts';

/** The commands that have begun and are not answered yet. */
export class UnderWay {
  readonly #answers = new Set<Promise<unknown>>();

  async answer<Result>(
    { steps, decode }: Command<Result>,
    answer: Promise<readonly StepResult[]>,
  ): Promise<Result> {
    this.#answers.add(answer);
    try {
      return decode(new Results(steps, await answer));
    } finally {
      this.#answers.delete(answer);
    }
  }

  /** Resolves when all that have begun are done. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#answers);
  }
}
