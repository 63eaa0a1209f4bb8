import { expect, it } from 'vitest';
import { AttemptLock } from './attempt-lock.ts';

it('work of one key goes one after the other, in the order of asking', async () => {
  const lock = new AttemptLock();
  const told: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = lock.run('a', async () => {
    await gate.promise;
    told.push('first');
  });
  const second = lock.run('a', async () => void told.push('second'));
  const other = lock.run('b', async () => void told.push('other'));
  await other;
  expect(told).toEqual(['other']);
  gate.resolve();
  await Promise.all([first, second]);
  expect(told).toEqual(['other', 'first', 'second']);
});

it('a failure is its own caller’s, and holds up nobody', async () => {
  const lock = new AttemptLock();
  const failed = lock.run('a', () => Promise.reject(new Error('no')));
  const next = lock.run('a', async () => 'yes');
  await expect(failed).rejects.toThrow('no');
  await expect(next).resolves.toBe('yes');
});

it('who only waits sees the end of what was under way, however it ended', async () => {
  const lock = new AttemptLock();
  const gate = Promise.withResolvers<void>();
  let ended = false;
  const work = lock.run('a', async () => {
    await gate.promise;
    ended = true;
    throw new Error('no');
  });
  const waiting = lock.settled('a').then(() => ended);
  gate.resolve();
  await expect(work).rejects.toThrow('no');
  await expect(waiting).resolves.toBe(true);
  await expect(lock.settled('a')).resolves.toBeUndefined();
});

it('only so much waits for one key, and there is room again as it ends', async () => {
  const lock = new AttemptLock();
  const gate = Promise.withResolvers<void>();
  const works = Array.from({ length: 32 }, () => lock.run('a', () => gate.promise));
  await expect(lock.run('a', async () => 'more')).rejects.toThrow('server.overloaded');
  await expect(lock.run('b', async () => 'other')).resolves.toBe('other');
  gate.resolve();
  await Promise.all(works);
  await expect(lock.run('a', async () => 'again')).resolves.toBe('again');
});
