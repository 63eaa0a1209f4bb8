import { parseNationalId } from '../account/user.ts';
import { parseActor, textOfActor, type ActorText, type Reason } from '../audit/act.ts';
import { parseDigest, sameDigest, Secret, digestOf, type Digest } from '../values/secret.ts';
import { memberOf } from '../values/member.ts';
import { HOUR_MS, MINUTE_MS, type Ms } from '../values/time.ts';
import type { Random } from '../platform/runtime.port.ts';
import type { OpenidRecord, OpenidRecords, Store } from '../store/ports/store.port.ts';
import { parseRole, type Role } from '../values/operator-role.ts';

export const LINK_MS = 5 * MINUTE_MS;
/** A session ends when it is not used for so long. */
export const IDLE_MS = 15 * MINUTE_MS;
/** And so long after its beginning, however much it is used. */
export const SESSION_MS = 8 * HOUR_MS;
/** Its last use is written once in this time, so that not every page costs a write. */
const SEEN_EVERY_MS = MINUTE_MS;

const SECRET_BYTES = 32;
const SECRET_FORM = /^[\w-]{43}$/;

/**
 * Links and sessions are records like those of the OpenID Provider: found by a digest, sealed, ended
 * in one statement, purged when they have expired, and shared by the instances of one database.
 */
const LINK = 'OperatorLink';
const SESSION = 'OperatorSession';
/**
 * The last use of a session is a record beside it. A request that is under way while the session
 * ends writes this one alone, which is nothing without the other.
 */
const SEEN = 'OperatorSeen';

type Records = Pick<OpenidRecords, 'putOpenid' | 'findOpenid' | 'consumeOpenid' | 'removeOpenid'>;

/** Somebody whom the provider of the operators has signed in. */
export interface ProvenPerson {
  /** Another provider may call somebody else so. */
  readonly issuer: string;
  readonly subject: string;
  /** The name of the claim that the groups are from; null for none. */
  readonly claim: string | null;
  readonly groups: readonly string[];
}

/** Who is in a session, as its record has it. */
interface Person {
  readonly role: Role;
  readonly actor: ActorText;
  /** Null for a session by link, whose role is that of the link. */
  readonly proven: ProvenPerson | null;
}

export interface Session extends Person {
  /** Names the session in the count of its searches. Nobody finds the secret from it. */
  readonly id: Digest;
  /** Posted with each form of the session: another site can't know it. */
  readonly formToken: Digest;
}

interface Tools {
  readonly store: Store;
  readonly random: Random;
}

/** A link that signs in once. The row of the audit log comes first, so that no link is without one. */
export async function makeLink(
  { store, random }: Tools,
  { role, maker }: { readonly role: Role; readonly maker: ActorText },
  now: Ms,
): Promise<Secret> {
  const secret = newSecret(random);
  await store.recordEvent({ at: now, action: 'operator.link_made', detail: role });
  // Whoever uses the link is known by who has made it.
  const actor = textOfActor({ kind: 'operator', subject: LINK_OF + maker });
  const person = { role, actor, proven: null };
  await store.putOpenid(recordOf(LINK, secret, { ...person, expiresAt: now + LINK_MS }));
  return secret;
}

/**
 * `NOT_BEGUN_HERE`: a return without the cookie of a sign-in, or to another one. `NO_SUBJECT`: the
 * provider calls somebody by a name that the audit log can't have.
 */
export type SignInFault = 'NOT_BEGUN_HERE' | 'NO_SUBJECT';

export class SignInRefused extends Error {
  readonly code: SignInFault;

  constructor(code: SignInFault) {
    super(code);
    this.code = code;
  }
}

/**
 * The actor of what somebody does whom the provider has signed in. Nobody is called like a session by
 * link, and no national id stays in the audit log. @throws SignInRefused `NO_SUBJECT`
 */
export function actorOf({ subject }: ProvenPerson): ActorText {
  const actor = parseActor(`operator:${subject}`);
  const isOther = subject.startsWith(LINK_OF) || parseNationalId(subject.trim()) !== null;
  if (actor === null || isOther) throw new SignInRefused('NO_SUBJECT');
  return actor;
}

const LINK_OF = 'link of ';

/** The store for what somebody in a session does: their name is in each row of the audit log. */
export function storeOf(
  store: Store,
  { actor }: Pick<Session, 'actor'>,
  reason: Reason | null = null,
): Store {
  return store.by({ actor, reason });
}

/**
 * Begins a session for a link; null for one that is unknown, used or expired. One statement decides
 * which of several redemptions at once is the first. The session is written before it: what ends all
 * sessions and links meanwhile ends this one, or leaves no link to consume.
 */
export async function redeemLink(
  { store, random }: Tools,
  link: string,
  now: Ms,
): Promise<Secret | null> {
  const person = await personOf(store, LINK, link, now);
  if (person === null) return null;
  const session = await writeSession({ store, random }, person, now);
  if (!(await store.consumeOpenid({ model: LINK, id: link }, now))) {
    await removeSession(store, session.reveal());
    return null;
  }
  await recordSignIn(store, person, now);
  return session;
}

export async function beginSession(
  { store, random }: Tools,
  person: Person,
  now: Ms,
): Promise<Secret> {
  await recordSignIn(store, person, now);
  return writeSession({ store, random }, person, now);
}

function recordSignIn(store: Store, person: Person, now: Ms): Promise<unknown> {
  const event = { at: now, action: 'operator.signed_in', detail: person.role } as const;
  return storeOf(store, person).recordEvent(event);
}

async function writeSession({ store, random }: Tools, person: Person, now: Ms): Promise<Secret> {
  const secret = newSecret(random);
  await store.putOpenid(recordOf(SEEN, secret, { ...person, expiresAt: now + IDLE_MS }));
  await store.putOpenid(recordOf(SESSION, secret, { ...person, expiresAt: now + SESSION_MS }));
  return secret;
}

/** The session of a cookie; null where there is none that goes on. */
export async function readSession(
  store: Records,
  cookie: string,
  now: Ms,
): Promise<Session | null> {
  const person = await personOf(store, SESSION, cookie, now);
  if (person === null) return null;
  const seen = await store.findOpenid({ model: SEEN, id: cookie });
  const idleAt = seen?.expiresAt ?? 0;
  if (idleAt <= now) return null;
  if (idleAt - now < IDLE_MS - SEEN_EVERY_MS) {
    const next = { ...person, expiresAt: now + IDLE_MS };
    await store.putOpenid(recordOf(SEEN, new Secret(cookie), next));
  }
  return { ...person, ...namesOf(cookie) };
}

export async function endSession(
  store: Tools['store'],
  cookie: string,
  session: Session,
  now: Ms,
): Promise<void> {
  await removeSession(store, cookie);
  const event = { at: now, action: 'operator.signed_out', detail: session.role } as const;
  await storeOf(store, session).recordEvent(event);
}

async function removeSession(store: Records, cookie: string): Promise<void> {
  await store.removeOpenid({ model: SESSION, id: cookie });
  await store.removeOpenid({ model: SEEN, id: cookie });
}

/** Compared in constant time. */
export function isFormToken({ formToken }: Session, text: string): boolean {
  const given = parseDigest(text);
  return given !== null && sameDigest(given, formToken);
}

function namesOf(cookie: string): Pick<Session, 'id' | 'formToken'> {
  return {
    id: digestOf('operator', `session ${cookie}`),
    formToken: digestOf('operator', `form ${cookie}`),
  };
}

async function personOf(
  store: Records,
  model: string,
  id: string,
  now: Ms,
): Promise<Person | null> {
  if (!SECRET_FORM.test(id)) return null;
  const found = await store.findOpenid({ model, id });
  const isOver = found === null || found.consumedAt !== null || (found.expiresAt ?? 0) <= now;
  return isOver ? null : personIn(found.body);
}

function personIn(body: string): Person | null {
  const value: unknown = JSON.parse(body);
  const [role, actor] = [parseRole(textIn(value, 'role')), parseActor(textIn(value, 'actor'))];
  if (role === null || actor === null) return null;
  const proven = memberOf(value, 'proven');
  return { role, actor, proven: isProven(proven) ? proven : null };
}

function textIn(value: unknown, name: string): string {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : '';
}

function isProven(value: unknown): value is ProvenPerson {
  const isText = (name: string) => typeof memberOf(value, name) === 'string';
  const hasClaim = isText('claim') || memberOf(value, 'claim') === null;
  return (
    isText('issuer') && isText('subject') && hasClaim && Array.isArray(memberOf(value, 'groups'))
  );
}

function newSecret(random: Random): Secret {
  return new Secret(Buffer.from(random.bytes(SECRET_BYTES)).toString('base64url'));
}

function recordOf(
  model: string,
  secret: Secret,
  { expiresAt, ...person }: Person & { readonly expiresAt: Ms },
): OpenidRecord {
  const ofNobody = { grant: null, subject: null, client: null, attemptId: null };
  const { role, actor, proven } = person;
  const body = JSON.stringify({ role, actor, proven });
  return { model, id: secret.reveal(), body, ...ofNobody, expiresAt };
}
