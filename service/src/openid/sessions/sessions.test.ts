import type { Provider } from 'oidc-provider/lib/provider.js';
import { expect, it } from 'vitest';
import type { HttpContext } from '../../request/context.ts';
import { addSessions } from './sessions.ts';

/** A class of the library, of which nothing is used but the place of its methods. */
const anything = () => ({ IN_PAYLOAD: [], prototype: {} });

/** Of a session whose person has signed in at the second 100. */
function isPast(now: number, age: string): boolean {
  const provider = { Session: anything(), OIDCContext: anything() } as unknown as Provider;
  const settings = { publicUrl: 'https://login.example.test' };
  const context = { settings, clock: { now: () => now } } as unknown as HttpContext;
  addSessions(provider, 'shared', context);
  return provider.Session.prototype.past.call({ loginTs: 100 } as never, age);
}

it('max_age=0 asks in the very second of a sign-in too, and others when they have passed', () => {
  expect([isPast(100_000, '0'), isPast(100_999, '1'), isPast(102_000, '1')]).toEqual([
    true,
    false,
    true,
  ]);
});
