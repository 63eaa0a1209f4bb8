import type { FastifyBaseLogger } from 'fastify';
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';
import { InvalidClientAuth, InvalidRequest } from 'oidc-provider/lib/helpers/errors.js';
import type { Context, Provider } from 'oidc-provider/lib/provider.js';
import { ownCost } from '../../test/support/attacks/cost.ts';
import { times } from '../../test/support/attacks/crowd.ts';
import { simulatorClient } from '../account/client.ts';
import { logRefusals, logsInto, reasonOf } from './refused.ts';

const known = { find: () => null, ids: () => ['portal'], showsIds: false };

/** What the answer is after a refusal, where reasons are told and where they are not. */
function answerOf(isTold: boolean, body: unknown, reason = 'a "reason" \\ é'): unknown {
  const provider = new EventEmitter() as unknown as Provider & EventEmitter;
  logRefusals(provider, known, isTold);
  const context = { body, query: {}, req: { headers: {} } } as unknown as Context;
  provider.emit('grant.error', context, new InvalidClientAuth(reason));
  return context.body;
}

const REFUSED = { error: 'invalid_client', error_description: 'client authentication failed' };

it('where people are real an answer has no reason', () => {
  expect(answerOf(false, REFUSED)).toEqual(REFUSED);
});

it('in the simulator it has, in the characters that a description may have', () => {
  const told = answerOf(true, REFUSED);
  expect(JSON.stringify(told)).toContain("a 'reason' ? ?");
  expect(told).toMatchObject({ error: 'invalid_client' });
});

it('a client of the file that has no member openid is told so', () => {
  const bank = simulatorClient('http://127.0.0.1/');
  const clients = { ...known, find: () => ({ ...bank, openid: null }) };
  const context = { query: { client_id: 'bank' }, req: { headers: {} } } as unknown as Context;
  expect(reasonOf(context, new InvalidClientAuth('client not found'), clients)).toBe(
    'bank has no member "openid" in CLIENTS_FILE',
  );
});

it.each([
  [{}, 'no client authentication mechanism provided', 'send client_id, and the secret'],
  [{}, "missing required parameter 'client_id'", 'send client_id in the form too'],
])('a client that has not said who it is is told what to send: %j, %s', (query, said, remedy) => {
  const context = { query, req: { headers: {} } } as unknown as Context;
  expect(reasonOf(context, new InvalidRequest(said), known)).toContain(`${said}; ${remedy}`);
});

it.each([
  '1098761234',
  '109 876 1234',
  '109-876-1234',
  '1098/761234',
  '1098_761234',
  '1,098,761,234',
  '1098:761234',
  '1098 - 761234',
  '1098 /  761234',
  '1098\u00B7761234',
  '109.876.1234',
  '\u2460\u24EA\u2468\u2467\u2466\u2465\u2460\u2461\u2462\u2463',
  '\u0661\u0660\u0669\u0668\u0667\u0666\u0661\u0662\u0663\u0664',
])('a national id is in no reason, however it was typed: %s', (number) => {
  const reasons: unknown[] = [];
  const emit = (query: object, error: Error) => {
    const provider = new EventEmitter() as unknown as Provider & EventEmitter;
    logRefusals(provider, known, false);
    const req = { headers: {} } as unknown as IncomingMessage;
    logsInto(req, { warn: (line: unknown) => reasons.push(line) } as unknown as FastifyBaseLogger);
    provider.emit('grant.error', { query, req }, error);
  };
  emit({ client_id: `a${number}` }, new InvalidRequest('unknown'));
  emit({}, new InvalidRequest(`Unexpected token, "${number}" is not valid JSON`));
  const escaped = `"\\u0031${number.slice(1)}"`;
  emit({}, new InvalidRequest(`Unexpected token, ${escaped} is not valid JSON`));
  expect(reasons).toMatchObject([
    { reason: 'no client has the id "a…": unknown' },
    { reason: 'no known client: Unexpected token, "…" is not valid JSON' },
    { reason: 'no known client: Unexpected token, "…" is not valid JSON' },
  ]);
});

it.each([0, 1, 3, 6])('nor a part of one where the words are cut: %d before', (before) => {
  const context = { query: {}, req: { headers: {} } } as unknown as Context;
  for (const filler of ['a', String.raw`\u0041`]) {
    const length = 2000 - before - 'origin '.length;
    const quoted = filler.repeat(Math.floor(length / filler.length)).padStart(length, 'a');
    const error = new InvalidRequest(`origin ${quoted}---1098761234 is not allowed`);
    expect(reasonOf(context, error, known)).not.toMatch(/\d{2}/);
  }
});

it('the address of a machine stays in a reason, with its port', () => {
  const told = answerOf(true, REFUSED, 'http://192.168.100.20:3000/cb is not 127.0.0.1:45123');
  expect(JSON.stringify(told)).toContain('http://192.168.100.20:3000/cb is not 127.0.0.1:45123');
});

it('what a header has that the library quotes costs as much to look at as other words', () => {
  const context = { query: {}, req: { headers: {} } } as unknown as Context;
  const looking = (sign: string, rounds: number) => {
    const error = new InvalidRequest(`origin ${sign.repeat(4_000)} not allowed for client: demo`);
    return ownCost(() => void times(rounds).map(() => reasonOf(context, error, known)));
  };
  // Many rounds, because the processor time of a thread is told in steps of some milliseconds.
  const words = looking('a', 4_000);
  expect(looking('\\', 200)).toBeLessThan(words);
});

it('a page stays as it is', () => {
  expect(answerOf(true, '<p>')).toBe('<p>');
});
