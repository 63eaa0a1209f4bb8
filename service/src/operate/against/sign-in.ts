import type * as fidelity from '@miftah/simulator/fidelity';
import type { ClaimProfileName, StandIn } from '@miftah/simulator/fidelity';
import type { ProviderAccess } from '../../config/provider-access.ts';
import type { Drift } from './drift.ts';
import { SECOND_MS, type Ms } from '../../values/time.ts';
import type { Timer } from '../../platform/runtime.port.ts';
import { asObject, JsonFault, parseStrictJson, textMember } from '../../provider/strict-json.ts';
import { compare } from './compare.ts';
import { describe, type Facts } from './facts.ts';
import { openSimulator, type Answer, type Keys, type Side } from './side.ts';

export type Card = typeof fidelity;

export interface SignInTools {
  /** Tells the person who runs the command where to sign in. */
  readonly tell: (line: string) => void;
  readonly timer: Timer;
  /** Tests ask more often. */
  readonly everyMs?: Ms;
}

interface SignInOptions extends SignInTools {
  /** Settings of the simulator. */
  readonly environment: ProviderAccess['simulator'];
  readonly requestId: string;
  readonly keys: Keys;
  readonly credentials: { readonly appId: string; readonly appKey: string };
}

const EVERY_MS: Ms = 3 * SECOND_MS;
/** Five minutes, as long as a sign-in can be used. */
const MOST_TRIES = 100;
const PENDING = '401-033-024';
const TOKEN_JSON = { depth: 8, items: 512 };
/** Visible ASCII: nothing in it can steer a terminal. */
const ADDRESS = /^https?:\/\/[\x21-\x7e]{1,8000}$/;

/**
 * Has a person sign in at the provider, and compares the claims of the token with those of each
 * profile of the simulator.
 */
export async function compareSignIn(
  card: Card,
  there: Pick<Side, 'ask'>,
  options: SignInOptions,
): Promise<readonly Drift[]> {
  const session = sessionIn(await there.ask(card.sessionRequest(options.requestId, 'en'), 'right'));
  if (session === null) {
    options.tell('No sign-in: the answer to the request for a session has no address.');
    return [];
  }
  if (repeats(session.url, options.credentials.appKey)) {
    options.tell('No sign-in: the address that the provider has given has the app key in it.');
    return [];
  }
  options.tell(`Sign in as a test person here, within five minutes: ${session.url}`);
  const token = await waitForToken(card, there, session.state, options);
  if (token === null) {
    options.tell('Nobody has signed in, so no claims were compared.');
    return [];
  }
  return compareClaims(card, claimsOf(token, session.nonce), options);
}

interface Session {
  readonly url: string;
  readonly state: string;
  readonly nonce: string;
}

function sessionIn({ value }: Answer): Session | null {
  const url = textMember(asObject(value) ?? {}, 'url') ?? '';
  const query = ADDRESS.test(url) ? URL.parse(url)?.searchParams : undefined;
  const state = query?.get('state') ?? '';
  return state === '' ? null : { url, state, nonce: query?.get('nonce') ?? '' };
}

/** Whether an address has a secret in it, as it is or behind escapes: it is not shown then. */
function repeats(url: string, secret: string): boolean {
  const once = unescaped(url);
  const forms = [url, once, unescaped(once)];
  return forms.some((form) => form.toLowerCase().includes(secret.toLowerCase()));
}

function unescaped(text: string): string {
  return text.replaceAll(/(?:%[\da-f]{2})+/gi, (run) =>
    Buffer.from(run.replaceAll('%', ''), 'hex').toString(),
  );
}

/** Asks until there is a token, or another answer than that there is none yet. */
async function waitForToken(
  { exchangeRequest }: Card,
  side: Pick<Side, 'ask'>,
  state: string,
  { timer, everyMs = EVERY_MS }: SignInTools,
): Promise<string | null> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { value } = await side.ask(exchangeRequest(state), 'right');
    const answer = asObject(value) ?? {};
    if (textMember(answer, 'code') !== PENDING) return textMember(answer, 'token') ?? null;
    await new Promise<void>((resolve) => timer.after(everyMs, resolve));
  }
  return null;
}

/** The forms of all claims; its signature is not looked at. */
function claimsOf(token: string, nonce: string): Facts {
  const facts = new Map<string, string>();
  const [header = '', payload = ''] = token.split('.');
  for (const [part, place] of [
    [header, 'header'],
    [payload, 'claims'],
  ] as const) {
    describe(jsonOf(part), place, { sent: [nonce], facts });
  }
  return facts;
}

function jsonOf(part: string) {
  try {
    return parseStrictJson(Buffer.from(part, 'base64url').toString('utf8'), TOKEN_JSON);
  } catch (error) {
    if (error instanceof JsonFault) return null;
    throw error;
  }
}

async function compareClaims(
  card: Card,
  there: Facts,
  options: SignInOptions,
): Promise<readonly Drift[]> {
  const { SIGN_IN, CLAIM_PROFILE_NAMES } = card;
  const set = openProfile(card, options);
  await set.close();
  const own = await closest(card, set.profile, there, options);
  const behaviourOf = (point: { readonly what: string } = SIGN_IN) =>
    card.behaviourOf(SIGN_IN.where, point.what);
  const drifts = compare(SIGN_IN, behaviourOf, own, there);
  if (!drifts.some(({ differs }) => differs)) return drifts;
  let [best, least] = [set.profile, own];
  for (const name of CLAIM_PROFILE_NAMES) {
    const facts = await closest(card, name, there, options);
    if (distance(facts, there) < distance(least, there)) [best, least] = [name, facts];
  }
  const isMended = ({ at }: Drift) =>
    best !== set.profile && at !== null && least.get(at) === there.get(at);
  return drifts.map((one) => ({ ...one, set: isMended(one) ? `PROFILE=${best}` : null }));
}

function openProfile(
  { openStandIn }: Card,
  { environment, credentials, keys: { prefixes } }: SignInOptions,
  profile?: ClaimProfileName,
): StandIn {
  const named = profile === undefined ? {} : { profile };
  return openStandIn({ environment, credentials, prefixes: Object.values(prefixes), ...named });
}

/** The claims of a profile for the kind of document that comes nearest to them. */
async function closest(
  card: Card,
  profile: ClaimProfileName,
  there: Facts,
  options: SignInOptions,
): Promise<Facts> {
  const standIn = openProfile(card, options, profile);
  try {
    const simulator = openSimulator((request) => standIn.ask(request), options.keys);
    const found: Facts[] = [];
    for (const { id } of card.ONE_OF_EACH) {
      const session = sessionIn(await simulator.ask(card.sessionRequest(id, 'en'), 'right'));
      if (session === null) continue;
      await standIn.approve(session.state, id);
      const token = await waitForToken(card, simulator, session.state, options);
      if (token !== null) found.push(claimsOf(token, session.nonce));
    }
    return (
      found.toSorted((one, other) => distance(one, there) - distance(other, there))[0] ?? new Map()
    );
  } finally {
    await standIn.close();
  }
}

/** In how many places they differ. */
function distance(one: Facts, other: Facts): number {
  const places = new Set([...one.keys(), ...other.keys()]);
  return [...places].filter((place) => one.get(place) !== other.get(place)).length;
}
