import {
  contentSecurityPolicy,
  endedPage,
  logoutPage,
  redirectHeader,
  redirectPage,
  type FormAction,
  type Page,
} from '@miftah/pages';
import type {
  BackchannelLogout,
  Context,
  OidcClient,
  Provider,
  Session,
} from 'oidc-provider/lib/provider.js';
import { InvalidRequest } from 'oidc-provider/lib/helpers/errors.js';
import redirectUri from 'oidc-provider/lib/helpers/redirect_uri.js';
import type { Clients } from '../account/clients.port.ts';
import { textMember } from '../request/body/text-member.ts';
import type { Mode } from '../values/store-binding.ts';
import { memberOf } from '../values/member.ts';
import { linksOf, localeOf, LOGOUT_PATH, SIMULATOR_PLACES } from './error-page.ts';
import { isLogoutOver, logOf, logUntold } from './refused.ts';
import type { SessionKind } from './sessions/sessions.ts';

export const CONFIRM_PATH = `${LOGOUT_PATH}/confirm`;
/** In the address of the confirming form: which of the browser's sessions it ends. */
export const SESSIONS = 'sessions';
export const SIGNED_OUT_PATH = `${LOGOUT_PATH}/success`;

export interface LogoutParts {
  readonly clients: Clients;
  /** The `sub` by which a client knows a person. */
  readonly subjectFor: (account: string, client: OidcClient) => Promise<string>;
  readonly sessions: SessionKind;
  /** Whether the session of this id has ended by this call, and not before. */
  readonly endSession: (id: string) => Promise<boolean>;
  /** Answers in the place of what failed. */
  readonly showError: (context: Context, error: unknown) => void;
}

/** Pages of ours in the place of the library's, and no page where nothing has to be asked. */
export function addLogout(provider: Provider, parts: LogoutParts): void {
  takeIdTokensAlone(provider.IdToken);
  const { backchannelLogout: tell } = provider.Client.prototype;
  provider.Client.prototype.tellOfEnd = tell;
  // The library tells clients before the session ends: one that does not answer would prolong it.
  provider.Client.prototype.backchannelLogout = async () => undefined;
  const ended = new WeakSet<Session>();
  provider.Session.prototype.destroy = async function end(this: Session) {
    if (await parts.endSession(this.id)) ended.add(this);
    this.destroyed = true;
  };
  provider.use(async (context, next) => {
    if (!context.path.startsWith(LOGOUT_PATH)) return next();
    try {
      await next();
      if (context.path === CONFIRM_PATH && isLogoutOver(context)) {
        context.status = 303;
        context.redirect(signedOut(context));
        return;
      }
      if (context.status >= 400) return;
      if (context.path === LOGOUT_PATH) await askOrEnd(context, parts);
      const { session } = context.oidc;
      if (session !== undefined && ended.has(session)) await tellOfLogout(context, session, tell);
      if (context.path === CONFIRM_PATH) leadOn(context);
    } catch (error) {
      parts.showError(context, error);
    }
  });
}

/**
 * A logout token has the same signature, client and person, and an application may log what it was sent:
 * as an `id_token_hint` the library would take it for an ID token, of which none has a type.
 */
function takeIdTokensAlone(idToken: Provider['IdToken']): void {
  const validate = idToken.validate.bind(idToken);
  idToken.validate = async (token, client) => {
    const read = await validate(token, client);
    if (read.header.typ !== undefined) throw new InvalidRequest('id_token_hint is no ID token');
    return read;
  };
}

/**
 * The person is asked whether what their last sign-in in this browser gave shall end, unless there is
 * nothing, the application shows an ID token of that sign-in's person (section 2), or the session has
 * no place for the question.
 */
async function askOrEnd(context: Context, parts: LogoutParts): Promise<void> {
  const { session, provider, client: asking } = context.oidc;
  if (session === undefined) return;
  // As it was sent: the library has left it out already.
  const after = textMember(context.query, 'post_logout_redirect_uri');
  // Of no client there is a list that could have it, and the page says nothing of it to the person.
  if (after !== '' && asking === undefined) {
    const reason = 'post_logout_redirect_uri is left out: send id_token_hint or client_id with it';
    logOf(context)?.info({ reason }, 'an OpenID logout leads back to nobody');
  }
  const ends = session.isFull === true ? [] : Object.keys(session.authorizations ?? {});
  if (ends.length > 0 && !(await isOfHint(context, session, parts))) {
    const client = ends.length > 1 ? null : parts.clients.find(ends[0] ?? '');
    const locale = localeOf(context);
    const page = logoutPage({
      locale,
      languageLinks: linksOf(context, [LOGOUT_PATH]),
      action: `${CONFIRM_PATH}?ui_locales=${locale}&${SESSIONS}=${parts.sessions}`,
      secret: session.state?.secret ?? '',
      service: client?.name ?? null,
      isOfSeveral: ends.length > 1,
    });
    show(context, page, 'self');
    return;
  }
  await session.destroy();
  context.cookies.set(provider.cookieName('session'), null, { signed: true, overwrite: true });
  const { postLogoutRedirectUri, state } = session.state ?? {};
  context.status = 303;
  context.redirect(
    postLogoutRedirectUri === undefined
      ? `${provider.issuer}${signedOut(context)}`
      : redirectUri(postLogoutRedirectUri, state === undefined ? {} : { state }),
  );
}

/** By back-channel logout, once the session has ended. */
export async function tellOfLogout(
  context: Context,
  session: Session,
  tell: BackchannelLogout,
): Promise<void> {
  const { provider } = context.oidc;
  const { accountId, authorizations = {} } = session;
  if (accountId === undefined) return;
  const told = Object.keys(authorizations).map(async (id) => {
    const client = await provider.Client.find(id);
    if (client?.backchannelLogoutUri === undefined) return;
    await tell
      .call(client, accountId, session.sidFor(id))
      .catch((error: unknown) => logUntold(logOf(context), id, 'logout', error));
  });
  await Promise.all(told);
}

async function isOfHint(
  { oidc: { client, entities } }: Context,
  { accountId, authorizations }: Session,
  { subjectFor }: LogoutParts,
): Promise<boolean> {
  const named = memberOf(memberOf(entities['IdTokenHint'], 'payload'), 'sub');
  if (client === undefined || accountId === undefined || named === undefined) return false;
  if (authorizations?.[client.clientId] === undefined) return false;
  return named === (await subjectFor(accountId, client));
}

/** A redirect that answers a form is held to the policy of the form's page: a page leads on. */
function leadOn(context: Context): void {
  const address = context.response.get('location');
  const { session, client } = context.oidc;
  const listed = session?.state?.postLogoutRedirectUri;
  // The operator may have removed it since the page was shown.
  if (listed === undefined || client?.postLogoutRedirectUriAllowed(listed) !== true) {
    context.redirect(signedOut(context));
    return;
  }
  context.status = 200;
  context.remove('location');
  context.set('refresh', redirectHeader(address));
  show(context, redirectPage({ locale: localeOf(context), address }), 'none');
}

const signedOut = (context: Context) => `${SIGNED_OUT_PATH}?ui_locales=${localeOf(context)}`;

/** Where no address of an application was named, or none that is known. */
export function showSignedOut(context: Context, mode: Mode): void {
  const places = mode === 'simulator' ? SIMULATOR_PLACES : [];
  const languageLinks = linksOf(context, [SIGNED_OUT_PATH]);
  show(
    context,
    endedPage({ locale: localeOf(context), kind: 'signed_out', languageLinks, places }),
    'none',
  );
}

function show(context: Context, page: Page, formAction: FormAction): void {
  context.type = 'html';
  context.set(
    'content-security-policy',
    contentSecurityPolicy({ formAction, script: page.script }),
  );
  context.body = page.html;
}
