import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider/lib/provider.js';
import { textMember } from '../../request/body/text-member.ts';
import type { HttpContext } from '../../request/context.ts';
import { memberOf } from '../../values/member.ts';
import { CONFIRM_PATH, SESSIONS } from '../logout.ts';
import { PATHS } from '../provider.ts';
import { payloadOf } from '../records.ts';
import { kindOf, SESSION_MODELS, sessionCookie, type SessionKind } from './sessions.ts';

/** Without single sign-on whoever signed in before has to do so again. */
export function withoutSession(header: string, publicUrl: string): string {
  const session = sessionCookie(publicUrl, 'own');
  return header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => !pair.startsWith(`${session}=`) && !pair.startsWith(`${session}.sig=`))
    .join('; ');
}

/**
 * The session of a kind that the browser of a request shows, if it is one, as the library reads it: a cookie has
 * several spellings. Later it looks at the signature.
 */
export function sessionOf(
  { settings }: HttpContext,
  { provider, request, reply }: Asked,
  kind: SessionKind,
): string | null {
  const { cookies } = provider.createContext(request.raw, reply.raw);
  return cookies.get(sessionCookie(settings.publicUrl, kind), { signed: false }) ?? null;
}

export interface Asked {
  readonly provider: Pick<Provider, 'createContext'>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Which of the browser's sessions a request is about: that of its client. A logout without a client is
 * of the shared one where the browser has one, and so is that of a client which has a part in it, but
 * `sso` no more.
 */
export async function kindOfSession(context: HttpContext, asked: Asked): Promise<SessionKind> {
  const { query, routeOptions } = asked.request;
  const { clients } = context.services;
  const asking = textMember(query, 'client_id');
  if (routeOptions.url === PATHS.authorization) return kindOf(clients, asking);
  if (routeOptions.url === CONFIRM_PATH) {
    return textMember(query, SESSIONS) === 'shared' ? 'shared' : 'own';
  }
  if (routeOptions.url !== PATHS.end_session) return 'own';
  const client = asking === '' ? audienceOf(textMember(query, 'id_token_hint')) : asking;
  const isShared = sessionOf(context, asked, 'shared') !== null;
  if (client === '') return isShared ? 'shared' : 'own';
  const kind = kindOf(clients, client);
  if (kind === 'shared' || !isShared || (await hasPart(context, asked, 'own', client))) return kind;
  return (await hasPart(context, asked, 'shared', client)) ? 'shared' : 'own';
}

/** Whether the client has had something of the browser's session. */
async function hasPart(context: HttpContext, asked: Asked, kind: SessionKind, client: string) {
  const id = sessionOf(context, asked, kind) ?? '';
  const found = await context.services.store.findOpenid({ model: SESSION_MODELS[kind], id });
  const session = payloadOf(found, context.clock);
  return memberOf(memberOf(session, 'authorizations'), client) !== undefined;
}

/** Of an ID token that the library checks later; empty for what is none. */
function audienceOf(token: string): string {
  const [, payload = ''] = token.split('.');
  try {
    return textMember(JSON.parse(Buffer.from(payload, 'base64url').toString()), 'aud');
  } catch {
    return '';
  }
}
