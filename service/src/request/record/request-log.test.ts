import { pino } from 'pino';
import { expect, it } from 'vitest';
import { RequestLog } from './observe-requests.ts';

it('adds to each later line what is learned of the request after its log was made', () => {
  const lines: unknown[] = [];
  const parent = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const log = new RequestLog(parent, { reqId: 'a' });
  log.info('before');
  log.bind({ traceId: 'b' });
  log.error('after');
  expect(lines).toMatchObject([
    { reqId: 'a', msg: 'before' },
    { reqId: 'a', traceId: 'b', msg: 'after' },
  ]);
  expect(lines[0]).not.toHaveProperty('traceId');
});
