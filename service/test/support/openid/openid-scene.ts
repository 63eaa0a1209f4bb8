import * as oidc from 'openid-client';
import type { ClientEntry } from '../../../../scripts/rehearsal.ts';
import { writeClientsFile } from '../../../../scripts/rehearsal.ts';
import { SystemClock } from '../../../src/platform/runtime.ts';
import { temporaryFolder, type AtEnd } from '../at-end.ts';
import { PersonBrowser, type Visit } from '../live/person-browser.ts';
import { findFreePort } from '../programs/service-process.ts';
import {
  openTestService,
  type TestService,
  type TestServiceOptions,
} from '../service/test-service.ts';

export const PORTAL_KEY = 'mfk_portal_0123456789abcdef';
const ALL_SCOPES = 'openid profile email national_id birthdate offline_access';
const name = { ar: 'بوابة المثال', en: 'Example Portal' };

/** With a back end and all scopes, and a page that may only know who somebody is. */
export const OPENID_CLIENTS = {
  portal: {
    id: 'portal',
    name,
    type: 'confidential',
    return_addresses: [],
    keys: [PORTAL_KEY],
    openid: {
      redirect_uris: ['https://portal.example.test/cb'],
      scope: ALL_SCOPES,
      backchannel_token_delivery_mode: 'poll',
    },
  },
  reader: {
    id: 'reader',
    name: { ar: 'قارئ المثال', en: 'Example Reader' },
    type: 'public',
    return_addresses: [],
    keys: [],
    openid: {
      redirect_uris: ['https://reader.example.test/cb'],
      scope: 'openid profile',
      id_token_signed_response_alg: 'ES256',
    },
  },
} as const satisfies Record<string, ClientEntry>;

export interface OpenidScene {
  readonly service: TestService;
  readonly origin: string;
}

const STRICT_OPENID = { STRICT: 'yes' };

/**
 * The library takes its time from `Date`. A test that moves that would move the clock of the process
 * for good, where the service compares both meanwhile: this one knows the monotonic clock alone.
 */
const MONOTONIC = {
  monotonic: () => performance.now(),
  wall: () => performance.timeOrigin + performance.now(),
};

/** A service with an OpenID Provider, which listens. */
export async function openOpenid(
  atEnd: AtEnd,
  settings: Record<string, string> = {},
  parts: TestServiceOptions['parts'] = {},
): Promise<OpenidScene> {
  const { PORT: port = String(await findFreePort()) } = settings;
  const clock = new SystemClock(MONOTONIC);
  const service = await openTestService({
    settings: { OPENID: 'on', RATE_LIMITS: 'off', PORT: port, ...settings },
    parts: { clock, timekeeper: clock, ...parts },
    atEnd,
  });
  await service.app.listen({ port: Number(port), host: '127.0.0.1' });
  return { service, origin: `http://127.0.0.1:${port}` };
}

/** In strict simulator mode, with the clients of a file. */
export async function openStrictOpenid(
  atEnd: AtEnd,
  clients: readonly ClientEntry[],
  others: Record<string, string> = {},
  parts: TestServiceOptions['parts'] = {},
) {
  const clientsFile = writeClientsFile(temporaryFolder('openid', atEnd), clients);
  const settings = { ...STRICT_OPENID, CLIENTS_FILE: clientsFile, ...others };
  return { ...(await openOpenid(atEnd, settings, parts)), clientsFile };
}

/** Nothing is recorded as a secret: what a simulation keeps is not sealed. */
export const openidBrowser = () => new PersonBrowser(() => undefined);

const PERSON = 'amal';

export interface Asked {
  readonly config: oidc.Configuration;
  readonly url: URL;
  readonly redirectUri: string;
  readonly checks: oidc.AuthorizationCodeGrantChecks & { readonly pkceCodeVerifier: string };
}

/** For tokens without the person (OpenID Core, section 11). */
export const LASTING = { scope: 'openid profile offline_access', prompt: 'consent' } as const;

interface Wish {
  readonly id: keyof typeof OPENID_CLIENTS;
  /** Pushed before the browser is sent (RFC 9126). */
  readonly isPushed?: boolean;
  readonly parameters?: Record<string, string>;
}

/** The client's configuration, from what the provider says of itself. */
export async function discovered(
  issuer: string,
  id: string,
  auth: oidc.ClientAuth,
): Promise<oidc.Configuration> {
  // Plain HTTP, for a provider on this machine.
  // oxlint-disable-next-line typescript/no-deprecated
  const execute = [oidc.allowInsecureRequests];
  return oidc.discovery(new URL(issuer), id, undefined, auth, { execute });
}

/** What an application does before it sends the browser, by a library that nobody here wrote. */
export async function ask(
  { origin }: Pick<OpenidScene, 'origin'>,
  { id, isPushed = false, parameters = {} }: Wish,
): Promise<Asked> {
  const { openid, type } = OPENID_CLIENTS[id];
  const [redirectUri] = openid.redirect_uris;
  const auth = type === 'public' ? oidc.None() : oidc.ClientSecretBasic(PORTAL_KEY);
  return askAs(origin, { id, redirectUri, auth }, { isPushed, parameters });
}

/** The same for any client. */
export async function askAs(
  origin: string,
  {
    id,
    redirectUri,
    auth,
  }: { readonly id: string; readonly redirectUri: string; readonly auth: oidc.ClientAuth },
  { isPushed = false, parameters = {} }: Omit<Wish, 'id'> = {},
): Promise<Asked> {
  const config = await discovered(origin, id, auth);
  const [pkceCodeVerifier, expectedNonce, expectedState] = [
    oidc.randomPKCECodeVerifier(),
    oidc.randomNonce(),
    oidc.randomState(),
  ];
  const all = {
    redirect_uri: redirectUri,
    scope: 'openid',
    code_challenge: await oidc.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    nonce: expectedNonce,
    state: expectedState,
    ...parameters,
  };
  const url = isPushed
    ? await oidc.buildAuthorizationUrlWithPAR(config, all)
    : oidc.buildAuthorizationUrl(config, all);
  return { config, url, redirectUri, checks: { pkceCodeVerifier, expectedNonce, expectedState } };
}

/** A request as somebody writes it by hand, with PKCE of which nobody here has the verifier. */
export function writtenRequest(
  client_id: string,
  redirect_uri: string,
  state = 'own',
): URLSearchParams {
  return new URLSearchParams({
    client_id,
    response_type: 'code',
    scope: 'openid',
    redirect_uri,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    state,
  });
}

/** Goes from the application to the page before the sign-in. */
export async function beginIn(browser: PersonBrowser, { url }: Asked): Promise<Visit> {
  const page = await browser.follow(await browser.open(url));
  return { ...page, url: interactionOf(page) ?? page.url };
}

/** The address of the interaction whose page this is: the answer to its request has the page too. */
export function interactionOf({ html, url }: Pick<Visit, 'html' | 'url'>): URL | null {
  const [, action] = /<form[^>]* action="([^"?]*\/openid\/interaction\/[^"?]+)/.exec(html) ?? [];
  return action === undefined ? null : new URL(action, url);
}

/** Signs in on the provider's page. @returns the address to which the provider sends the browser */
export async function signInIn(
  browser: PersonBrowser,
  page: Visit,
  decision = 'approve',
  person = PERSON,
): Promise<URL> {
  const provider = await browser.follow(await browser.press(page));
  if (provider.status !== 200) throw new Error(`no page of the provider: ${provider.html}`);
  const decided = await browser.press(provider, { person, decision });
  // What a person has approved is handed over by a form, a refusal is not.
  const { location } = decision === 'approve' ? await browser.press(decided) : decided;
  if (location === null) throw new Error(`it was not sent back: ${decided.html}`);
  return location;
}

/** Follows the way back. @returns where the application is called, or the page where it ends */
export async function wayBack(browser: PersonBrowser, asked: Asked, address: URL): Promise<Visit> {
  let visit = await browser.open(address);
  for (let step = 0; step < 6; step += 1) {
    const { location } = visit;
    if (location === null || location.href.startsWith(asked.redirectUri)) return visit;
    visit = await browser.open(location);
  }
  throw new Error('the browser goes in a circle');
}

/** A whole sign-in up to the application's address with the code, or with an error. */
export async function signedIn(
  asked: Asked,
  { browser = openidBrowser(), decision = 'approve', person = PERSON } = {},
): Promise<URL> {
  const page = await beginIn(browser, asked);
  const back = await signInIn(browser, page, decision, person);
  const visit = await wayBack(browser, asked, back);
  if (visit.location === null) throw new Error(`no way back: ${visit.status} ${visit.html}`);
  return visit.location;
}

export function exchange({ config, checks }: Asked, back: URL) {
  return oidc.authorizationCodeGrant(config, back, checks);
}
