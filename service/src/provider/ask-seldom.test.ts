import { expect, it } from 'vitest';
import { makeAttemptId } from '../values/ids.ts';
import { Refusal } from '../errors/refusal.ts';
import { createMemoryCoordination } from '../platform/coordination/memory-coordination.ts';
import type { UnsignedResult } from './identity-provider.port.ts';
import { askSeldom } from './ask-seldom.ts';

const NOW = 1_800_000_000_000;
const ATTEMPT = makeAttemptId(NOW, new Uint8Array(10));

type Question = (address: string | null) => Promise<UnsignedResult>;

function openPolls() {
  const { statusPolls } = createMemoryCoordination();
  const ask = (ms: number, question: Question) =>
    askSeldom(statusPolls, ATTEMPT, NOW + ms, question);
  return { statusPolls, ask };
}

it('the provider is asked seldom however often the application asks, and ever less often', async () => {
  const { ask } = openPolls();
  const asked: number[] = [];
  for (let ms = 0; ms < 40_000; ms += 1000) {
    await ask(ms, async () => {
      asked.push(ms);
      return 'waiting';
    });
  }
  expect(asked).toEqual([0, 2000, 5000, 10_000, 17_000, 27_000, 37_000]);
});

it('all who ask at once share one question, and only one of them waits for it', async () => {
  const { ask } = openPolls();
  const gate = Promise.withResolvers<UnsignedResult>();
  let questions = 0;
  const question = () => {
    questions += 1;
    return gate.promise;
  };
  const first = ask(0, question);
  const others = await Promise.all([1, 2, 3].map(() => ask(0, question)));
  expect(others).toEqual(['waiting', 'waiting', 'waiting']);
  gate.resolve('approved');
  expect(await first).toBe('approved');
  expect(await ask(1, question)).toBe('approved');
  expect(questions).toBe(1);
});

const fail = () => Promise.reject(new Refusal('provider.unavailable'));

it('a failed question is no news, and takes away none', async () => {
  const { ask } = openPolls();
  expect(await ask(0, fail)).toBe('waiting');
  expect(await ask(2000, async () => 'rejected')).toBe('rejected');
  expect(await ask(60_000, fail)).toBe('rejected');
});

const bug = () => Promise.reject(new TypeError('a bug'));

it('an error of our own code is not taken for a missing answer', async () => {
  const { ask } = openPolls();
  await expect(ask(0, bug)).rejects.toThrow(TypeError);
  expect(await ask(2000, async () => 'approved')).toBe('approved');
});

it('each question says where the person was at the start', async () => {
  const { statusPolls, ask } = openPolls();
  const asked: (string | null)[] = [];
  const question: Question = async (address) => {
    asked.push(address);
    return 'waiting';
  };
  await statusPolls.begin(ATTEMPT, '198.51.100.7');
  await ask(0, question);
  await ask(2000, question);
  expect(asked).toEqual(['198.51.100.7', '198.51.100.7']);
});
