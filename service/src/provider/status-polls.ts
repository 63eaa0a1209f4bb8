import type { AttemptId } from '../domain/attempt-id.ts';
import { SECOND_MS, type Ms } from '../domain/time.ts';
import type { PushStatus } from './push.ts';

/** Between two questions about one push, growing from the first to the second. */
const SHORTEST_PAUSE_MS = 2 * SECOND_MS;
const LONGEST_PAUSE_MS = 10 * SECOND_MS;
const GROWTH = 1.5;
const MOST_POLLS = 10_000;

interface Poll {
  answer: PushStatus;
  nextAt: Ms;
  pauseMs: Ms;
  /** Where the person was at the start: the provider asks for it with each question. */
  readonly address: string | null;
}

/**
 * However often an application asks us, the provider is asked seldom, once for all who wait, and
 * its troubles are not theirs: what is not known is `waiting`.
 */
export class StatusPolls {
  readonly #polls = new Map<AttemptId, Poll>();

  /** Before the first question. */
  begin(attemptId: AttemptId, address: string | null): void {
    const pauseMs = SHORTEST_PAUSE_MS / GROWTH;
    this.#remember(attemptId, { answer: 'waiting', pauseMs, nextAt: 0, address });
  }

  async ask(
    attemptId: AttemptId,
    now: Ms,
    question: (address: string | null) => Promise<PushStatus>,
  ): Promise<PushStatus> {
    const known = this.#polls.get(attemptId);
    if (known !== undefined && now < known.nextAt) return known.answer;
    const pauseMs = Math.min(
      (known?.pauseMs ?? SHORTEST_PAUSE_MS / GROWTH) * GROWTH,
      LONGEST_PAUSE_MS,
    );
    const address = known?.address ?? null;
    const answer = known?.answer ?? 'waiting';
    const poll: Poll = { answer, pauseMs, nextAt: now + pauseMs, address };
    // Remembered before the answer is here: only one of those who wait has to wait for it.
    this.#remember(attemptId, poll);
    poll.answer = await question(address).catch(() => poll.answer);
    return poll.answer;
  }

  #remember(attemptId: AttemptId, poll: Poll): void {
    this.#polls.delete(attemptId);
    this.#polls.set(attemptId, poll);
    const oldest =
      this.#polls.size > MOST_POLLS ? this.#polls.keys().next() : { done: true as const };
    if (oldest.done !== true) this.#polls.delete(oldest.value);
  }
}
