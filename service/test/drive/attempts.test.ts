import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Timer } from '../../src/platform/runtime.port.ts';
import { drive, resultOf, shareListening, type DriveOptions } from '../support/drive/drive.ts';
import {
  AMAL,
  complete,
  readStatus,
  redeem,
  startPhone,
  startRedirect,
} from '../support/service/login.ts';

/** `GET /simulator/attempts`, and `miftah attempts`. */

const instance = shareListening();
const strict = shareListening({ STRICT: 'yes' });

interface Listed {
  readonly id: string;
  readonly flow: string;
  readonly state: string;
  readonly reason: string | null;
  readonly scope: string;
}

const miftah = (args: readonly string[], options: DriveOptions = {}) =>
  drive(instance().origin, args, options);

/** The service, a moment later: ids are in the order of their times. */
function later() {
  const { service } = instance();
  service.clock.advance(1);
  return service;
}

describe('the list of attempts', () => {
  it('has the newest first, in each state, and of people the names of invented ones alone', async () => {
    const { service } = instance();
    const one = await startPhone(later());
    const two = await startRedirect(later());
    const three = await startPhone(later(), '1000002201');
    await complete(service, one);
    await miftah(['refuse', three.attempt_id]);
    const ran = await miftah(['attempts', '--limit', '3']);
    expect(resultOf<Listed[]>(ran)).toMatchObject([
      {
        id: three.attempt_id,
        flow: 'mfa',
        state: 'rejected',
        reason: 'attempt.rejected',
        person: { en: 'Faisal Omar Khalid Altajribi' },
      },
      { id: two.attempt_id, flow: 'oidc', state: 'pending', scope: 'default', person: null },
      { id: one.attempt_id, flow: 'mfa', state: 'authenticated' },
    ]);
    for (const secret of [AMAL, '1000002201', one.attempt_token]) {
      expect(ran.out).not.toContain(secret);
    }
    expect(resultOf<Listed[]>(await miftah(['attempts', '--limit', '1']))).toHaveLength(1);
  });

  it('has who has approved a sign-in by browser, and nobody before', async () => {
    const { attempt_id: id } = await startRedirect(later());
    const listed = () => miftah(['attempts', '--limit', '1'], { terminal: 80 });
    expect(stripVTControlCharacters((await listed()).out)).toMatch(/^AT \(UTC\) .* STATE *\n/);
    expect(await miftah(['approve', id.toUpperCase(), '--person', 'faisal'])).toMatchObject({
      code: 0,
    });
    expect(stripVTControlCharacters((await listed()).out)).toMatch(/ authenticated  faisal\n$/);
    const line = await miftah(['attempt', id.toUpperCase()]);
    expect(resultOf(line)).toMatchObject({ attempt: { person: { id: 'faisal' } } });
  });

  it('has those of the scope only', async () => {
    await startPhone(instance().service);
    const ran = await miftah(['attempts', '--scope', 'nobody-is-here']);
    expect(resultOf(ran)).toEqual([]);
  });

  it('has a sign-in of a scope in that scope', async () => {
    const scope = ['--scope', 'worker-7'];
    const login = await miftah(['login', '--approve', ...scope]);
    expect(login, login.err).toMatchObject({ code: 0 });
    const { attempt_id: id } = resultOf<{ attempt_id: string }>(login);
    const own = resultOf<Listed[]>(await miftah(['attempts', ...scope]));
    expect(own).toMatchObject([{ id, scope: 'worker-7', state: 'redeemed' }]);
    const others = resultOf<Listed[]>(await miftah(['attempts', '--limit', '200']));
    expect(others.map((one) => one.id)).not.toContain(id);
  });

  it('is there in strict mode', async () => {
    await drive(strict().origin, ['login', '--approve']);
    const ran = await drive(strict().origin, ['attempts']);
    expect(resultOf<Listed[]>(ran)).toMatchObject([{ flow: 'mfa', state: 'redeemed' }]);
  });

  it.each(['0', '201', '1.5', 'all'])('takes no limit of %s', async (limit) => {
    expect(await miftah(['attempts', '--limit', limit])).toMatchObject({ code: 2, sent: [] });
    const answer = await fetch(`${instance().origin}/simulator/attempts?limit=${limit}`);
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({
      code: 'validation.failed',
      message: expect.stringContaining('limit is 1 to 200, by default 50.') as string,
    });
  });

  it('is a table on a terminal', async () => {
    const { attempt_id: id } = await startPhone(later());
    const { out } = await miftah(['attempts', '--limit', '1'], { terminal: 80 });
    const table = stripVTControlCharacters(out);
    expect(table).toMatch(/^AT \(UTC\) +ATTEMPT +FLOW +STATE +PERSON\n/);
    expect(table).toMatch(new RegExp(`\\n\\d\\d:\\d\\d:\\d\\d +${id} +phone +pending +amal\\n`));
  });
});

it('miftah attempts --follow has a line for each attempt that starts or changes', async () => {
  const { origin } = instance();
  const stop = new AbortController();
  await startPhone(later());
  const before = await startPhone(later());
  // Each pause is a step: an attempt starts, it is approved, Ctrl-C.
  const started: string[] = [];
  const steps = [
    async () => void started.push((await startPhone(later())).attempt_id),
    async () => void (await drive(origin, ['approve', started[0] ?? ''])),
    () => Promise.resolve(stop.abort()),
  ];
  const timer: Timer = {
    after: (_, work) => {
      void steps.shift()?.().then(work);
      return () => undefined;
    },
  };
  const context = { timer, stop: stop.signal };
  const ran = await drive(origin, ['attempts', '--follow', '--limit', '1'], { context });
  expect(ran.code).toBe(130);
  const lines = ran.out.trimEnd().split('\n');
  const said = lines.map((line) => JSON.parse(line) as Listed);
  expect(said.map(({ id, state }) => [id, state])).toEqual([
    [before.attempt_id, 'pending'],
    [started[0], 'pending'],
    [started[0], 'authenticated'],
  ]);
});

it('miftah attempts --follow says once how it ends, also while there is no attempt', async () => {
  const stop = new AbortController();
  const pauses = [() => undefined, () => stop.abort()];
  const timer: Timer = {
    after: (_, work) => {
      pauses.shift()?.();
      queueMicrotask(work);
      return () => undefined;
    },
  };
  const args = ['attempts', '--follow', '--scope', 'follows-nobody'];
  const ran = await miftah(args, { terminal: 80, context: { timer, stop: stop.signal } });
  expect(ran.err.split('Ctrl-C ends it.')).toHaveLength(2);
  expect(ran.code).toBe(130);
  expect(ran.sent).toHaveLength(3);
});

describe('miftah attempt', () => {
  it('has the time line of an attempt, and says what the coach says', async () => {
    const started = await startPhone(later());
    await miftah(['refuse', started.attempt_id]);
    const ran = await miftah(['attempt', started.attempt_id]);
    expect(resultOf(ran)).toMatchObject({
      attempt: { id: started.attempt_id, state: 'rejected', client: { en: 'Demo application' } },
      entries: [{ name: 'startAttempt' }, { name: 'prompt' }, { name: 'decision' }],
    });
    expect(ran.out).not.toContain(started.attempt_token);
  });

  it('is a table on a terminal, in which the id stands once', async () => {
    const started = await startPhone(later());
    await redeem(instance().service, started);
    await miftah(['refuse', started.attempt_id]);
    await readStatus(instance().service, started);
    const ran = await miftah(['attempt', started.attempt_id], { terminal: 100 });
    const out = stripVTControlCharacters(ran.out);
    expect(out).toMatch(/^APPLICATION +Demo application$/m);
    expect(out).toMatch(/NO +AT +WHERE +WHAT +ANSWER +CALL/);
    expect(out).toMatch(/1 +[\d:.]+ +application +startAttempt +200 +POST \/api\/v1\/start/);
    expect(out).toMatch(/ +phone +decision +refuse by person/);
    expect(out).toMatch(/ +409 attempt.pending +POST \/api\/v1\/token\/\{attempt_id\}\n/);
    expect(out).toMatch(/ +readStatus +200 +GET \/api\/v1\/status\/\{attempt_id\}\n/);
    expect(out.split(started.attempt_id)).toHaveLength(2);
  });

  it('has the codes of the coach on a terminal without the marks that pages need', async () => {
    const started = await startPhone(later());
    const body = { attempt_token: started.attempt_token };
    await instance().service.post(`/token/${started.attempt_id}`, body);
    const { out } = await miftah(['attempt', started.attempt_id], { terminal: 160 });
    expect(out).toContain('The exchange has no Idempotency-Key');
    expect(out).not.toContain('`');
  });

  it('of an unknown id says so', async () => {
    const ran = await miftah(['attempt', 'nobody']);
    expect(ran.err).toContain('attempt.not_found');
    expect(ran.code).not.toBe(0);
  });
});

it('miftah replay starts the same sign-in, which goes the same way', async () => {
  const started = await startPhone(later());
  await miftah(['refuse', started.attempt_id]);
  const again = resultOf<{ attempt_id: string }>(await miftah(['replay', started.attempt_id]));
  expect(again.attempt_id).not.toBe(started.attempt_id);
  const ran = await miftah(['attempt', again.attempt_id]);
  expect(resultOf(ran)).toMatchObject({
    attempt: { flow: 'mfa', client: { en: 'Demo application' } },
  });
});
