import { expect, test } from 'vitest';
import { pauseAfter } from '../../src/attempt/status/status-poll.ts';
import { SECOND_MS } from '../../src/values/time.ts';
import type { StatusPolls } from '../../src/platform/coordination/coordination.port.ts';
import { withCoordination, type OpenCoordination } from './coordination-under-test.ts';
import { sampleAttempt, START } from './samples.ts';

const RACERS = 64;
const OTHERS = 500;
const ADDRESS = '198.51.100.7';

type UsePolls = (one: StatusPolls, other: StatusPolls) => Promise<void>;
type WithPolls = (use: UsePolls) => Promise<void>;

export function statusPollTests(open: OpenCoordination): void {
  const withPolls: WithPolls = (use) =>
    withCoordination(open, (one, other) => use(one.statusPolls, other.statusPolls));
  spacingTests(withPolls);
  answerTests(withPolls);
  memoryTests(withPolls);
}

const aPush = () => sampleAttempt().attemptId;

function spacingTests(withPolls: WithPolls): void {
  test('L-1, L-30: whoever asks each second, at either instance, has ever longer pauses', () =>
    withPolls(async (one, other) => {
      const id = aPush();
      const due: number[] = [];
      for (let second = 0; second < 40; second += 1) {
        const polls = second % 2 === 0 ? one : other;
        if ((await polls.claim(id, START + second * SECOND_MS)).isDue) due.push(second);
      }
      expect(due).toEqual([0, 2, 5, 10, 17, 27, 37]);
    }));

  test('L-30: a pause has passed at its last millisecond, and what comes before moves nothing', () =>
    withPolls(async (polls) => {
      const id = aPush();
      const pause = pauseAfter(1);
      const isDueAt = async (ms: number) => (await polls.claim(id, START + ms)).isDue;
      expect([await isDueAt(0), await isDueAt(1), await isDueAt(pause - 1)]).toEqual([
        true,
        false,
        false,
      ]);
      expect(await isDueAt(pause)).toBe(true);
    }));

  test(`L-31: of ${RACERS} claims at once, at two instances, one is due`, () =>
    withPolls(async (one, other) => {
      const id = aPush();
      for (const at of [START, START + pauseAfter(1)]) {
        const claims = Array.from({ length: RACERS }, (_, index) =>
          (index % 2 === 0 ? one : other).claim(id, at),
        );
        expect((await Promise.all(claims)).filter(({ isDue }) => isDue)).toHaveLength(1);
      }
    }));
}

function answerTests(withPolls: WithPolls): void {
  test('L-32: an answer is given to all who claim after it, at either instance', () =>
    withPolls(async (one, other) => {
      const id = aPush();
      const first = await one.claim(id, START);
      expect(first).toMatchObject({ isDue: true, question: 1, latest: 'waiting' });
      await one.answer(id, first.question, 'rejected');
      const known = { isDue: false, question: 1, latest: 'rejected' };
      expect(await other.claim(id, START + 1)).toMatchObject(known);
      expect((await other.claim(aPush(), START)).latest).toBe('waiting');
    }));

  test('L-32: a slow answer does not replace a newer one, nor come before it', () =>
    withPolls(async (one, other) => {
      const id = aPush();
      const slow = await one.claim(id, START);
      const next = await other.claim(id, START + pauseAfter(1));
      expect(next).toMatchObject({ isDue: true, question: 2 });
      await one.answer(id, slow.question, 'approved');
      expect((await one.claim(id, START + pauseAfter(1))).latest).toBe('waiting');
      await other.answer(id, next.question, 'rejected');
      await one.answer(id, slow.question, 'approved');
      expect((await one.claim(id, START + pauseAfter(1))).latest).toBe('rejected');
    }));

  test('L-33: a question without an answer takes nothing back, and the next is due in its time', () =>
    withPolls(async (one, other) => {
      const id = aPush();
      const answered = await one.claim(id, START);
      await one.answer(id, answered.question, 'rejected');
      const lost = await one.claim(id, START + pauseAfter(1));
      expect(lost).toMatchObject({ isDue: true, latest: 'rejected' });
      const after = START + pauseAfter(1) + pauseAfter(2);
      expect(await other.claim(id, after)).toMatchObject({ isDue: true, latest: 'rejected' });
    }));
}

function memoryTests(withPolls: WithPolls): void {
  test('L-34: every claim has the address of the start', () =>
    withPolls(async (one, other) => {
      const id = aPush();
      await one.begin(id, ADDRESS);
      expect(await other.claim(id, START)).toMatchObject({ isDue: true, address: ADDRESS });
      expect(await one.claim(id, START + 1)).toMatchObject({ isDue: false, address: ADDRESS });
      expect((await one.claim(aPush(), START)).address).toBeNull();
    }));

  test('L-35: a push that is asked about goes on as it was, beside any number of others', () =>
    withPolls(async (polls) => {
      const id = aPush();
      await polls.begin(id, ADDRESS);
      await polls.claim(id, START);
      for (let other = 0; other < OTHERS; other += 1) {
        await polls.begin(aPush(), null);
        if (other % 20 !== 0) continue;
        const known = { isDue: false, question: 1, address: ADDRESS };
        expect(await polls.claim(id, START + 1)).toMatchObject(known);
      }
    }));
}
