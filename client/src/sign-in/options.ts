import type { Miftah } from '../client.ts';
import { addressOf, checkUse, has } from '../wire.ts';
import type { Locale } from './cookie.ts';
import type { Waiting } from './waiting-page.ts';

/** What an application says about itself once, for every framework. */
export interface SignInOptions {
  /** Of `createClient`. */
  readonly client: Miftah;
  /** Where browsers reach the application, such as `https://shop.example`. */
  readonly appUrl: string | URL;
  /** Seals the cookie: at least 32 random characters, the same at every instance. */
  readonly secret: string;
  /** What the addresses of the sign-in begin with; `/sign-in`. */
  readonly path?: string;
  /** Where the form does not say `locale`; `ar`. */
  readonly locale?: Locale;
  /** A label for the person's list of devices. */
  readonly deviceName?: string;
  /** HTML in place of the page that shows the number and waits. */
  readonly waitingPage?: (waiting: Waiting) => string;
}

const LEAST_SECRET = 32;
/** A random text of 32 characters has more different ones, also in hexadecimal digits. */
const LEAST_DIFFERENT = 8;

interface Kind {
  readonly fits: (value: unknown) => boolean;
  readonly must: string;
  readonly isNeeded?: true;
}

const isFunction = (value: unknown) => typeof value === 'function';
const PATH: Kind = { fits: isOwnPath, must: 'a path of the application, as /home' };
const FUNCTION: Kind = { fits: isFunction, must: 'a function' };

/** What each option must be, where it is there. */
const KINDS: Readonly<Record<string, Kind>> = {
  client: {
    fits: (value) => has<Miftah>(value, 'createLogin'),
    must: 'what createClient gives',
    isNeeded: true,
  },
  appUrl: {
    fits: isOrigin,
    must: 'an address without a path, as https://shop.example',
    isNeeded: true,
  },
  secret: {
    fits: isSecret,
    must: `a text of at least ${LEAST_SECRET} random characters, ${LEAST_DIFFERENT} of them different`,
    isNeeded: true,
  },
  path: {
    fits: (value) => isText(value) && /^(?:\/[\w-]+)+$/.test(value),
    must: 'as /sign-in: letters, digits, - and _, without a slash at the end',
  },
  locale: { fits: (value) => value === 'ar' || value === 'en', must: 'ar or en' },
  deviceName: { fits: isText, must: 'a text' },
  waitingPage: FUNCTION,
  signedIn: { fits: isFunction, must: 'a function that begins your session', isNeeded: true },
  ended: FUNCTION,
  signedOut: FUNCTION,
  addressOf: FUNCTION,
  verify: FUNCTION,
  callbackURL: PATH,
  errorCallbackURL: PATH,
  auth: { fits: isFunction, must: 'a function that asks Auth.js', isNeeded: true },
  basePath: PATH,
  redirectTo: PATH,
  profile: FUNCTION,
  logger: { fits: (value) => has(value, 'error'), must: 'one with error()' },
};

/** Those that only some frameworks have. */
const OF_SOME: ReadonlySet<string> = new Set([
  'signedIn',
  'ended',
  'signedOut',
  'addressOf',
  'verify',
  'callbackURL',
  'errorCallbackURL',
  'auth',
  'basePath',
  'redirectTo',
  'profile',
  'logger',
]);

/**
 * JavaScript can leave out or mistake what the types ask for. Values are not shown: one is a secret.
 * @param more what this framework has besides
 * @throws TypeError that says what is right
 */
export function checkOptions(options: object, ...more: readonly string[]): void {
  const known = Object.keys(KINDS).filter((name) => !OF_SOME.has(name) || more.includes(name));
  checkUse('the sign-in', options, known.join(', '));
  const given = new Map<string, unknown>(Object.entries(options));
  for (const [name, { fits, must, isNeeded }] of Object.entries(KINDS)) {
    if (!known.includes(name)) continue;
    const value = given.get(name);
    const isMissing = value === undefined && isNeeded === true;
    if (isMissing) throw new TypeError(`${name} is missing: ${must}`);
    if (value !== undefined && !fits(value)) throw new TypeError(`${name} must be ${must}`);
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** Two slashes would be another host. */
function isOwnPath(value: unknown): boolean {
  return isText(value) && /^\/(?![/\\])[^?#]*$/.test(value);
}

function isSecret(value: unknown): boolean {
  return isText(value) && value.length >= LEAST_SECRET && new Set(value).size >= LEAST_DIFFERENT;
}

/** A path would be passed over, so that the browser would come back to another page. */
function isOrigin(value: unknown): boolean {
  const url = isText(value) || value instanceof URL ? addressOf(value, undefined) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}
