import type { AttemptId } from '../../attempt/attempt-id.ts';
import { LONGEST_PAUSE_MS, pauseAfter } from '../../attempt/status/status-poll.ts';
import { isDue, type Ms } from '../../values/time.ts';
import type { StatusPoll, StatusPolls } from './coordination.port.ts';
import type { UnsignedResult } from '../../provider/identity-provider.port.ts';
import { BoundedTable } from './bounded-table.ts';

interface Push {
  readonly address: string | null;
  /** The number of status requests so far. */
  questions: number;
  nextAt: Ms;
  latest: UnsignedResult;
}

/** The status requests of one process. */
export class MemoryStatusPolls implements StatusPolls {
  readonly #pushes: BoundedTable<Push>;

  /** @param capacity pushes at most */
  constructor(capacity: number) {
    this.#pushes = new BoundedTable(capacity);
  }

  async begin(attemptId: AttemptId, address: string | null): Promise<void> {
    this.#remember(attemptId, address);
  }

  async claim(attemptId: AttemptId, now: Ms): Promise<StatusPoll> {
    const push = this.#pushes.get(attemptId) ?? this.#remember(attemptId, null);
    const due = isDue(push.nextAt, LONGEST_PAUSE_MS, now);
    if (due) {
      push.questions += 1;
      push.nextAt = now + pauseAfter(push.questions);
    }
    const { questions: question, latest, address } = push;
    return { isDue: due, question, latest, address };
  }

  async answer(attemptId: AttemptId, question: number, result: UnsignedResult): Promise<void> {
    const push = this.#pushes.get(attemptId);
    if (push?.questions === question) push.latest = result;
  }

  #remember(attemptId: AttemptId, address: string | null): Push {
    const push: Push = { address, questions: 0, nextAt: 0, latest: 'waiting' };
    this.#pushes.set(attemptId, push);
    return push;
  }
}
