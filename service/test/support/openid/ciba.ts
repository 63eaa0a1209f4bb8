import * as oidc from 'openid-client';
import { expect } from 'vitest';
import { SECOND_MS } from '../../../src/values/time.ts';

const GRANT = 'urn:openid:params:grant-type:ciba';
/** Of OpenID CIBA 1.0, section 11: the client asks again later. */
const NOT_YET = ['authorization_pending', 'slow_down'];

/** The error that a poll has ended with; null for tokens. */
export function errorOf(end: PromiseSettledResult<unknown> | undefined): string | null {
  if (end?.status !== 'rejected') return null;
  const reason: unknown = end.reason;
  return reason instanceof oidc.ResponseBodyError ? reason.error : String(reason);
}

/** Begins a sign-in by a push without a browser. @throws oidc.ResponseBodyError */
export async function startPush(config: oidc.Configuration, parameters: Record<string, string>) {
  const wishes = Object.entries({ scope: 'openid profile', ...parameters });
  const given = Object.fromEntries(wishes.filter(([, value]) => value !== ''));
  const asked = await oidc.initiateBackchannelAuthentication(config, given);
  const { auth_req_id, interval: intervalS = 5 } = asked;
  /** Asks once whether the person has decided. @throws oidc.ResponseBodyError while they have not */
  const poll = () => oidc.genericGrantRequest(config, GRANT, { auth_req_id });
  /** The same, until they have, and no sooner again than the service allows. */
  const end = async () => {
    const ends: PromiseSettledResult<Awaited<ReturnType<typeof poll>>>[] = [];
    await expect
      .poll(
        async () => {
          ends.push(...(await Promise.allSettled([poll()])));
          return errorOf(ends.at(-1));
        },
        { interval: intervalS * SECOND_MS },
      )
      .not.toBeOneOf(NOT_YET);
    const last = ends.at(-1);
    if (last?.status === 'fulfilled') return last.value;
    throw last?.reason;
  };
  return { asked, poll, end };
}
