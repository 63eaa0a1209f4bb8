import { guarded, isObject, optionsOf, textThat } from './options.ts';
import { PageFault, PageVisitor } from '@miftah/contract/page-visitor';
import { idsOf, type People } from './people.ts';

/** Of whoever names none. */
export const DEFAULT_SCOPE = 'default';
/** Where the service is an OpenID Provider. */
const OPENID_PATH = '/openid/';

export interface Returned {
  /** Where the browser is sent back to, with what it brings: a completion code or an error. */
  readonly returnAddress: URL;
}

/** An attempt by browser as `start()` gives it, its address, its id, or the address of an OpenID request. */
export type AttemptOrUrl = string | URL | { readonly authorizationUrl?: string };

interface Choosing {
  /** The id of who signs in, by default the default person. */
  readonly person?: string | undefined;
}

/** What people do on the sign-in page, without a browser. */
export interface BrowserOfMiftah {
  approve(attempt: AttemptOrUrl, options?: Choosing): Promise<Returned>;
  refuse(attempt: AttemptOrUrl): Promise<Returned>;
}

interface Place {
  readonly origin: string;
  readonly baseUrl: string;
  readonly scope: string;
  readonly people: () => People;
}

type Choice = Readonly<Record<string, string>>;

export function browserOf(place: Place): BrowserOfMiftah {
  const browser: BrowserOfMiftah = {
    async approve(attempt, { person = defaultOf(place.people()) } = {}) {
      requirePerson(place.people(), person);
      return signIn(addressOf(place, attempt), { person, decision: 'approve' });
    },
    async refuse(attempt) {
      const person = defaultOf(place.people());
      return signIn(addressOf(place, attempt), { person, decision: 'refuse' });
    },
  };
  const rules = {
    approve: [ATTEMPT, optionsOf<Choosing>({ person: textThat('is the id of a person') })],
    refuse: [ATTEMPT],
  } as const;
  return guarded(browser, rules, 'browser.');
}

const ATTEMPT = {
  name: 'attempt',
  says: 'is an attempt by browser, its id, or its address',
  holds: (attempt: unknown): attempt is AttemptOrUrl =>
    typeof attempt === 'string' || (isObject(attempt) && !('then' in attempt)),
};

async function signIn(address: URL, choice: Choice): Promise<Returned> {
  const visitor = new PageVisitor({
    mayOpen(origin) {
      if (origin === address.origin) return;
      const isOpenid = address.pathname.startsWith(OPENID_PATH);
      const form = isOpenid ? ' The form of response_mode=form_post is not read.' : '';
      throw new Error(`The sign-in leads to ${origin}, which is not this Miftah.${form}`);
    },
  });
  const isEnd = (location: URL) => isReturn(location, address);
  try {
    return { returnAddress: await visitor.signIn(address, choice, isEnd) };
  } catch (error) {
    if (!(error instanceof PageFault) || !error.message.includes(OPENID_IS_OFF)) throw error;
    const here = `${OPENID_IS_OFF}, or openid: true of startMiftah()`;
    throw new Error(error.message.replace(OPENID_IS_OFF, here), { cause: error });
  }
}

/** In the words of the service, which knows its settings alone. */
const OPENID_IS_OFF = 'set OPENID=on';

/**
 * The application's address carries the id of the attempt, in the query or in the fragment; that of an
 * OpenID client a code or an error.
 */
function isReturn({ origin, pathname, searchParams, hash }: URL, asked: URL): boolean {
  const brings = (name: string) =>
    searchParams.has(name) || new URLSearchParams(hash.slice(1)).has(name);
  if (!asked.pathname.startsWith(OPENID_PATH)) return brings('attempt_id');
  const isOwn = origin === asked.origin && pathname.startsWith(OPENID_PATH);
  return !isOwn && (brings('code') || brings('error'));
}

/** @throws TypeError */
function addressOf({ origin, baseUrl, scope }: Place, attempt: AttemptOrUrl): URL {
  const given = typeof attempt === 'object' && !(attempt instanceof URL);
  const text = given ? attempt.authorizationUrl : String(attempt);
  if (text === undefined) {
    throw new TypeError(
      'This attempt has no authorizationUrl: it is one by phone, for phone.approve().',
    );
  }
  if (/^[0-9a-f-]{36}$/i.test(text)) return new URL(`${baseUrl}/callback?state=${text}`);
  const address = URL.canParse(text) ? new URL(text) : null;
  if (address !== null && isAt(address, origin)) {
    requireScope(address, scope);
    return new URL(`${address.pathname}${address.search}`, origin);
  }
  throw new TypeError(
    `The browser takes an attempt by browser, its id, or its address at ${origin}.`,
  );
}

/**
 * People, outcomes and faults are those of the scope that the client id of an OpenID request names.
 * @throws TypeError
 */
function requireScope({ pathname, searchParams }: URL, scope: string): void {
  const named = searchParams.get('client_id');
  if (named === null || !pathname.startsWith(OPENID_PATH)) return;
  const [id = '', other = DEFAULT_SCOPE] = named.split('@');
  if (other === scope) return;
  const own = scope === DEFAULT_SCOPE ? id : `${id}@${scope}`;
  throw new TypeError(
    `The request of ${named} is of the scope ${other}, and this Miftah has the scope ${scope}: its client is ${own}.`,
  );
}

/** The names of this machine are as good as each other; its pages and cookies are at one of them. */
function isAt(address: URL, origin: string): boolean {
  const own = new URL(origin);
  const isHere = [address, own].every(({ hostname }) =>
    ['127.0.0.1', 'localhost', '[::1]'].includes(hostname),
  );
  return address.origin === own.origin || (isHere && address.port === own.port);
}

function defaultOf(people: People): string {
  return Object.values(people).find((one) => one.default)?.id ?? 'amal';
}

/** @throws TypeError */
function requirePerson(people: People, person: string): void {
  if (Object.hasOwn(people, person)) return;
  throw new TypeError(`person is the id of one of the people: ${idsOf(people)}.`);
}
