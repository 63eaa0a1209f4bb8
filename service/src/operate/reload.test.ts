import { pino } from 'pino';
import { expect, it } from 'vitest';
import { reloadOf, type Change } from './reload.ts';

const FILES = { secretFiles: [], secretKey: null, retiredKeys: [], simulatorToken: null };

function reloader(read: () => Change) {
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => void lines.push(line) });
  const config = { ...FILES, authoritiesFile: null };
  return { reload: reloadOf({ config, logger, databasePassword: null, rereads: [read] }), lines };
}

it('one reload follows the other, so that the latest files count', async () => {
  const [used, records]: [number[], PromiseWithResolvers<void>[]] = [[], []];
  let reads = 0;
  const { reload } = reloader(() => {
    const place = (reads += 1);
    const record = Promise.withResolvers<void>();
    records.push(record);
    return { settings: [], record: () => record.promise, use: () => void used.push(place) };
  });
  const both = [reload(), reload()];
  await expect.poll(() => reads).toBe(1);
  records[0]?.resolve();
  await both[0];
  await expect.poll(() => reads).toBe(2);
  records[1]?.resolve();
  await both[1];
  expect(used).toEqual([1, 2]);
});

it('what can not be written down is not used, and the next reload is tried all the same', async () => {
  let isAway = true;
  let uses = 0;
  const { reload, lines } = reloader(() => ({
    settings: ['CLIENTS_FILE'],
    record: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()),
    use: () => void (uses += 1),
  }));
  await reload();
  expect(uses).toBe(0);
  expect(lines.join('')).toContain('the clients stay as they were');
  isAway = false;
  await reload();
  expect(uses).toBe(1);
});
