import { timingSafeEqual } from 'node:crypto';
import type { Provider } from 'oidc-provider/lib/provider.js';
import type { HttpContext } from '../request/context.ts';
import { allKeys, keyedDigestText } from '../values/secret.ts';
import { sessionCookie, type SessionKind } from './sessions/sessions.ts';

type Keys = HttpContext['services']['keys'];

/** Of the request by which the library would go on with a sign-in; `goOnAtOnce` makes none. */
const RESUME = 'miftah_resume';

/** The names of the cookies, of which a browser on https takes none from an insecure page. */
function cookieNames(publicUrl: string, sessions: SessionKind) {
  const prefix = publicUrl.startsWith('https:') ? '__Secure-' : '';
  return {
    session: sessionCookie(publicUrl, sessions),
    interaction: `${prefix}miftah_interaction`,
    resume: RESUME,
  };
}

interface Needs {
  readonly services: { readonly keys: Keys };
  readonly settings: Pick<HttpContext['settings'], 'publicUrl'>;
}

/** As the library has them in its settings. */
export function cookiesOf({ services, settings }: Needs, sessions: SessionKind) {
  const secure = settings.publicUrl.startsWith('https:');
  const cookie = { httpOnly: true, sameSite: 'lax', secure, signed: true };
  return {
    keys: signatures(services.keys),
    names: cookieNames(settings.publicUrl, sessions),
    long: cookie,
    short: cookie,
  };
}

/**
 * Has no cookie given that nobody reads.
 * @param path of the requests that give cookies
 */
export function withoutResumeCookie(provider: Pick<Provider, 'use'>, path: string): void {
  provider.use((asked, next) => {
    if (asked.path.startsWith(path)) {
      const { cookies } = asked;
      const set = cookies.set.bind(cookies);
      cookies.set = (name, ...rest) => (name === RESUME ? cookies : set(name, ...rest));
    }
    return next();
  });
}

const signed = (key: Uint8Array, text: string) => keyedDigestText(key, 'openid cookie', text);

/** By the key of the moment. In the place of Keygrip, which makes three digests more to compare one. */
function signatures(keys: Keys) {
  return {
    sign: (text: string) => signed(keys.current, text),
    /** @returns which key has made it, the current one first; negative where none has */
    index: (text: string, signature: string) =>
      allKeys(keys).findIndex((key) => isSame(signed(key, text), signature)),
  };
}

function isSame(one: string, other: string): boolean {
  const [own, given] = [Buffer.from(one), Buffer.from(other)];
  return own.length === given.length && timingSafeEqual(own, given);
}
