import type { FastifyBaseLogger } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { InvalidRedirectUri, OIDCProviderError } from 'oidc-provider/lib/helpers/errors.js';
import type { Context, Provider } from 'oidc-provider/lib/provider.js';
import type { Client } from '../account/client.ts';
import type { Clients } from '../account/clients.port.ts';
import { Refusal } from '../errors/refusal.ts';
import { detailOf } from '../errors/wording.ts';
import { OutboundError, type OutboundFault } from '../outbound/outbound.port.ts';
import { textMember } from '../request/body/text-member.ts';
import { memberOf } from '../values/member.ts';
import { remedyOf } from './clients/remedies.ts';

/** What a reason says of clients. */
interface KnownClients {
  readonly find: (id: string) => Client | null;
  /** Those that speak OpenID. */
  readonly ids: () => readonly string[];
  /** Whether whoever asks may know them, as in plain simulator mode. */
  readonly showsIds: boolean;
}

export function knownClients(clients: Clients, showsIds: boolean): KnownClients {
  return {
    find: (id) => clients.find(id),
    ids: () => clients.all().flatMap(({ id, openid }) => (openid === null ? [] : [id])),
    showsIds,
  };
}

const LONGEST_TEXT = 200;
const LONGEST_REASON = 1000;
const MOST_ADDRESSES = 10;

const logs = new WeakMap<IncomingMessage, FastifyBaseLogger>();

/** Lets what is logged of this request have the id that its answer has. */
export function logsInto(request: IncomingMessage, log: FastifyBaseLogger): void {
  logs.set(request, log);
}

/** For what is logged of a request after its answer: it keeps nothing else of the request. */
export function logOf({ req }: Pick<Context, 'req'>): FastifyBaseLogger | null {
  return logs.get(req) ?? null;
}

/** How a sign-in may end that is no mistake of its application: the person's doing, or ours. */
const ENDS_OF_SIGN_INS = new Set([
  'access_denied',
  'expired_token',
  'login_required',
  'temporarily_unavailable',
  'unmet_authentication_requirements',
]);

const EVENTS = [
  'authorization.error',
  'backchannel_authentication.error',
  'end_session.error',
  'end_session_confirm.error',
  'grant.error',
  'introspection.error',
  'pushed_authorization_request.error',
  'revocation.error',
] as const;

/** A button that was pressed before: the session that it was shown for has ended. */
export function isLogoutOver({ status, oidc }: Context): boolean {
  return status === 400 && oidc.session !== undefined && oidc.session.state === undefined;
}

/**
 * Whoever makes an application work sees of a refusal a page or the name of its error, and asks the
 * operator, who finds the reason by the id of the request.
 * @param isTold whether the answer has the reason too: where nobody is real, no attacker learns by it
 */
export function logRefusals(provider: Provider, known: KnownClients, isTold: boolean): void {
  for (const event of EVENTS) {
    provider.on(event, (context, error) => {
      // Nearly every poll of a push is too early.
      if (!(error instanceof OIDCProviderError) || error.error === 'authorization_pending') return;
      if (event === 'end_session_confirm.error' && isLogoutOver(context)) return;
      const line = { code: error.error, reason: reasonOf(context, error, known) };
      const isEnd = ENDS_OF_SIGN_INS.has(line.code);
      if (isTold && !isEnd) tell(context, line.reason);
      const log = logs.get(context.req);
      if (log === undefined) return;
      if (isEnd) log.info(line, 'an OpenID sign-in ended without tokens');
      else log.warn(line, 'an OpenID request was refused');
    });
  }
}

/** Says what a good token is, in every mode, because that tells nothing of the one that was sent. */
export function tellOfUserInfo(provider: Provider): void {
  provider.on('userinfo.error', (context, error) => {
    if (!(error instanceof OIDCProviderError)) return;
    const { error: code, error_description: description = code } = error;
    const reason = code === 'invalid_token' ? `${description}; ${ACCESS_TOKEN}` : description;
    tell(context, reason);
    logs.get(context.req)?.info({ code, reason }, 'an OpenID request was refused');
  });
}

const ACCESS_TOKEN =
  'send the access_token of an answer of /openid/token, which is good for ten minutes: an API token ' +
  '(mft_...) and an ID token are none';

const reasons = new WeakMap<Context, string>();

function tell(context: Context, reason: string): void {
  const { body } = context;
  // An error that the browser takes to its application has no answer yet.
  reasons.set(context, reason);
  if (typeof memberOf(body, 'error') !== 'string') return;
  context.body = Object.assign({}, body, { error_description: described(reason) });
}

/** In the characters that RFC 6749 has for it (section 5.2): no quotation mark, no backslash. */
function described(reason: string): string {
  const text = reason.replaceAll('…', '...').replaceAll('"', "'");
  return text.replaceAll(/[^ !#-[\]-~]/g, '?');
}

/** Gives an error that the browser takes back to the application the reason that was told. */
export function tellOnTheWay(provider: Provider): void {
  provider.use(async (context, next) => {
    await next();
    const reason = reasons.get(context);
    if (reason === undefined) return;
    if (typeof context.body === 'string') context.body = formWithDescription(context.body, reason);
    const address = URL.parse(context.response.get('location'));
    if (address === null) return;
    // Where the application has asked for a token, its answer is in the fragment.
    const inFragment = withDescription(address.hash.slice(1), reason);
    if (inFragment === null) address.search = withDescription(address.search, reason) ?? '';
    else address.hash = inFragment;
    context.redirect(address.href);
  });
}

/** The library's form of `response_mode=form_post`; all else stays as it is. */
const DESCRIPTION_FIELD = /(<input type="hidden" name="error_description" value=")[^"]*(?="\/>)/;

function formWithDescription(html: string, reason: string): string {
  const value = described(reason).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return html.replace(DESCRIPTION_FIELD, (_, begin: string) => begin + value);
}

/** Null for what is no error. */
function withDescription(query: string, reason: string): string | null {
  const members = new URLSearchParams(query);
  if (!members.has('error')) return null;
  members.set('error_description', described(reason));
  return members.toString();
}

/** By what the operator can do about it. */
const UNTOLD: Readonly<Record<OutboundFault, string>> = {
  not_https: 'is not https, which only the simulator does without',
  address_refused: 'leads to a private or reserved address; if it may, add that to OUTBOUND_ALLOW',
  busy: 'was not called, because too many calls were under way',
  no_address: 'has a name without an address; the resolvers are asked, and not /etc/hosts',
  no_connection: 'could not be connected to',
  timeout: 'has not answered within three seconds',
  too_large: 'has answered with more than 64 KB',
  lost: 'has closed the connection without an answer',
};

/** The member of the clients file that says where a client is told of it. */
const TOLD_AT = {
  logout: 'backchannel_logout_uri',
  ping: 'backchannel_client_notification_endpoint',
} as const;

/** Who was not told is not told later. The log has neither person nor token. */
export function logUntold(
  log: FastifyBaseLogger | null,
  client: string,
  what: keyof typeof TOLD_AT,
  error: unknown,
): void {
  const reason = `${client}: its ${TOLD_AT[what]} ${untoldBecause(error)}`;
  if (log === null) return;
  if (what === 'logout') log.warn({ reason }, 'a client could not be told of a logout');
  else log.warn({ reason }, 'a client could not be told of the end of a push');
}

/** Of a sign-in that an operator has ended. @param isOver not tried again */
export function logEnded(
  log: FastifyBaseLogger,
  client: string,
  error: unknown,
  isOver: boolean,
): void {
  const reason = `${client}: its ${TOLD_AT.logout} ${untoldBecause(error)}`;
  if (isOver) log.warn({ reason }, 'a client was not told that a sign-in was ended');
  else log.warn({ reason }, 'a client could not be told yet that a sign-in was ended');
}

/** A budget that is spent, or a provider that has not taken it: the client is told to try again. */
export function logUnsent(log: FastifyBaseLogger | null, client: string, error: unknown): void {
  if (log === null || !(error instanceof Refusal)) return;
  const { code, details } = error;
  const seen = details.reason === undefined ? '' : ` (${details.reason})`;
  const reason = `${client}: ${detailOf(code, 'en', details.note)}${seen}`;
  log.warn({ code, reason }, 'an OpenID push could not be sent');
}

function untoldBecause(error: unknown): string {
  if (!(error instanceof OutboundError)) {
    const status = memberOf(error, 'response');
    return status instanceof Response ? `has answered ${status.status}` : 'could not be called';
  }
  return error.code === null ? UNTOLD[error.fault] : `${UNTOLD[error.fault]} (${error.code})`;
}

/** What is wrong, for the one who set the client up. It has no token, code, secret or query. */
export function reasonOf(
  { oidc, query, req }: Context,
  error: OIDCProviderError,
  known: KnownClients,
): string {
  const { find } = known;
  const params = oidc?.params ?? query;
  const id = oidc?.client?.clientId;
  if (id === undefined) {
    const named = textMember(params, 'client_id') || userOf(req);
    if (named === '') return ended(`no known client: ${saidWithRemedy(error)}`);
    // A body that can't be read is refused before anybody is looked up.
    const owner = find(named);
    if (owner !== null && owner.openid === null && error.error_detail === NOT_FOUND) {
      return ended(`${named} has no member "openid" in CLIENTS_FILE`);
    }
    if (owner !== null) return ended(`${named}: ${saidWithRemedy(error, owner)}`);
    const who = `no client has the id ${quoted(named)}${othersOf(known)}`;
    return ended(error.error_detail === NOT_FOUND ? who : `${who}: ${said(error)}`);
  }
  const afterLogout = textMember(params, 'post_logout_redirect_uri');
  const client = find(id);
  const isWrong = error instanceof InvalidRedirectUri;
  const isWrongLater =
    afterLogout !== '' && oidc?.client?.postLogoutRedirectUriAllowed(afterLogout) === false;
  if (!isWrong && !isWrongLater) return ended(`${id}: ${saidWithRemedy(error, client)}`);
  const name = isWrong ? 'redirect_uri' : 'post_logout_redirect_uri';
  const wrong = quoted(withoutQuery(textMember(params, name)));
  // The clients that have any address of this machine stand in no file.
  if (client?.returnsToLoopback === true) {
    return ended(`${name} ${wrong} is refused. ${id} may have ${THIS_MACHINE}`);
  }
  const why = `${name} ${wrong} is none of those of ${id}: ${registered(client, isWrong)}`;
  return ended(`${why}. Add it to openid.${name}s of the client`);
}

function othersOf({ ids, showsIds }: KnownClients): string {
  const all = ids();
  if (all.length === 0) return NO_OPENID_CLIENT;
  if (!showsIds) return '';
  const shown = all.slice(0, MOST_CLIENTS);
  const more = all.length > shown.length ? [`${all.length - shown.length} more`] : [];
  return `; there ${all.length === 1 ? 'is' : 'are'} ${LIST.format([...shown, ...more])}`;
}

const LIST = new Intl.ListFormat('en');
const MOST_CLIENTS = 10;
const NO_OPENID_CLIENT =
  '; none has a member openid: give one in the file of CLIENTS_FILE, which strict and live mode need';

const THIS_MACHINE =
  'addresses of this machine alone: http or https, localhost, 127.0.0.1 or [::1], any port and path. ' +
  'For another address give a client of your own, in the file of CLIENTS_FILE';

/** Who a client says that it is by Basic (RFC 6749, section 2.3.1). */
function userOf({ headers: { authorization = '' } }: IncomingMessage): string {
  const [, credentials = ''] = /^Basic ([\w+/]+=*)$/i.exec(authorization) ?? [];
  return Buffer.from(credentials, 'base64').toString().split(':', 1)[0] ?? '';
}

/** What the library says, and what to do about it. */
function saidWithRemedy(error: OIDCProviderError, client: Client | null = null): string {
  const text = said(error);
  const remedy = remedyOf(text, client);
  return remedy === null ? text : `${text}; ${remedy}`;
}

function registered(client: Client | null, isOfSignIn: boolean): string {
  const listed = isOfSignIn ? 'redirectUris' : 'postLogoutRedirectUris';
  const addresses = (client?.openid?.[listed] ?? []).map(withoutQuery);
  return addresses.slice(0, MOST_ADDRESSES).join(', ') || 'it has none';
}

/** What the library says of an id that no client has. */
const NOT_FOUND = 'client not found';

/** A character that JSON writes by its number, which may be a digit. */
const ESCAPE = /(?<!\\)\\+(?:u005c)*u([\da-f]{4})/gi;

const OCTET = String.raw`(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)`;
/** What an operator looks for in a wrong address: it may have as many digits as a national id. */
const MACHINE = String.raw`(?<![\p{N}.])${OCTET}(?:\.${OCTET}){3}(?::\d{1,5})?(?![\p{N}.])`;
/** As anybody types a national id: ten digits, of any script, with no letter between them. */
const NUMBER = new RegExp(String.raw`(${MACHINE})|\p{N}(?:[^\p{L}\p{N}]*\p{N}){9,}`, 'gu');

function withoutNumbers(text: string): string {
  return text.replaceAll(NUMBER, (_, machine?: string) => machine ?? '…');
}

/**
 * The library's own words, which may quote the request: a header, or a body that is no JSON. They are cut
 * before they are searched, and behind a letter, so that no part of a number is left.
 */
function said({ error, error_description: description, error_detail: detail }: OIDCProviderError) {
  const words = [description, detail].filter((text) => text !== undefined).join(': ');
  // Some errors of the library have a name alone.
  const all = words || error;
  const read = all
    .slice(0, 2 * LONGEST_REASON)
    .replaceAll(ESCAPE, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)));
  return withoutNumbers(all.length > 2 * LONGEST_REASON ? upToLetter(read) : read);
}

function upToLetter(text: string): string {
  let end = text.length;
  while (end > 0 && !/\p{L}/u.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Two addresses that differ in their query alone have to look different. */
function withoutQuery(address: string): string {
  const [path = '', query] = address.split(/[?#]/, 2);
  // User and password have no place in an address of a client.
  const shown = path.replace(/\/\/[^/]*@/, '//…@');
  return query === undefined ? shown : `${shown}?…`;
}

/** What a stranger has written: short, as one JSON text, and without what looks like a secret or a number. */
function quoted(text: string): string {
  const short = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  return JSON.stringify(
    withoutNumbers(short.replaceAll(/mf[kt]_[\w-]*|(?=[\w-]*\d)[\w-]{20,}/g, '…')),
  );
}

function ended(reason: string): string {
  return reason.length > LONGEST_REASON ? `${reason.slice(0, LONGEST_REASON)}…` : reason;
}
