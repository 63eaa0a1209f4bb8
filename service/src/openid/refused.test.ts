import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { InvalidClientAuth } from 'oidc-provider/lib/helpers/errors.js';
import type { Context, Provider } from 'oidc-provider/lib/provider.js';
import { logRefusals } from './refused.ts';

/** What the answer is after a refusal, where reasons are told and where they are not. */
function answerOf(isTold: boolean, body: unknown): unknown {
  const provider = new EventEmitter() as unknown as Provider & EventEmitter;
  logRefusals(provider, () => null, isTold);
  const context = { body, query: {}, req: { headers: {} } } as unknown as Context;
  provider.emit('grant.error', context, new InvalidClientAuth('a "reason" \\ é'));
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

it('a page stays as it is', () => {
  expect(answerOf(true, '<p>')).toBe('<p>');
});
