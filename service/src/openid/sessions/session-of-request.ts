import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider/lib/provider.js';
import { textMember } from '../../request/body/text-member.ts';
import type { HttpContext } from '../../request/context.ts';
import { CONFIRM_PATH, SESSIONS } from '../logout.ts';
import { PATHS } from '../provider.ts';
import { kindOf, sessionCookie, type SessionKind } from './sessions.ts';

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
 * The session that the browser of a request shows, if it is one, as the library reads it: a cookie has
 * several spellings. Later it looks at the signature.
 */
export function sharedSessionOf({ settings }: HttpContext, { provider, request, reply }: Asked) {
  const { cookies } = provider.createContext(request.raw, reply.raw);
  return cookies.get(sessionCookie(settings.publicUrl, 'shared'), { signed: false }) ?? null;
}

interface Asked {
  readonly provider: Pick<Provider, 'createContext'>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/**
 * Which of the browser's sessions a request is about: that of its client. A logout without a client is
 * of the shared one where the browser has one.
 */
export function kindOfSession(context: HttpContext, asked: Asked): SessionKind {
  const { query, routeOptions } = asked.request;
  const { clients } = context.services;
  const asking = textMember(query, 'client_id');
  if (routeOptions.url === PATHS.authorization) return kindOf(clients, asking);
  if (routeOptions.url === CONFIRM_PATH) {
    return textMember(query, SESSIONS) === 'shared' ? 'shared' : 'own';
  }
  if (routeOptions.url !== PATHS.end_session) return 'own';
  const client = asking === '' ? audienceOf(textMember(query, 'id_token_hint')) : asking;
  if (client !== '') return kindOf(clients, client);
  return sharedSessionOf(context, asked) === null ? 'own' : 'shared';
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
