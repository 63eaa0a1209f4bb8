import { Refusal } from '../errors/refusal.ts';
import type { Locale } from '../values/locale.ts';
import { stateDigest } from '../attempt/provider-transaction.ts';
import type { Ms } from '../values/time.ts';
import { plainId } from '../values/ids.ts';
import type { ProviderSession } from '../store/ports/store.port.ts';
import { member, textMember, type JsonObject } from './strict-json.ts';

/** A session that the provider has opened, and when it ends. */
export interface RedirectSession extends ProviderSession {
  readonly expiresAt: Ms;
}

export interface SessionExpectation {
  readonly requestId: string;
  readonly locale: Locale;
  readonly authorizeOrigin: string;
  readonly expiresAt: Ms;
}

const URL_LENGTH = 8192;
/** Visible ASCII only: a URL parser drops line ends, but a Location header would contain them. */
const URL_TEXT = /^[\x21-\x5b\x5d-\x7e]+$/;
const AUTHORIZE_PATH = '/authservice/authorize';
const CALLBACK_PATH = '/api/v2/oidc/callback';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Checks the answer to the session request (interface document, OIDC session). The address contains
 * the state and nonce, which bind the later token to this attempt. @throws Refusal
 * `provider.bad_response`
 */
export function parseSession(answer: JsonObject, expected: SessionExpectation): RedirectSession {
  const launchUrl = textMember(answer, 'url') ?? '';
  const echoed = textMember(answer, 'requestId') ?? '';
  if (plainId(echoed) !== expected.requestId) throw badSession('requestId');
  const url = parseAddress(launchUrl, expected.authorizeOrigin);
  const parameters = checkParameters(url, expected.locale);
  const state = parameters.get('state') ?? '';
  const digest = stateDigest(state);
  if (member(answer, 'hashedState') !== digest) throw badSession('hashedState');
  const nonce = parameters.get('nonce') ?? '';
  return { launchUrl, stateDigest: digest, nonce, expiresAt: expected.expiresAt };
}

function parseAddress(text: string, origin: string): URL {
  if (text.length > URL_LENGTH || !URL_TEXT.test(text)) throw badSession('url');
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') throw badSession('url');
  if (url.origin !== origin || url.pathname !== AUTHORIZE_PATH) throw badSession('url');
  return url;
}

type ParameterRule = (value: string, locale: Locale) => boolean;

const isFilled: ParameterRule = (value) => value !== '';

/** The eleven parameters of the authorization address in the interface document. */
const PARAMETERS: Readonly<Record<string, ParameterRule>> = {
  scope: (value) => value === 'openid',
  response_type: (value) => value === 'id_token',
  response_mode: (value) => value === 'form_post',
  client_id: isFilled,
  redirect_uri: (value) => URL.parse(value)?.pathname.endsWith(CALLBACK_PATH) === true,
  nonce: (value) => UUID.test(value),
  ui_locales: (value, locale) => value === locale,
  aud: isFilled,
  prompt: (value) => value === 'login',
  // The provider sends a Unix time here, so it says nothing of freshness and is used for nothing.
  max_age: (value) => /^\d{1,12}$/.test(value),
  state: (value) => /^[\w+/=-]{16,1024}$/.test(value),
};

function checkParameters({ searchParams }: URL, locale: Locale): ReadonlyMap<string, string> {
  const entries = Object.entries(PARAMETERS).map(([name, isRight]) => {
    const values = searchParams.getAll(name);
    // Parsing a query turns each `+` of the Base64 state into a space.
    const value = name === 'state' ? values[0]?.replaceAll(' ', '+') : values[0];
    if (values.length !== 1 || value === undefined || !isRight(value, locale)) {
      throw badSession(`parameter ${name}`);
    }
    return [name, value] as const;
  });
  return new Map(entries);
}

function badSession(what: string): Refusal {
  const reason = `session: ${what}`;
  return new Refusal('provider.bad_response', { reason, cause: new Error(reason) });
}
