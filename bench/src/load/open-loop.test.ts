import { expect, it } from 'vitest';
import type { Answer } from './connection.ts';
import { OpenLoop } from './open-loop.ts';

const ANSWER: Answer = { status: 200, head: '', body: {} };
const REQUESTS = 5;

/** Goes on by a microsecond for each look, so that a busy machine changes nothing. */
function countingClock(): () => number {
  let now = 0;
  return () => (now += 0.001);
}

it('charges a server that stands still for everyone who would have come meanwhile', async () => {
  const held = Promise.withResolvers<Answer>();
  let isHeld = true;
  const connection = {
    exchange: () => {
      const answer = isHeld ? held.promise : Promise.resolve(ANSWER);
      isHeld = false;
      return answer;
    },
  };
  let left = REQUESTS;
  const loop = new OpenLoop([connection], countingClock());
  await loop.run(() => {
    left -= 1;
    // All are due: now the first one is answered, and the others right after it.
    if (left < 0) held.resolve(ANSWER);
    return left < 0 ? null : { request: '', accept: () => true };
  }, 1000);
  expect(loop.latencies).toHaveLength(REQUESTS);
  // The later a request was due, the shorter its wait. A generator that waits with its requests
  // would measure no wait.
  expect(loop.latencies).toEqual(loop.latencies.toSorted((one, other) => other - one));
  expect(new Set(loop.latencies).size).toBe(REQUESTS);
});

it('ends at a wrong answer', async () => {
  const connection = { exchange: () => Promise.resolve(ANSWER) };
  let left = 1;
  const loop = new OpenLoop([connection]);
  const source = () => {
    left -= 1;
    return left < 0 ? null : { request: '', accept: () => false };
  };
  await expect(loop.run(source, 1000)).rejects.toThrow('a wrong answer');
});
