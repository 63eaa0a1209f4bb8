import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { OPERATOR, type OperatorFault, type OperatorFrame } from '@miftah/pages/operator';
import { parseNationalId } from '../account/user.ts';
import { cookieValues } from '../request/caller/browser-cookie.ts';
import { languageLinks, pageLocale } from '../request/answer/page-locale.ts';
import { textMember } from '../request/body/text-member.ts';
import type { Secret } from '../values/secret.ts';
import type { Locale } from '../values/locale.ts';
import type { Ms } from '../values/time.ts';
import type { OperatorContext, OperatorPeople } from './operator-context.ts';
import { mayActAs, roleIn, type Role } from '../values/operator-role.ts';
import { isFormToken, readSession, type ProvenPerson, type Session } from './sessions.ts';

/** A request that is answered with a page that says why. */
export class OperatorRefusal extends Error {
  readonly fault: OperatorFault;
  readonly shown: ShownRefusal;

  constructor(fault: OperatorFault, shown: ShownRefusal = {}) {
    super(fault);
    this.name = 'OperatorRefusal';
    this.fault = fault;
    this.shown = shown;
  }
}

interface ShownRefusal {
  /** Where the request does not name one, such as that which a provider leads back with. */
  readonly locale?: Locale;
  readonly subject?: string;
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
      else requireNoNumber(request);
      return answer(visit);
    },
  });
}

/** @throws OperatorRefusal `no_session` */
export async function visitOf(
  { store, clock, url, people }: OperatorContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visit> {
  const now = clock.now();
  const sessions = await sessionsOf(store, valuesOf(request, 'miftah_operator', url), now);
  const [only, ...others] = sessions;
  const session =
    only === undefined || others.length > 0 ? null : withRoleOfNow(only.session, people);
  if (only === undefined || session === null) throw new OperatorRefusal('no_session');
  const { cookie } = only;
  const frame = {
    locale: pageLocale(request),
    languageLinks: request.method === 'GET' ? languageLinks(request) : undefined,
    role: session.role,
    formToken: session.formToken,
  };
  return { request, reply, now, session, cookie, frame };
}

/** Another port of this host can set a cookie of this name. Its value finds no session and is passed over. */
async function sessionsOf(store: OperatorContext['store'], cookies: readonly string[], now: Ms) {
  const found: { readonly cookie: string; readonly session: Session }[] = [];
  for (const cookie of cookies.slice(0, MOST_COOKIES)) {
    const session = await readSession(store, cookie, now);
    if (session !== null) found.push({ cookie, session });
  }
  return found;
}

/** More are not looked up: each costs a read. Whoever sets more keeps the session from its pages. */
const MOST_COOKIES = 4;

/**
 * What somebody may do now; null for nothing. Neither the subject of another provider counts nor the
 * groups of another claim, which a session of before a change has.
 */
export function roleOf(
  { issuer, roles }: OperatorPeople,
  { issuer: from, subject, claim, groups }: ProvenPerson,
): Role | null {
  const now = roles();
  return from === issuer ? roleIn(now, subject, claim === now.claim ? groups : []) : null;
}

/**
 * A role may have been taken away since the sign-in. A session that began by a link does not count
 * where a provider signs operators in, nor the other way round.
 */
function withRoleOfNow(session: Session, people: OperatorContext['people']): Session | null {
  const { proven } = session;
  if ((people === null) !== (proven === null)) return null;
  if (people === null || proven === null) return session;
  const role = roleOf(people, proven);
  return role === null ? null : { ...session, role };
}

/**
 * An address is kept by browsers and by logs of proxies, and the links of a page repeat it. So a
 * national id is looked for by POST alone, also where it is typed into a field for something else.
 */
function requireNoNumber({ query }: FastifyRequest): void {
  const values = Object.values(query ?? {}).flat();
  if (values.some((value) => parseNationalId(String(value).trim()) !== null)) {
    throw new OperatorRefusal('number_in_address');
  }
}

function requireOwnForm(context: OperatorContext, { request, session }: Visit): void {
  requireOwnOrigin(context, request);
  if (!isFormToken(session, textMember(request.body, 'form_token'))) {
    throw new OperatorRefusal('wrong_form');
  }
}

/**
 * A page of another site, or of another port of this machine, could post its own form here with the
 * operator's browser. A browser says where a form comes from, by one header or the other.
 */
export function requireOwnOrigin(
  { url }: Pick<OperatorContext, 'url'>,
  { headers }: Pick<FastifyRequest, 'headers'>,
): void {
  const { origin, host = '', 'sec-fetch-site': site } = headers;
  const own = [url, `${isEncrypted(url) ? 'https' : 'http'}://${host}`];
  const isOwn = site === undefined ? own.includes(origin ?? '') : site === 'same-origin';
  if (!isOwn) throw new OperatorRefusal('wrong_form');
}

const isEncrypted = (url: string) => url.startsWith('https:');

/**
 * With `__Host-` no other host of the domain can set it (RFC 6265bis section 4.1.3.2). Browsers take
 * that name only where the connection is encrypted, and not all of them count the own machine as
 * such, so over http, which is refused elsewhere, it has a plain name and the path of these pages.
 */
const nameOf = (cookie: Cookie, url: string) => (isEncrypted(url) ? `__Host-${cookie}` : cookie);

/** A session, and a sign-in that is under way at the provider. */
export type Cookie = 'miftah_operator' | 'miftah_operator_sign_in';

/** The value of a cookie; '' where there is none, or several. */
export function cookieOf(...given: Parameters<typeof valuesOf>): string {
  const [value = '', ...others] = valuesOf(...given);
  return others.length === 0 ? value : '';
}

function valuesOf({ headers }: FastifyRequest, cookie: Cookie, url: string): readonly string[] {
  return cookieValues(headers.cookie ?? '', nameOf(cookie, url));
}

/** A browser that opens its old tabs again keeps the cookies that have no end. */
const SIGN_IN_SECONDS = 900;

/**
 * `Strict` for a session, because no other site leads into one; `Lax` for a sign-in, to which the
 * provider leads back. @param secret null ends the cookie
 */
export function setCookie(
  reply: FastifyReply,
  url: string,
  cookie: Cookie,
  secret: Secret | null,
): void {
  const place = isEncrypted(url) ? 'Path=/; Secure' : `Path=${OPERATOR}`;
  const isSession = cookie === 'miftah_operator';
  const site = isSession ? 'Strict' : 'Lax';
  const end = secret === null ? '; Max-Age=0' : isSession ? '' : `; Max-Age=${SIGN_IN_SECONDS}`;
  const value = `${nameOf(cookie, url)}=${secret?.reveal() ?? ''}`;
  reply.header('set-cookie', `${value}; ${place}; HttpOnly; SameSite=${site}${end}`);
}
