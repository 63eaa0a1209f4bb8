import { pino } from 'pino';
import { expect, it } from 'vitest';
import { reloadOf, type Change } from './reload.ts';

const FILES = { secretFiles: [], simulatorToken: null, operator: null };

function reloader(read: () => Change, more: Partial<Parameters<typeof reloadOf>[0]> = {}) {
  const lines: string[] = [];
  const logger = pino({}, { write: (line) => void lines.push(line) });
  const config = { ...FILES, authoritiesFile: null };
  const options = { config, logger, databasePassword: null, rereads: [read], ...more };
  return { reload: reloadOf(options), lines };
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

it('what waits for a start is told, and what to do about a store that does not answer', async () => {
  const change = {
    settings: [],
    record: () => Promise.reject(new Error('away')),
    use: () => undefined,
  };
  const { reload, lines } = reloader(() => change, {
    forNextStart: () => ['miftah.env has changed (LOG_LEVEL)'],
    storeFault: () => 'Write DATABASE_URL',
  });
  await reload();
  const [waits, stays] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(waits).toMatchObject({ level: 40, msg: 'miftah.env has changed (LOG_LEVEL)' });
  expect(stays).toMatchObject({ level: 50, reason: 'Write DATABASE_URL' });
  expect(stays).not.toHaveProperty('err');
});

it('what was used is told, although the clients could not be written down', async () => {
  const used: string[] = [];
  const others: readonly Change[] = [
    {
      settings: ['SECRET_KEY'],
      changeAmongInstances: async () => void used.push('SECRET_KEY'),
      use: () => undefined,
    },
    { settings: ['DATABASE_URL'], use: () => void used.push('DATABASE_URL') },
  ];
  const clients = {
    settings: ['CLIENTS_FILE'],
    record: () => Promise.reject(new Error('away')),
    use: () => void used.push('CLIENTS_FILE'),
  };
  const rereads = [clients, ...others].map((change) => () => change);
  const { reload, lines } = reloader(() => clients, { rereads });
  await reload();
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(told).toMatchObject([
    { level: 30, settings: used, msg: 'read anew what may change while the service runs' },
    { level: 50, msg: 'the clients stay as they were' },
  ]);
  expect(used).toEqual(['SECRET_KEY', 'DATABASE_URL']);
});
