import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { shareListening } from '../support/drive/drive.ts';
import {
  AMAL,
  approveInBrowser,
  cancel,
  complete,
  readStatus,
  redeem,
  startPhone,
  startRedirect,
  type Started,
} from '../support/service/login.ts';
import { watchJournal } from '../support/service/recorded.ts';
import {
  decide,
  KEY,
  launchAndDecide,
  returnFrom,
  startStrict,
  STRICT,
} from '../support/service/strict-login.ts';
import { BASE, shareService } from '../support/service/test-service.ts';
import { until, watch } from '../support/service/watch-status.ts';

/** The exchanges of area A that the journal of a simulation gets. */

const plain = shareListening();
const strict = shareService(STRICT);

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));

/** Asks for the status with a real connection, which the caller leaves when it likes. */
function ask({ attempt_id, attempt_token }: Started, query = '') {
  const url = `${plain().origin}${BASE}/status/${attempt_id}${query}`;
  const sent = httpRequest(url, { headers: { 'x-provider-attempt-token': attempt_token } });
  sent.on('error', () => undefined);
  sent.end();
  return sent;
}

describe('what is recorded of area A', () => {
  it('a sign-in by phone has each exchange, with what was asked and answered', async () => {
    const recorded = watchJournal();
    const { service } = plain();
    const started = await startPhone(service);
    await readStatus(service, started);
    await complete(service, started);
    await redeem(service, started);
    await redeem(service, started);
    expect(recorded.namesOf(started.attempt_id)).toEqual([
      'startAttempt 200',
      'readStatus 200',
      'completeMfa 200',
      'issueToken 200',
      'issueToken 409',
    ]);
    const [start, , , , refused] = recorded.of(started.attempt_id);
    expect(start?.exchange).toMatchObject({ method: 'POST', path: `${BASE}/start` });
    expect(start?.exchange?.request.body).toMatchObject({ national_id: AMAL });
    expect(textOf(start?.exchange?.response.body)).toContain(started.attempt_id);
    expect(textOf(refused?.exchange?.response.body)).toContain('"attempt.already_redeemed"');
    const times = recorded.of(started.attempt_id).map(({ exchange }) => exchange?.durationMs ?? -1);
    expect(times.every((ms) => Number.isInteger(ms) && ms >= 0)).toBe(true);
  });

  it('a cancel has its exchange, and a HEAD request, which is no call of the interface, has none', async () => {
    const recorded = watchJournal();
    const { service } = plain();
    const started = await startPhone(service, '1000003001');
    const headers = { 'x-provider-attempt-token': started.attempt_token };
    await service.request({ method: 'HEAD', url: `${BASE}/status/${started.attempt_id}`, headers });
    await cancel(service, started);
    expect(recorded.namesOf(started.attempt_id)).toEqual(['startAttempt 200', 'cancelAttempt 204']);
  });

  it('a sign-in by browser has its pages, without what they show', async () => {
    const recorded = watchJournal();
    const { service } = plain();
    const started = await startRedirect(service);
    await service.get(`/callback?state=${started.attempt_id}`);
    await approveInBrowser(service, started);
    const other = await startRedirect(service);
    await complete(service, other);
    expect(recorded.namesOf(started.attempt_id)).toEqual([
      'startAttempt 200',
      'launch 200',
      'callback 200',
    ]);
    const [, page, sent] = recorded.of(started.attempt_id);
    expect(page?.exchange?.response.body).toBeNull();
    expect(page?.exchange?.response.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
    });
    expect(sent?.exchange?.response.headers['refresh']).toContain(started.attempt_id);
    expect(recorded.namesOf(other.attempt_id)).toEqual([
      'startAttempt 200',
      'completeRedirect 200',
    ]);
  });

  it('a refused request has its error, and one about no attempt is left out', async () => {
    const recorded = watchJournal();
    const { service } = plain();
    const started = await startPhone(service);
    const path = `/status/${started.attempt_id}`;
    await service.get(path, { 'x-provider-attempt-token': 'wrong' });
    await service.get(path);
    await service.get(path, { 'x-provider-attempt-token': 'x', origin: 'https://a.example' });
    await service.post('/start', { locale: 'xx' });
    await service.get('/status/00000000-0000-7000-8000-000000000000');
    const entries = recorded.of(started.attempt_id).slice(1);
    expect(entries.map(({ name }) => name)).toEqual(['readStatus', 'readStatus', 'readStatus']);
    const codes = entries.map(({ exchange }) => textOf(exchange?.response.body));
    expect(codes[0]).toContain('"code":"attempt.not_found"');
    expect(codes[1]).toContain('"code":"attempt.token_missing"');
    expect(recorded.count).toBe(4);
  });

  it('a wait is recorded with its time, and one whose client leaves as lost', async () => {
    const recorded = watchJournal();
    const { service } = plain();
    const started = await startPhone(service);
    const { maxConnections } = service.app.server;
    const waiting = ask(started, '?wait=25');
    // The waiter has its place, so the request is in its wait.
    await until(() => service.app.server.maxConnections > maxConnections);
    await complete(service, started);
    const [answer] = (await once(waiting, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    const other = await startPhone(service, '1000002201');
    const left = ask(other, '?wait=25');
    await until(() => service.app.server.maxConnections > maxConnections);
    left.destroy();
    await until(() => recorded.namesOf(other.attempt_id).length === 2);
    expect(recorded.namesOf(other.attempt_id)[1]).toBe('readStatus lost');
    expect(recorded.namesOf(started.attempt_id)).toContain('readStatus 200');
  });

  it('a stream is recorded with its events, also when its client leaves', async () => {
    const recorded = watchJournal();
    const { service } = plain();
    const [one, two] = [await startPhone(service), await startPhone(service, '1000002201')];
    const [first, second] = [await watch(service, one), await watch(service, two)];
    await until(() => second.text().includes('event: status'));
    await complete(service, one);
    await first.ended;
    second.leave();
    await until(() => recorded.namesOf(two.attempt_id).length === 2);
    await until(() => recorded.namesOf(one.attempt_id).length === 3);
    const bodyOf = ({ attempt_id }: Started) => {
      const found = recorded.of(attempt_id).find(({ name }) => name === 'watchStatus');
      return [found?.exchange?.status, textOf(found?.exchange?.response.body)];
    };
    expect(bodyOf(one)).toEqual([200, first.text().replace(/^retry: 2000\n\n/, '')]);
    expect(bodyOf(two)).toEqual([200, expect.stringContaining('"status":"pending"')]);
  });

  it('strict mode has the way to the provider and back', async () => {
    const recorded = watchJournal();
    const started = await startStrict(strict());
    const back = await returnFrom(strict(), started);
    const code = back.searchParams.get('completion_code');
    await redeem(strict(), started, { completion_code: code }, KEY);
    expect(recorded.namesOf(started.attempt_id)).toEqual([
      'startAttempt 200',
      'launch 200',
      'launch 200',
      'callback 303',
      'issueToken 200',
    ]);
  });

  it('strict mode has the provider’s message, as it was received', async () => {
    const recorded = watchJournal();
    const started = await startStrict(strict(), { national_id: AMAL });
    await decide(strict(), started);
    await until(() => recorded.namesOf(started.attempt_id).length > 1);
    const headers = { 'x-provider-attempt-token': started.attempt_token };
    await strict().post('/complete-mfa', { attempt_id: started.attempt_id }, headers);
    expect(recorded.namesOf(started.attempt_id)).toEqual([
      'startAttempt 200',
      'push_callback 200',
      'completeMfa 200',
    ]);
  });

  it('strict mode has a return in another browser', async () => {
    const recorded = watchJournal();
    const started = await startStrict(strict());
    const comeBack = await launchAndDecide(strict(), started);
    await comeBack({});
    await comeBack();
    const [, , , elsewhere, own] = recorded.namesOf(started.attempt_id);
    expect([elsewhere, own]).toEqual(['callback 403', 'callback 403']);
    // Of a page with an error there is its code, and nothing else.
    const bodies = recorded.of(started.attempt_id).map(({ exchange }) => exchange?.response.body);
    expect(bodies).toContain('{"code":"callback.browser_mismatch"}');
  });
});
