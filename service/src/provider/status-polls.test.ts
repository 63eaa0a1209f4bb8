import { expect, it } from 'vitest';
import { makeAttemptId } from '../domain/attempt-id.ts';
import type { PushStatus } from './push.ts';
import { StatusPolls } from './status-polls.ts';

const NOW = 1_800_000_000_000;
const ATTEMPT = makeAttemptId(NOW, new Uint8Array(10));

/** Asks at each moment, and gives the moments at which the provider was asked. */
async function momentsOfQuestions(moments: readonly number[], answer: () => Promise<PushStatus>) {
  const polls = new StatusPolls();
  const asked: number[] = [];
  for (const at of moments) {
    await polls.ask(ATTEMPT, NOW + at, () => {
      asked.push(at);
      return answer();
    });
  }
  return asked;
}

it('the provider is asked seldom however often the application asks, and ever less often', async () => {
  const everySecond = Array.from({ length: 40 }, (_, second) => second * 1000);
  const asked = await momentsOfQuestions(everySecond, async () => 'waiting');
  expect(asked).toEqual([0, 2000, 5000, 10_000, 17_000, 27_000, 37_000]);
});

it('all who ask at once share one question, and only one of them waits for it', async () => {
  const polls = new StatusPolls();
  const gate = Promise.withResolvers<PushStatus>();
  let questions = 0;
  const question = () => {
    questions += 1;
    return gate.promise;
  };
  const first = polls.ask(ATTEMPT, NOW, question);
  const others = await Promise.all([1, 2, 3].map(() => polls.ask(ATTEMPT, NOW, question)));
  expect(others).toEqual(['waiting', 'waiting', 'waiting']);
  gate.resolve('completed');
  expect(await first).toBe('completed');
  expect(await polls.ask(ATTEMPT, NOW + 1, question)).toBe('completed');
  expect(questions).toBe(1);
});

const fail = () => Promise.reject(new Error('out of order'));

it('a failed question is no news, and takes away none', async () => {
  const polls = new StatusPolls();
  expect(await polls.ask(ATTEMPT, NOW, fail)).toBe('waiting');
  expect(await polls.ask(ATTEMPT, NOW + 2000, async () => 'rejected')).toBe('rejected');
  expect(await polls.ask(ATTEMPT, NOW + 60_000, fail)).toBe('rejected');
});

it('each question says where the person was at the start, as long as that is remembered', async () => {
  const polls = new StatusPolls();
  const asked: (string | null)[] = [];
  const ask = (attemptId: typeof ATTEMPT, at: number) =>
    polls.ask(attemptId, at, async (address) => {
      asked.push(address);
      return 'waiting';
    });
  polls.begin(ATTEMPT, '198.51.100.7');
  await ask(ATTEMPT, NOW);
  await ask(ATTEMPT, NOW + 2000);
  await ask(makeAttemptId(NOW + 1, new Uint8Array(10)), NOW);
  expect(asked).toEqual(['198.51.100.7', '198.51.100.7', null]);
});
