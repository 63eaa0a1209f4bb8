import * as oidc from 'openid-client';
import { expect } from 'vitest';

const GRANT = 'urn:openid:params:grant-type:ciba';
/** Of OpenID CIBA 1.0, section 11: the client asks again later. */
const NOT_YET = ['authorization_pending', 'slow_down'];
/** Sooner than the answer allows, which counts where a scene has rate limits alone. */
const PAUSE_MS = 250;

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
  const { auth_req_id } = asked;
  /** Asks once whether the person has decided. @throws oidc.ResponseBodyError while they have not */
  const poll = () => oidc.genericGrantRequest(config, GRANT, { auth_req_id });
  /** The same, until they have. */
  const end = async () => {
    const ends: PromiseSettledResult<Awaited<ReturnType<typeof poll>>>[] = [];
    await expect
      .poll(
        async () => {
          ends.push(...(await Promise.allSettled([poll()])));
          return errorOf(ends.at(-1));
        },
        { interval: PAUSE_MS },
      )
      .not.toBeOneOf(NOT_YET);
    const last = ends.at(-1);
    if (last?.status === 'fulfilled') return last.value;
    throw last?.reason;
  };
  return { asked, poll, end };
}
