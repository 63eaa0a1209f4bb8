import { expect, it, vi } from 'vitest';
import { loadOnce } from './load-once.ts';

it('loads once, however many ask, also at the same time', async () => {
  const load = vi.fn(async () => ({}));
  const loaded = loadOnce(load);
  const [first, second] = await Promise.all([loaded(), loaded()]);
  expect(second).toBe(first);
  expect(await loaded()).toBe(first);
  expect(load).toHaveBeenCalledTimes(1);
});

it('tries again after a failure, which all who waited are told', async () => {
  const load = vi.fn(async () => 'script').mockRejectedValueOnce(new Error('disk'));
  const loaded = loadOnce(load);
  const outcomes = await Promise.allSettled([loaded(), loaded()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await loaded()).toBe('script');
  expect(load).toHaveBeenCalledTimes(2);
});
