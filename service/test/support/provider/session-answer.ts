import { createHash } from 'node:crypto';
import { AUDIENCE, AUTHORIZE_ORIGIN, REQUEST_ID } from './provider-under-test.ts';

/** 344 characters of Base64, including its three special characters. */
export const STATE = `${'Ab+/'.repeat(85)}Aa+=`;
export const NONCE = '3f0c1c1e-7d35-4a4e-8a51-5f3c9a3c0d11';

export function hashOf(state: string): string {
  return createHash('sha256').update(state).digest('base64');
}

export const PARAMETERS: Readonly<Record<string, string>> = {
  scope: 'openid',
  response_type: 'id_token',
  response_mode: 'form_post',
  client_id: AUDIENCE,
  redirect_uri: 'https://provider.example.test/api/v2/oidc/callback',
  nonce: NONCE,
  ui_locales: 'ar',
  aud: AUDIENCE,
  prompt: 'login',
  max_age: '1769850000',
  state: STATE,
};

/** An address with these parameters; null removes one. */
export function addressWith(changes: Readonly<Record<string, string | null>> = {}): string {
  const url = new URL('/authservice/authorize', AUTHORIZE_ORIGIN);
  for (const [name, value] of Object.entries({ ...PARAMETERS, ...changes })) {
    if (value !== null) url.searchParams.set(name, value);
  }
  return url.href;
}

/** The interface document's answer to the session request. */
export function sessionAnswer({ locale = 'ar', url = addressWith({ ui_locales: locale }) } = {}) {
  return { id: null, url, hashedState: hashOf(STATE), requestId: REQUEST_ID };
}
