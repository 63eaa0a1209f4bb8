import { expect, test } from 'vitest';
import { AMAL, startedOf } from '../support/service/login.ts';
import { shareService } from '../support/service/test-service.ts';
import { timeLineOf } from '../support/service/time-line.ts';

/** What the coach says, over the control API, of calls that plain simulator mode carries out. */

const service = shareService();

const startWith = async (headers: Record<string, string>, national_id = AMAL) =>
  startedOf(await service().post('/start', { national_id, locale: 'en' }, headers)).attempt_id;

async function rulesOf(id: string): Promise<readonly string[]> {
  const { findings } = await timeLineOf(service(), id);
  return findings.map(({ rule }) => rule);
}

const key = (text: string) => ({ authorization: `Bearer ${text}` });

test('a start with a key that no client has is carried out, and told', async () => {
  expect(await rulesOf(await startWith(key('mfk_of_nobody')))).toContain('key_of_nobody');
  expect(await rulesOf(await startWith(key('mfk_test_simulator')))).not.toContain('key_of_nobody');
  expect(await rulesOf(await startWith({}))).not.toContain('key_of_nobody');
});

test.each([
  ['the same program', {}, 500, true],
  ['another program', { 'user-agent': 'curl/8.14.1' }, 500, false],
  ['another client', key('mfk_test_simulator'), 500, false],
  ['the same program in another tab', {}, 3000, false],
])('a second start for the same person by %s', async (_who, headers, after, isTold) => {
  service().clock.advance(60_000);
  const first = await startWith({});
  service().clock.advance(after);
  await startWith(headers);
  expect((await rulesOf(first)).includes('starts_twice')).toBe(isTold);
});
