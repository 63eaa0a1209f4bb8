import { createHash } from 'node:crypto';
import type { Locale } from '../locale.ts';
import type { Ms, Random } from '../ports.ts';
import type { EngineSettings } from '../settings.ts';

/** 256 bytes are 344 characters of Base64: the length of the provider's signed state. */
const STATE_BYTES = 256;

export interface Authorization {
  readonly url: string;
  readonly state: string;
  readonly hashedState: string;
  readonly nonce: string;
}

/** An address of the authorization page, with a new state and nonce. */
export function authorizationFor(
  locale: Locale,
  settings: EngineSettings,
  random: Random,
  now: Ms,
): Authorization {
  const state = Buffer.from(random.bytes(STATE_BYTES)).toString('base64');
  const nonce = random.uuid();
  const url = new URL(settings.authorizeUrl);
  url.search = new URLSearchParams({
    scope: 'openid',
    response_type: 'id_token',
    response_mode: 'form_post',
    client_id: settings.clientId,
    redirect_uri: settings.callbackUrl,
    nonce,
    ui_locales: locale,
    aud: settings.audience,
    prompt: 'login',
    max_age: String(Math.floor(now / 1000)),
    state,
  }).toString();
  return { url: url.href, state, hashedState: hashState(state), nonce };
}

/** What the relying party stores: Base64 of SHA-256 over the characters of the state. */
export function hashState(state: string): string {
  return createHash('sha256').update(state, 'ascii').digest('base64');
}
