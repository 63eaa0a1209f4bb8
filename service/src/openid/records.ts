import {
  AccessDenied,
  InvalidClientAuth,
  InvalidGrant,
  InvalidRequest,
  SessionNotFound,
  TemporarilyUnavailable,
} from 'oidc-provider/lib/helpers/errors.js';
import { clientInScope } from '../attempt/scenario.ts';
import type { Clients } from '../account/clients.port.ts';
import { SHARED_SESSION, TOLD_AT_END, WHO_IS_HINTED } from '../account/openid-client.ts';
import { Refusal } from '../errors/refusal.ts';
import type { Clock } from '../platform/runtime.port.ts';
import type {
  Followed,
  FoundOpenid,
  OpenidName,
  OpenidRecord,
  OpenidRecords,
} from '../store/ports/store.port.ts';
import { memberOf } from '../values/member.ts';
import { digestOf } from '../values/secret.ts';
import { HOUR_MS, SECOND_MS, type Ms } from '../values/time.ts';
import { clientRecords } from './clients/client-records.ts';
import { hasHeld, hold, holdFirst, knownAs, makeHeld } from './held-changes.ts';

/** Characters: as much as a request of the attempt API may have. The library would keep four times that. */
const LONGEST_BODY = 16 * 1024;
/** What a request of CIBA gets when its person has approved. */
const ADDED_LATER = 512;

type Payload = Readonly<Record<string, unknown>>;

interface RecordNeeds {
  readonly store: OpenidRecords;
  readonly clients: Clients;
  readonly clock: Clock;
  /** The name under which sessions are kept. */
  readonly sessions: SessionModel;
  /** How long a client may keep a person signed in. */
  readonly tokenLifetimeMs: Ms;
}

type SessionModel = typeof SESSION | typeof SHARED_SESSION;

/** The name of the library's model of what a client gets new tokens with. */
const REFRESH_TOKEN = 'RefreshToken';

/** The name of the library's model of an assertion by which a client has proved who it is. */
const USED_ASSERTION = 'ReplayDetection';

/** The name of the library's model of what a person has begun to sign in for. */
export const INTERACTION = 'Interaction';

/** The name of the library's model of what a back end asks a person for. */
export const BACKCHANNEL_REQUEST = 'BackchannelAuthenticationRequest';

/** How long one that is over is still known, so that its client is told so. */
export const KNOWN_MS = HOUR_MS;

/** The names of the library's models of a browser that has signed in, and of what a client was given. */
export const SESSION = 'Session';
export const GRANT = 'Grant';
const AUTHORIZATION_CODE = 'AuthorizationCode';

/** The name of the library's model of what a client asks for claims with. */
const ACCESS_TOKEN = 'AccessToken';

/** What is followed, in the same request, by a session or an access token. */
const HELD: ReadonlySet<string> = new Set([GRANT, AUTHORIZATION_CODE, BACKCHANNEL_REQUEST]);

/**
 * The name of the lock of what has this id. The ids are secrets, and instances keep the names of their
 * locks where all of them read.
 */
export function lockName(id: string): string {
  return `openid ${digestOf('openid', `lock ${id}`)}`;
}

/** What the library asks of a store, for each of its models. */
export function recordsOf({ store, clients, clock, sessions, tokenLifetimeMs }: RecordNeeds) {
  return (model: string) => {
    if (model === 'Client') return clientRecords(clients);
    const records = modelRecords(store, clock, model === SESSION ? sessions : model);
    if (model !== AUTHORIZATION_CODE && model !== BACKCHANNEL_REQUEST) return records;
    return {
      ...records,
      // First: a client that has a code is told when its sign-in is ended, whatever comes between.
      async upsert(id: string, payload: Payload, expiresIn?: number): Promise<void> {
        const told = toldAtEnd(payload, clients, clock.now() + tokenLifetimeMs);
        const isHeld = told === null || hold({ put: told }, () => ended(model));
        if (!isHeld) await orUnavailable(store.putOpenid(told));
        await records.upsert(id, payload, expiresIn);
      },
    };
  };
}

/** An outage of the store, by the error that clients know for it (RFC 6749, section 4.1.2.1). */
export async function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const error = new TemporarilyUnavailable('try again later', { cause });
    throw Object.assign(error, { status: 503, statusCode: 503 });
  }
}

/**
 * What a client is told of when an operator ends the sign-in, by the code of it or by the grant of a
 * request of CIBA. Null where nobody is told.
 */
function toldAtEnd(payload: Payload, clients: Clients, expiresAt: Ms): OpenidRecord | null {
  const grant = textIn(payload, 'grantId');
  if (grant === null) return null;
  const [client, subject] = [textIn(payload, 'clientId'), textIn(payload, 'accountId')];
  const sid = textIn(payload, 'sid');
  if (client === null || subject === null) return null;
  if ((clients.find(client)?.openid?.backchannelLogout ?? null) === null) return null;
  return {
    model: TOLD_AT_END,
    // A session may have several: each ends by itself, and a stop of the person ends all.
    id: `${client} ${grant}`,
    body: JSON.stringify({ client, subject, sid }),
    grant,
    subject,
    client: ownerOf(client),
    attemptId: null,
    expiresAt,
  };
}

function modelRecords(store: OpenidRecords, clock: Clock, model: string) {
  return {
    async upsert(id: string, payload: Payload, expiresIn?: number): Promise<void> {
      const body = bodyOf(model, payload);
      // Anybody may begin a sign-in, or push a request for a public client.
      if (body.length > longestOf(model, payload)) {
        throw new InvalidRequest('the request is too long');
      }
      const at = clock.now();
      const after = model === BACKCHANNEL_REQUEST ? KNOWN_MS / SECOND_MS : 0;
      const seconds = (expiresIn ?? LONGEST_SECONDS) + after;
      const subject = textIn(payload, 'accountId');
      const record = {
        model,
        id,
        body,
        grant: model === GRANT ? id : textIn(payload, 'grantId'),
        subject: subject === WHO_IS_HINTED ? null : subject,
        client: ownerOf(textIn(payload, 'clientId') ?? textIn(payload['params'], 'client_id')),
        // Written anew, a record keeps the one that it has.
        attemptId: null,
        // A client may say a part of a second; the store keeps whole milliseconds.
        expiresAt: at + Math.ceil(seconds * SECOND_MS),
      };
      await write(store, record, payload, at);
    },
    async find(id: string) {
      const found = knownAs(model, id) ?? (await orUnavailable(store.findOpenid({ model, id })));
      const payload = payloadOf(found, clock);
      if (model !== INTERACTION || payload === undefined) return payload;
      return { ...payload, attemptId: found?.attemptId ?? undefined };
    },
    // Of what ends with its session, and of devices that type a code: there is neither.
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    async consume(id: string): Promise<void> {
      // Of several at once one goes on, and the others are refused as a repeated code is.
      const at = clock.now();
      if (HELD.has(model) && hold({ consume: { model, id }, at }, alreadyConsumed)) return;
      const isFirst = await orUnavailable(store.consumeOpenid({ model, id }, at));
      if (isFirst) return;
      // Of two that used it at once one has stolen it, as of two that came one after the other.
      if (model === REFRESH_TOKEN) await this.endGrantOf(id);
      throw alreadyConsumed();
    },
    async endGrantOf(id: string): Promise<void> {
      const grant = textIn(await this.find(id), 'grantId');
      if (grant !== null) await this.revokeByGrantId(grant);
    },
    async destroy(id: string): Promise<void> {
      // One approval is one code, however often its end is asked for at once.
      const isDecisive = model === INTERACTION;
      if (isDecisive && hold({ remove: { model, id } }, hasEnded)) return;
      const isFirst = await orUnavailable(store.removeOpenid({ model, id }));
      if (isDecisive && !isFirst) throw hasEnded();
    },
    revokeByGrantId: (grant: string) => orUnavailable(store.removeOpenidGrant(grant, clock.now())),
  };
}

/** @throws OIDCProviderError where the record may not be written any more */
async function write(
  store: OpenidRecords,
  record: OpenidRecord,
  payload: Payload,
  at: Ms,
): Promise<void> {
  const { model, id, subject } = record;
  if (model === SESSION || model === SHARED_SESSION) {
    // Where a logout or a revocation has come first there is no session any more.
    const followed = followedBy(model, payload);
    if (!hasHeld()) return void (await orUnavailable(store.followOpenid(record, followed)));
    hold({ follow: record, followed }, null);
    return orUnavailable(makeHeld(store));
  }
  // Of a person who was stopped meanwhile the interaction is gone too: the grant says why.
  const holdThis = model === GRANT ? holdFirst : hold;
  if (HELD.has(model) && holdThis({ put: record }, () => ended(model))) return;
  if (model === ACCESS_TOKEN && hasHeld()) {
    hold({ put: record }, () => ended(model));
    return orUnavailable(makeHeld(store));
  }
  const isLasting = model === REFRESH_TOKEN && payload['rotations'] === 0;
  const user = isLasting ? await orUnavailable(store.findSubject(subject ?? '')) : null;
  const lasting = user === null ? undefined : { userId: user.id, at };
  const isWritten = await orUnavailable(store.putOpenid(record, lasting));
  if (!isWritten) throw ended(model);
  // The grant, which lasts as long from now on.
  if (isLasting) await orUnavailable(makeHeld(store));
  if (model !== USED_ASSERTION) return;
  // The library looks first and writes then: of several at once one is the first.
  const isFirst = await orUnavailable(store.consumeOpenid({ model, id }, at));
  if (!isFirst) throw new InvalidClientAuth('the assertion was used already');
}

const alreadyConsumed = () => new InvalidGrant('already consumed');

/** Told in a page: the application is led to by another request. */
export const hasEnded = () =>
  Object.assign(new SessionNotFound('the interaction has ended'), { allow_redirect: false });

/**
 * Before something is begun that the audit log has. A code keeps less of a request than this.
 * @throws InvalidRequest
 */
export function requireShort(params: Payload = {}): void {
  if (bodyOf('', params).length > LONGEST_BODY - ADDED_LATER) {
    throw new InvalidRequest('the request is too long');
  }
}

/** Of what the person's own browser is told; the others are told to back ends. */
const TOLD_IN_BROWSER: ReadonlySet<string> = new Set([GRANT, AUTHORIZATION_CODE]);

/** A revocation has ended the grant since the person approved. */
export function ended(model: string): Error {
  const what = 'the sign-in was ended meanwhile';
  return TOLD_IN_BROWSER.has(model) ? new AccessDenied(what) : new InvalidGrant(what);
}

function longestOf(model: string, { grantId }: Payload): number {
  // Each client that shares it has a part.
  if (model === SHARED_SESSION) return 4 * LONGEST_BODY;
  const isOpen = model === BACKCHANNEL_REQUEST && grantId === undefined;
  return isOpen ? LONGEST_BODY - ADDED_LATER : LONGEST_BODY;
}

/** As `addSessions` has said it. */
function followedBy(model: SessionModel, { follows }: Payload): Followed {
  const grant = textIn(follows, 'grant');
  if (grant !== null) return { model: GRANT, id: grant, stays: true };
  return { model, id: textIn(follows, 'kept') ?? '', stays: false };
}

/**
 * Ends a session, and with it what its sign-in gave: but not what a client has without the person.
 * @returns whether it has not ended before: of several logouts at once one tells the clients of it
 */
export async function endSession(
  { store, clock, sessions: model }: Omit<RecordNeeds, 'clients' | 'tokenLifetimeMs'>,
  id: string,
): Promise<boolean> {
  await endGrants(store, { model, id }, clock);
  return orUnavailable(store.removeOpenid({ model, id }));
}

async function endGrants(store: OpenidRecords, name: OpenidName, clock: Clock): Promise<void> {
  const session = payloadOf(await orUnavailable(store.findOpenid(name)), clock);
  for (const grantId of grantsIn(session)) await endGrant(store, grantId, clock);
}

/** What a client has without the person stays. */
export async function endGrant(store: OpenidRecords, grantId: string, clock: Clock): Promise<void> {
  const found = await orUnavailable(store.findOpenid({ model: GRANT, id: grantId }));
  const grant = payloadOf(found, clock);
  const scopes = textIn(grant?.['openid'], 'scope')?.split(' ') ?? [];
  if (grant !== undefined && !scopes.includes('offline_access')) {
    await orUnavailable(store.removeOpenidGrant(grantId, clock.now()));
  }
}

/** Those of each client of a session, and those that clients had before. */
function grantsIn(session: Payload | undefined): string[] {
  const { earlier, authorizations } = session ?? {};
  const lists = [earlier, authorizations].filter((list) => typeof list === 'object');
  return lists
    .flatMap((list): unknown[] => Object.values(list ?? {}))
    .map((one) => textIn(one, 'grantId'))
    .filter((id) => id !== null);
}

/**
 * Members that are not kept, by the kind of record. Nobody reads the parameters of what a back end asks
 * a person for again, and a national id among them would stay when its attempt goes, by an erasure too.
 * A sign-in that is begun beside a session goes on when that ends: its browser has cookies of its own.
 */
const UNKEPT: Readonly<Record<string, Payload>> = {
  [BACKCHANNEL_REQUEST]: { params: undefined },
  [INTERACTION]: { session: undefined },
  [SESSION]: { follows: undefined },
  [SHARED_SESSION]: { follows: undefined },
};

function bodyOf(model: string, payload: Payload): string {
  const kept = { ...payload, ...UNKEPT[model] };
  try {
    return JSON.stringify(kept);
  } catch (error) {
    // The stack is used up by lists in lists, which a client may send as `claims`.
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidRequest('the request is nested too deeply');
  }
}

/** The client of the clients file, whose tokens an operator ends in every scope of a simulation. */
export function ownerOf(named: string | null): string | null {
  return named === null ? null : clientInScope(named).id;
}

/** For a model without a time of its own, of which none is in use. */
const LONGEST_SECONDS = 3600;

/** What the library knows of a record; undefined for one that has expired. */
export function payloadOf(found: FoundOpenid | null, clock: Clock): Payload | undefined {
  if (found === null || (found.expiresAt ?? Infinity) <= clock.now()) return undefined;
  const payload: unknown = JSON.parse(found.body);
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { consumedAt } = found;
  return consumedAt === null
    ? { ...payload }
    : { ...payload, consumed: Math.floor(consumedAt / SECOND_MS) };
}

export function textIn(value: unknown, name: string): string | null {
  const text = memberOf(value, name);
  return typeof text === 'string' ? text : null;
}

/**
 * The body of a record that is made once, when it is first needed, and stays. Of several instances
 * that need it at once all get the same one.
 */
export async function keptBody(
  store: OpenidRecords,
  name: OpenidName,
  make: () => Promise<string>,
): Promise<string> {
  const kept = await store.findOpenid(name);
  if (kept !== null) return kept.body;
  const rest = { grant: null, subject: null, client: null };
  const alone = { ...rest, attemptId: null, expiresAt: null };
  return store.keepOpenid({ ...name, ...alone, body: await make() });
}
