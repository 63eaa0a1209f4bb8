import type { IncomingMessage } from 'node:http';
import als from 'oidc-provider/lib/helpers/als.js';
import type { Context, Interaction, Provider } from 'oidc-provider/lib/provider.js';
import type { User } from '../account/user.ts';
import { Refusal } from '../errors/refusal.ts';
import type {
  FoundOpenid,
  OpenidChange,
  OpenidName,
  OpenidRecord,
  OpenidRecords,
} from '../store/ports/store.port.ts';
import { memberOf } from '../values/member.ts';

/** Where the library changes several records one after another, of which the last one is the answer. */
const ROUTES: ReadonlySet<string> = new Set([
  'authorization',
  'backchannel_authentication',
  'resume',
  'token',
]);

interface Held {
  readonly change: OpenidChange;
  /** What the request is refused with when the store does not make the change. */
  readonly refused: (() => Error) | null;
}

const requests = new WeakMap<Context, Held[]>();

type Refused = Held['refused'];

type Changing = Pick<OpenidRecords, 'changeOpenid'>;

/** Those of the request that the library answers now; null where each is made by itself. */
function ownHeld(): Held[] | null {
  const request = als.getStore();
  if (request === undefined || !ROUTES.has(request.oidc.route)) return null;
  const known = requests.get(request) ?? [];
  requests.set(request, known);
  return known;
}

/**
 * Keeps changes of a request for its last one, with which they are one commit: `makeHeld`. No answer is
 * sent before that, so what was answered is kept, and of what was not nothing is.
 * A record that is put again is put once, as it is last, in the place that it has.
 * @returns false where the change has to be made now
 */
export function hold(change: OpenidChange, refused: Refused): boolean {
  return holdAt('end', { change, refused });
}

/** As `hold`, for what says first whether the request is refused, and by what. */
export function holdFirst(change: OpenidChange, refused: Refused): boolean {
  return holdAt('start', { change, refused });
}

function holdAt(place: 'start' | 'end', next: Held): boolean {
  const held = ownHeld();
  if (held === null) return false;
  const { change } = next;
  const known = 'put' in change ? indexOfPut(held, change.put) : NONE;
  if (known !== NONE) held[known] = next;
  else if (place === 'start') held.unshift(next);
  else held.push(next);
  return true;
}

/** As of `findIndex`. */
const NONE = -1;

function indexOfPut(held: readonly Held[], { model, id }: OpenidName): number {
  return held.findIndex(
    ({ change }) => 'put' in change && change.put.model === model && change.put.id === id,
  );
}

/** Whether something waits for the last change of this request. */
export const hasHeld = (): boolean => (ownHeld()?.length ?? 0) > 0;

/** That of a request, which is called once. */
function takeUse(request: Context | undefined): Use | null {
  const end = request === undefined ? undefined : ended.get(request.req);
  if (request === undefined || end === undefined || end.use === null) return null;
  ended.set(request.req, { ...end, use: null });
  return end.use;
}

/** The one change that waits, which puts a record: another change is about to write that. */
export function takeHeld(): OpenidRecord {
  const held = ownHeld() ?? [];
  const [first] = held;
  if (held.length !== 1 || first === undefined || !('put' in first.change)) {
    throw new Error(`${held.length} changes are held, and not one record alone`);
  }
  held.length = 0;
  return first.change.put;
}

/**
 * Uses an attempt up, in the commit of what is written under its grant: the store makes both in their
 * order, and writes nothing under a grant that did not begin.
 * @returns what the request is refused with, where another one has had the attempt
 */
export type Use = () => Promise<(() => Error) | null>;

/** A sign-in that has ended by a request. */
export interface Ended {
  /** It has a result. */
  readonly interaction: Interaction;
  /** Who has signed in; null where nobody has. */
  readonly user: User | null;
  /** As the flow says it, to be called with the changes; null where nothing is left to be used up. */
  readonly use: Use | null;
}

const ended = new WeakMap<IncomingMessage, Ended>();

/** Lets the library go on, in the answer to this request, with an interaction that has ended. */
export function goOnWith(request: IncomingMessage, end: Ended): void {
  ended.set(request, end);
}

/** Who has signed in by this request, where the `sub` is theirs: they were just read. */
export function signedInBy(request: IncomingMessage, subject: string): User | null {
  const { interaction, user = null } = ended.get(request) ?? {};
  const login = memberOf(interaction?.result, 'login');
  return memberOf(login, 'accountId') === subject ? user : null;
}

/**
 * The library would go on by another request, with its cookie for that one, and read the result from
 * the store. Nobody else finds a result that is written nowhere.
 */
export function goOnAtOnce(provider: Provider): void {
  const { Interaction } = provider;
  const find = Interaction.find.bind(Interaction);
  Interaction.find = async (uid) => {
    const { req } = als.getStore() ?? {};
    const own = req === undefined ? undefined : ended.get(req)?.interaction;
    return own?.uid === uid ? own : find(uid);
  };
  provider.use(async (asked, next) => {
    const own = ended.get(asked.req)?.interaction;
    if (own === undefined) return next();
    const { cookies, url } = asked;
    const get = cookies.get.bind(cookies);
    const ofResume = provider.cookieName('resume');
    cookies.get = (name, options) => (name === ofResume ? own.uid : get(name, options));
    asked.url = new URL(own.returnTo).pathname;
    try {
      await next();
    } finally {
      asked.url = url;
    }
  });
}

/** What this request is about to write; null where the store has to be asked. */
export function knownAs(model: string, id: string): FoundOpenid | null {
  const held = ownHeld() ?? [];
  const { change } = held[indexOfPut(held, { model, id })] ?? {};
  if (change === undefined || !('put' in change)) return null;
  const { body, attemptId, expiresAt } = change.put;
  return { body, attemptId, expiresAt, consumedAt: null };
}

/**
 * Makes all changes that are held for the request.
 * @throws Refusal of the store, or what the request is refused with by the first one that is not made
 */
export async function makeHeld(store: Changing): Promise<void> {
  try {
    const refused = await make(store, ownHeld(), takeUse(als.getStore()));
    if (refused !== null) throw refused();
  } catch (error) {
    // The library may have begun to lead the browser to the application with the code.
    als.getStore()?.remove('location');
    throw error;
  }
}

/**
 * Of a request that was refused before its last change: what it has used up is used up. During an
 * outage of the store that is left to its expiry, and the refusal stays as it is. Of what the store does
 * not make then nobody is told: the request was refused already.
 */
export async function makeLeft(store: Changing, request: Context, work: Promise<void>) {
  try {
    await work;
  } finally {
    await make(store, requests.get(request) ?? [], takeUse(request)).catch(unlessRefused);
  }
}

function unlessRefused(error: unknown): null {
  if (error instanceof Refusal) return null;
  throw error;
}

/** @returns what the first change that was not made says to the request */
async function make(store: Changing, all: Held[] | null, use: Use | null): Promise<Refused> {
  const held = all?.splice(0) ?? [];
  // In one turn, and in this order: so they are one commit, and the grant that begins is there.
  const used = use?.() ?? null;
  if (held.length === 0) return used;
  const made = store.changeOpenid(held.map(({ change }) => change));
  const [refused, count] = await Promise.all([used, made]);
  return refused ?? held[count]?.refused ?? null;
}
