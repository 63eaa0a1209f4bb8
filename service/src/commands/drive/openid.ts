import { DriveFailure, interrupted, unreached } from '../instance/failure.ts';
import { pause, within } from '../instance/pause.ts';
import { listenAt, returnAdvice } from '../instance/return-listener.ts';
import { withoutControls } from '../instance/without-controls.ts';
import { rowOf, textOf, type Row } from '../instance/rows.ts';
import type { Session } from '../instance/session.ts';
import { MINUTE_MS, SECOND_MS } from '../../values/time.ts';
import { listOf } from './table.ts';

/** Longer than a sign-in can take. */
const RETURN_LIMIT_MS = 15 * MINUTE_MS;
/** Of the provider's own answers. */
const ANSWER_LIMIT_MS = 10 * SECOND_MS;

/** The clients of plain simulator mode: a public one, and one with a secret that everybody knows. */
const DEMO = 'demo';
const DEMO_WEB = { id: 'demo-web', secret: 'mfk_test_demo_web' };

/** In seconds, where the answer names none (CIBA Core, section 7.3), and after `slow_down`. */
const INTERVAL = 5;

interface OpenidOptions {
  /** True: the usual ones. */
  readonly scopes: string | true;
  readonly client?: string;
  readonly locale: string;
  /** Where the browser comes back to; undefined: any. */
  readonly port?: number;
}

interface PushOptions extends OpenidOptions {
  readonly nationalId: string;
  /** Does the part of the person, whose push has this number. */
  readonly approve: (random: string) => Promise<void>;
}

interface Asking {
  readonly session: Session;
  /** What discovery says. */
  readonly provider: Row;
  readonly client: string;
  /** Null for a public client. */
  readonly secret: string | null;
}

/** As an application with a library for OpenID does it, up to the claims: no token is printed. */
export async function byOpenid(session: Session, options: OpenidOptions): Promise<void> {
  const { context, instance } = session;
  const { client: id = DEMO, locale, scopes, port } = options;
  const secret = id === DEMO ? null : instance.clientKey;
  const asking = await askingAs(session, id, secret);
  noteUnknown(asking, scopes);
  const { client } = asking;
  const listener = await listenAt(session, port);
  try {
    const { state, nonce, verifier, challenge } = context.openidSecrets();
    const request = {
      response_type: 'code',
      scope: scopes === true ? 'openid profile' : scopes,
      redirect_uri: listener.address,
      ui_locales: locale,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state,
      nonce,
    };
    const pushing = post(asking, 'pushed_authorization_request_endpoint', request);
    const pushed = await pushing.catch((error: unknown) => {
      throw withReturnAdvice(error, port);
    });
    const address = new URL(textOf(asking.provider, 'authorization_endpoint'));
    address.searchParams.set('client_id', client);
    address.searchParams.set('request_uri', textOf(pushed, 'request_uri'));
    const arrived = listener.returnOf(state, 'state');
    session.note(`Sign in at ${address.href}`);
    session.note('Waiting for the browser. Ctrl-C ends it.');
    context.openBrowser(address.href);
    const code = codeIn(await within(session, arrived, RETURN_LIMIT_MS), instance.origin);
    const tokens = await post(asking, 'token_endpoint', {
      grant_type: 'authorization_code',
      code,
      redirect_uri: listener.address,
      code_verifier: verifier,
    });
    await printClaims(asking, tokens, nonce);
  } finally {
    listener.close();
  }
}

const BY_PUSH = 'Or sign in with --phone: by CIBA there is no browser.';

/** The library has no error of its own for it. */
function withReturnAdvice(error: unknown, port: number | undefined): unknown {
  if (!(error instanceof DriveFailure) || !error.message.includes('redirect_uri')) return error;
  const { code, message } = error;
  const remedy = returnAdvice(port, { list: 'openid.redirect_uris', instead: BY_PUSH });
  return new DriveFailure({ code, message, remedy });
}

/** By CIBA, as a back end does it that has no page: a push, and polls until it has an end. */
export async function byPush(session: Session, options: PushOptions): Promise<void> {
  const { context, instance } = session;
  const { clientKey } = instance;
  const { client: id = DEMO_WEB.id, locale, scopes, nationalId } = options;
  const secret = options.client === undefined ? DEMO_WEB.secret : clientKey;
  const asking = await askingAs(session, id, secret);
  noteUnknown(asking, scopes);
  const asked = await post(asking, 'backchannel_authentication_endpoint', {
    scope: scopes === true ? 'openid profile' : scopes,
    login_hint: nationalId,
    ui_locales: locale,
    // A client with ping needs one. Its back end is told of a request that is not its own.
    client_notification_token: context.openidSecrets().state,
  });
  const random = textOf(asked, 'binding_message');
  session.note(`Choose ${random} on the phone. Ctrl-C ends the wait.`);
  const tokens = await options.approve(random).then(
    () => polled(asking, asked),
    (error: unknown) => decidedAlone(asking, asked, error),
  );
  await printClaims(asking, tokens, undefined);
}

/** Who could not be asked may have decided already. @param error why not */
async function decidedAlone(asking: Asking, asked: Row, error: unknown): Promise<Row> {
  return post(asking, 'token_endpoint', pollOf(asked)).catch((told: unknown) => {
    throw told instanceof DriveFailure && told.code === PENDING ? error : told;
  });
}

const PENDING = 'openid.authorization_pending';

function pollOf(asked: Row) {
  return {
    grant_type: 'urn:openid:params:grant-type:ciba',
    auth_req_id: textOf(asked, 'auth_req_id'),
  };
}

/** @throws DriveFailure with the error of OAuth that it has ended with */
async function polled(asking: Asking, asked: Row): Promise<Row> {
  const form = pollOf(asked);
  let seconds = Number(asked['interval'] ?? INTERVAL);
  for (;;) {
    try {
      return await post(asking, 'token_endpoint', form);
    } catch (error) {
      const code = error instanceof DriveFailure ? error.code : '';
      if (code === 'openid.slow_down') seconds += INTERVAL;
      else if (code !== PENDING) throw error;
    }
    await pause(asking.session, seconds * SECOND_MS);
  }
}

/** OpenID leaves out a scope that nobody knows (Core, section 3.1.2.1): it may be misspelt. */
function noteUnknown({ session, provider }: Asking, scopes: string | true): void {
  const { scopes_supported: known } = provider;
  if (scopes === true || !Array.isArray(known)) return;
  for (const scope of scopes.split(' ').filter((word) => word !== '' && !known.includes(word))) {
    session.note(`Left out: ${scope} is no scope here, as ${known.join(', ')} are.`);
  }
}

async function askingAs(session: Session, id: string, secret: string | null): Promise<Asking> {
  const { scope } = session.instance;
  const client = scope === null ? id : `${id}@${scope}`;
  return { session, provider: await discovered(session), client, secret };
}

const ENDPOINTS = [
  'authorization_endpoint',
  'backchannel_authentication_endpoint',
  'pushed_authorization_request_endpoint',
  'token_endpoint',
  'userinfo_endpoint',
] as const;
type Endpoint = (typeof ENDPOINTS)[number];

/** A key is sent to the endpoints, so they have to be of the instance that was named. @throws DriveFailure */
async function discovered(session: Session): Promise<Row> {
  const { origin } = session.instance;
  const { status, body } = await ask(session, `${origin}/.well-known/openid-configuration`);
  const issuer = textOf(body, 'issuer');
  if (status !== 200 || issuer === '') {
    throw new DriveFailure({
      code: 'command.no_openid',
      message: `${origin} is no OpenID Provider (status ${status}).`,
      remedy:
        'Start it with OPENID=on (`OPENID=on npx miftah dev`, or in a clone `OPENID=on npm start`), ' +
        'or name another one with --url or MIFTAH_URL.',
    });
  }
  const isOwn = ENDPOINTS.every((name) => textOf(body, name).startsWith(`${origin}/`));
  if (issuer === origin && isOwn) return body;
  throw new DriveFailure({
    code: 'command.other_issuer',
    message: `The issuer at ${origin} is ${issuer}, and clients have to use that address.`,
    remedy: `Write --url ${issuer}, or set PUBLIC_URL of the service to ${origin}.`,
  });
}

interface Answer {
  readonly status: number;
  readonly body: Row;
}

/** @throws DriveFailure */
async function ask(session: Session, address: string, init: RequestInit = {}): Promise<Answer> {
  const { fetch, stop } = session.context;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(ANSWER_LIMIT_MS)]);
  try {
    const answer = await fetch(address, { ...init, signal, redirect: 'manual' });
    return { status: answer.status, body: rowOf(await answer.json().catch(() => null)) };
  } catch (error) {
    throw stop.aborted ? interrupted() : unreached(session.instance.origin, error);
  }
}

/** @throws DriveFailure with the error of OAuth */
async function post(
  { session, provider, client, secret }: Asking,
  endpoint: Endpoint,
  form: Readonly<Record<string, string>>,
): Promise<Row> {
  const credentials = [client, secret ?? ''].map(encodeURIComponent).join(':');
  const { status, body } = await ask(session, textOf(provider, endpoint), {
    method: 'POST',
    headers: secret === null ? {} : { authorization: `Basic ${btoa(credentials)}` },
    body: new URLSearchParams({ ...form, client_id: client }),
  });
  if (status < 400) return body;
  throw refusal(body, `The answer of ${endpoint} is ${status}.`);
}

/** @param instead of an answer that is none of OAuth */
function refusal(told: Row, instead: string): DriveFailure {
  const error = textOf(told, 'error');
  const message = textOf(told, 'error_description') || instead;
  return new DriveFailure({
    code: error === '' ? 'command.no_openid' : `openid.${error}`,
    message,
    remedy: message.includes('openid scope') ? WITH_OPENID : REMEDIES[error],
  });
}

const WITH_OPENID = 'Name openid among the scopes: --openid "openid profile".';

const REMEDIES: Readonly<Record<string, string>> = {
  access_denied: 'The person has refused, was too late, or can’t sign in. Begin again.',
  expired_token: 'Nobody has answered in time. Begin again.',
  invalid_client:
    'Name a client of this instance with --client, and set MIFTAH_KEY to its secret; for a public ' +
    'client set it to nothing.',
  invalid_scope: 'Ask for what the client may have: --openid "openid profile".',
  unknown_user_id:
    'Check the number: `miftah people` lists who is there, in a rehearsal that of its simulator. Or ' +
    'leave --phone out, and sign in by the browser.',
};

/** @throws DriveFailure for an error, and for what another provider has sent (RFC 9207) */
function codeIn(query: URLSearchParams | null, origin: string): string {
  if (query === null) {
    throw new DriveFailure({
      code: 'command.no_return',
      message: 'No browser has come back in 15 minutes, and the request has expired.',
    });
  }
  const told = Object.fromEntries(query);
  if (query.get('iss') !== origin) throw refusal({}, 'The browser has come from another issuer.');
  const code = query.get('code');
  if (code === null) throw refusal(told, 'The browser has come back without a code.');
  return code;
}

/** It came from the token endpoint itself, so its signature is not what tells who made it. */
function claimsIn({ session, client }: Asking, token: string, nonce: string | undefined): Row {
  const claims = payloadOf(token);
  const isOwn = claims['aud'] === client && claims['iss'] === session.instance.origin;
  if (isOwn && claims['nonce'] === nonce) return claims;
  throw refusal({}, 'The ID token is of another request, client or issuer.');
}

/** Empty for what is no ID token. */
function payloadOf(token: string): Row {
  const [, payload = ''] = token.split('.');
  try {
    return rowOf(JSON.parse(textFrom(payload)));
  } catch {
    return {};
  }
}

/** Of base64url. */
function textFrom(encoded: string): string {
  const bytes = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
  return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.codePointAt(0) ?? 0));
}

async function userinfo({ session, provider }: Asking, token: string): Promise<Row> {
  const headers = { authorization: `Bearer ${token}` };
  const { status, body } = await ask(session, textOf(provider, 'userinfo_endpoint'), { headers });
  if (status === 200) return body;
  throw refusal(body, `The answer of userinfo is ${status}.`);
}

/** @param nonce of the request, where it had one */
async function printClaims(asking: Asking, tokens: Row, nonce: string | undefined): Promise<void> {
  const { session } = asking;
  const claims = {
    id_token: claimsIn(asking, textOf(tokens, 'id_token'), nonce),
    userinfo: await userinfo(asking, textOf(tokens, 'access_token')),
  };
  const all = { ...claims.id_token, ...claims.userinfo };
  const columns = Object.entries(all).map(([name, value]) => ({
    title: withoutControls(name),
    of: () => (typeof value === 'string' ? value : JSON.stringify(value)),
  }));
  session.print(claims, () => listOf(all, columns, session.context.out));
}
