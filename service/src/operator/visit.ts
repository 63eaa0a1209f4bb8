import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OPERATOR, type OperatorFault, type OperatorFrame } from '@miftah/pages/operator';
import { cookieValues } from '../request/caller/browser-cookie.ts';
import { languageLinks, pageLocale } from '../request/answer/page-locale.ts';
import { textMember } from '../request/body/text-member.ts';
import type { Secret } from '../values/secret.ts';
import type { Ms } from '../values/time.ts';
import type { OperatorContext } from './operator-context.ts';
import { mayActAs, type Role } from '../values/operator-role.ts';
import { isFormToken, readSession, type Session } from './sessions.ts';

/** A request that is answered with a page that says why. */
export class OperatorRefusal extends Error {
  readonly fault: OperatorFault;

  constructor(fault: OperatorFault) {
    super(fault);
    this.name = 'OperatorRefusal';
    this.fault = fault;
  }
}

/** One request of somebody who is signed in. */
export interface Visit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly now: Ms;
  readonly session: Session;
  readonly cookie: string;
  /** What every page shows of the session. */
  readonly frame: OperatorFrame;
}

interface Door {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly role: Role;
}

/** Adds a route for sessions of this role and those above it. The role is read at each request. */
export function addVisit(
  app: FastifyInstance,
  context: OperatorContext,
  { method, url, role }: Door,
  answer: (visit: Visit) => Promise<FastifyReply>,
): void {
  app.route({
    method,
    url,
    handler: async (request, reply) => {
      const visit = await visitOf(context, request, reply);
      if (!mayActAs(visit.session.role, role)) throw new OperatorRefusal('not_allowed');
      if (method === 'POST') requireOwnForm(context, visit);
      return answer(visit);
    },
  });
}

/** @throws OperatorRefusal `no_session` */
export async function visitOf(
  { store, clock, url }: OperatorContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visit> {
  const now = clock.now();
  const values = cookieValues(request.headers.cookie ?? '', cookieName(url));
  const [cookie = ''] = values;
  const session = values.length === 1 ? await readSession(store, cookie, now) : null;
  if (session === null) throw new OperatorRefusal('no_session');
  const frame = {
    locale: pageLocale(request),
    languageLinks: request.method === 'GET' ? languageLinks(request) : undefined,
    role: session.role,
    formToken: session.formToken,
  };
  return { request, reply, now, session, cookie, frame };
}

function requireOwnForm(context: OperatorContext, { request, session }: Visit): void {
  requireOwnPage(context, request);
  if (!isFormToken(session, textMember(request.body, 'form_token'))) {
    throw new OperatorRefusal('wrong_form');
  }
}

/**
 * A page of another site, or of another port of this machine, could post its own form here with the
 * operator's browser. A browser says where a form comes from, by one header or the other.
 */
export function requireOwnPage({ url }: OperatorContext, { headers }: FastifyRequest): void {
  const { origin, host = '', 'sec-fetch-site': site } = headers;
  const own = [url, `http://${host}`, `https://${host}`];
  const isOwn = site === undefined ? own.includes(origin ?? '') : site === 'same-origin';
  if (!isOwn) throw new OperatorRefusal('wrong_form');
}

const isEncrypted = (url: string) => url.startsWith('https:');

/**
 * With `__Host-` no other host of the domain can set it (RFC 6265bis section 4.1.3.2). Browsers take
 * that name only where the connection is encrypted, and not all of them count the own machine as
 * such, so over http, which is refused elsewhere, it has a plain name and the path of these pages.
 */
function cookieName(url: string): string {
  return isEncrypted(url) ? '__Host-miftah_operator' : 'miftah_operator';
}

/** `Strict`, because no other site leads into a session. It ends with the browser at the latest. */
export function setCookie(reply: FastifyReply, url: string, secret: Secret | null): void {
  const place = isEncrypted(url) ? 'Path=/; Secure' : `Path=${OPERATOR}`;
  const end = secret === null ? '; Max-Age=0' : '';
  const value = `${cookieName(url)}=${secret?.reveal() ?? ''}`;
  reply.header('set-cookie', `${value}; ${place}; HttpOnly; SameSite=Strict${end}`);
}
