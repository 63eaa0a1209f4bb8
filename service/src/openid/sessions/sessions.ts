import type {
  Context,
  OidcContext,
  Provider,
  Session,
  SessionFollows,
} from 'oidc-provider/lib/provider.js';
import { InvalidRequest } from 'oidc-provider/lib/helpers/errors.js';
import type { Clients } from '../../account/clients.port.ts';
import { SHARED_SESSION } from '../../account/openid-client.ts';
import type { Clock } from '../../platform/runtime.port.ts';
import type { HttpContext } from '../../request/context.ts';
import { HOUR_MS, SECOND_MS, type Ms } from '../../values/time.ts';
import { acrOf, wantedAcr } from '../claims.ts';
import { hasHeld, makeHeld } from '../held-changes.ts';
import { endGrant, orUnavailable, SESSION } from '../records.ts';

/**
 * Which sessions a provider of the library keeps: `own` is of one sign-in, for its logout alone, and
 * `shared` is of all clients that have `sso` in the clients file. Each has a cookie of its own, so no
 * client without `sso` gives or takes one that others share, nor ends it.
 */
export type SessionKind = 'own' | 'shared';

/** That of a client. One that is not there shares none. */
export function kindOf(clients: Clients, client: string): SessionKind {
  return clients.find(client)?.openid?.singleSignOn === true ? 'shared' : 'own';
}

/** The names under which the store keeps them. */
export const SESSION_MODELS = { own: SESSION, shared: SHARED_SESSION } as const;

/** The names of their cookies. What is shared may be set by no other host of the domain. */
export function sessionCookie(publicUrl: string, kind: SessionKind): string {
  const isEncrypted = publicUrl.startsWith('https:');
  if (kind === 'shared') return `${isEncrypted ? '__Host-' : ''}miftah_sso`;
  return `${isEncrypted ? '__Secure-' : ''}miftah_session`;
}

/** In seconds, of one that serves a logout: as long as what its sign-in gave is good. */
const OWN_SECONDS = 900;

/** So long a code is good. */
export const CODE_SECONDS = 60;

/**
 * A working day. It counts from the sign-in on, and no use prolongs it: whoever finds the browser, or
 * has copied its cookie, is asked again after that.
 */
const SHARED_MS: Ms = 8 * HOUR_MS;

/** @param longestMs an API token of the same sign-in would be good for no longer */
export function sessionSeconds(kind: SessionKind, clock: Clock, longestMs: Ms) {
  return (_context: Context, { loginTs = 0 }: Pick<Session, 'loginTs'>): number => {
    if (kind === 'own') return OWN_SECONDS;
    const leftMs = loginTs * SECOND_MS + Math.min(SHARED_MS, longestMs) - clock.now();
    return Math.max(Math.floor(leftMs / SECOND_MS), 1);
  };
}

/** Of the grants that clients had before their last ones. More than the tabs that a browser opens at once. */
export const MOST_EARLIER = 48;

/** Of what a logout keeps, in characters: its address, its `state` and its secret. */
const LONGEST_STATE = 4096;

/** What the library keeps of a session, with what is ours. */
const OWN_MEMBERS = ['begunFor', 'earlier', 'follows'];

type Needs = Pick<HttpContext, 'clock' | 'settings'> & {
  readonly services: Pick<HttpContext['services'], 'store'>;
};

/** Sessions as they are kept here, in the place of the library's. */
export function addSessions(
  provider: Provider,
  kind: SessionKind,
  { settings, clock, services }: Needs,
): void {
  const issuer = settings.publicUrl;
  const { Session, OIDCContext } = provider;
  const { save: saveAnew, grantIdFor } = Session.prototype;
  Object.defineProperty(Session, 'IN_PAYLOAD', { value: [...Session.IN_PAYLOAD, ...OWN_MEMBERS] });
  Session.prototype.save = async function save(this: Session, seconds: number) {
    const follows = followedBy(this, kind);
    if (follows === null) {
      // Nobody has signed in.
      this.touched = false;
      await orUnavailable(makeHeld(services.store));
      return '';
    }
    this.follows = follows;
    // The library would remove the one of before first, and write this one whatever comes between.
    this.oldId = undefined;
    this.earlier = await remembered(this.earlier, { clock, services });
    const isLast = hasHeld();
    try {
      return await saveAnew.call(this, seconds);
    } catch (error) {
      // What comes before it was not written: the library would go on with the session alone.
      if (isLast) this.touched = false;
      // What a logout needs does not fit: it ends this session all the same. Not where the request
      // itself is too long: another site could so have the person signed out without a question.
      if (this.state === undefined || this.hasGiven === true) throw error;
      if (JSON.stringify(this.state).length > LONGEST_STATE) throw error;
      if (!(error instanceof InvalidRequest)) throw error;
      this.isFull = true;
      return '';
    }
  };
  Session.prototype.grantIdFor = function keepBoth(this: Session, clientId, grantId) {
    const before = grantIdFor.call(this, clientId);
    if (grantId !== undefined && before !== undefined && before !== grantId) {
      const until = clock.now() + OWN_SECONDS * SECOND_MS;
      this.earlier = [...(this.earlier ?? []), { grantId: before, until }];
    }
    if (grantId !== undefined) this.hasGiven = true;
    return grantIdFor.call(this, clientId, grantId);
  };
  Session.prototype.past = function isPast(this: Session, age: number | string) {
    const { loginTs = 0 } = this;
    const passed = Math.floor(clock.now() / SECOND_MS) - loginTs;
    // The library lets a sign-in of the same second do for `max_age=0`.
    return Number(age) === 0 || passed > Number(age);
  };
  // A session has the level of its person, and each request is told what it insists on of that.
  Object.defineProperty(OIDCContext.prototype, 'acr', {
    get(this: OidcContext) {
      const own = this.session?.acr;
      if (own === undefined) return undefined;
      return acrOf(issuer, levelOf(own), wantedAcr(this.params?.['claims']));
    },
  });
}

/** Those that may still be good. Where there are too many, the oldest end: the session will not. */
async function remembered(
  earlier: Session['earlier'] = [],
  { clock, services }: Pick<Needs, 'clock' | 'services'>,
): Promise<Session['earlier']> {
  const now = clock.now();
  const good = earlier.filter(({ until }) => until > now);
  const kept = good.slice(-MOST_EARLIER);
  for (const { grantId } of good.slice(0, -MOST_EARLIER)) {
    await endGrant(services.store, grantId, clock);
  }
  return kept;
}

/**
 * Whether one more grant for this client would end one whose code may still be on its way: a code that
 * was given is good for as long as codes are.
 */
export function hasNoPlace({ earlier = [], authorizations }: Session, client: string, now: Ms) {
  if (authorizations?.[client]?.grantId === undefined) return false;
  const [oldest] = earlier.slice(-MOST_EARLIER);
  const replacedAt = (oldest?.until ?? 0) - OWN_SECONDS * SECOND_MS;
  return earlier.length >= MOST_EARLIER && replacedAt + CODE_SECONDS * SECOND_MS > now;
}

/** Of an `acr` of ours; 0 for one of others. */
export function levelOf(acr: string): number {
  return Number(/\/acr\/(\d+)$/.exec(acr)?.[1] ?? 0);
}

/**
 * The record that has to be there when a session is written: of a new one the grant of its sign-in, and
 * else the one that was read. So neither a logout nor a revocation is undone by a request beside it.
 */
function followedBy(session: Session, kind: SessionKind): SessionFollows | null {
  const { accountId, authorizations = {}, begunFor, exp, oldId, id } = session;
  if (accountId === undefined) return null;
  // Of a sign-in that its client has not taken, such as one of somebody else, there is none to share.
  if (kind === 'shared' && begunFor === undefined) return null;
  if (exp !== undefined) return { kept: oldId ?? id };
  const grantId = Object.values(authorizations).at(-1)?.grantId;
  return grantId === undefined ? null : { grant: grantId };
}
