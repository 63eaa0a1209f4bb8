import { jsonOf } from '../connection.ts';
import type { SessionStore } from '../login.ts';
import { freshBytes, randomKey } from '../platform.ts';
import { has } from '../wire.ts';

export type Locale = 'ar' | 'en';

/** The content of the cookie: the sign-in that this browser has started. */
export interface CookieContent {
  /** The text of `attempt.export()`, without the key that would let an exchange be repeated. */
  readonly attempt: string;
  readonly locale: Locale;
}

const NONCE_BYTES = 12;
/** Longer than an attempt lives. */
const MOST_SECONDS = 600;

/**
 * The attempt of a browser in a cookie of its own, encrypted and authenticated (AES-256-GCM), so that
 * the application needs no store for it and every instance with the same secret can go on.
 */
export class SealedCookie {
  readonly #name: string;
  readonly #attributes: string;
  readonly #key: Promise<CryptoKey>;

  /** @param path of the sign-in */
  constructor({ origin, port, protocol }: URL, path: string, secret: string) {
    const isHttps = protocol === 'https:';
    // A browser sends a cookie to every port of a host, and one of each name.
    const name = `miftah${path.replaceAll('/', '-')}${port && `-${port}`}`;
    // With this prefix no other host of the same domain can set it. Browsers want https for it.
    this.#name = isHttps ? `__Host-${name}` : name;
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;
    // A cookie of another application, or of another name, is none of this one's.
    this.#key = keyOf(secret, `${this.#name} ${origin}`);
  }

  /** @returns null without the cookie, and for one that was not sealed with this secret */
  async read(header: string | undefined): Promise<CookieContent | null> {
    const start = `${this.#name}=`;
    const found = header?.split(/; */).find((one) => one.startsWith(start));
    const bytes = found === undefined ? null : bytesOf(found.slice(start.length));
    if (bytes === null) return null;
    try {
      const [iv, sealed] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)];
      const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, await this.#key, sealed);
      const kept = jsonOf(new TextDecoder().decode(text));
      return has<CookieContent>(kept, 'attempt', 'locale') ? kept : null;
    } catch {
      return null;
    }
  }

  /** @returns the header `Set-Cookie` */
  async write(kept: CookieContent): Promise<string> {
    const iv = freshBytes(NONCE_BYTES);
    const text = new TextEncoder().encode(JSON.stringify(kept));
    const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await this.#key, text);
    const value = textOf(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
    return `${this.#name}=${value}; Max-Age=${MOST_SECONDS}; ${this.#attributes}`;
  }

  /** The header `Set-Cookie` that takes it out of the browser. */
  get removal(): string {
    return `${this.#name}=; Max-Age=0; ${this.#attributes}`;
  }
}

/** The cookie of one request, as the rules of `createLogin` read and change it. */
export class RequestCookie implements SessionStore {
  readonly #cookie: SealedCookie;
  #attempt: string | undefined;
  /** Of the pages of this sign-in. */
  locale: Locale;
  /** The header `Set-Cookie` that the answer needs, where something has changed. */
  changed: string | null = null;

  private constructor(cookie: SealedCookie, kept: CookieContent | null, locale: Locale) {
    this.#cookie = cookie;
    this.#attempt = kept?.attempt;
    this.locale = kept?.locale ?? locale;
  }

  /** @param header `Cookie` @param locale where the browser has no sign-in */
  static async of(cookie: SealedCookie, header: string | undefined, locale: Locale) {
    return new RequestCookie(cookie, await cookie.read(header), locale);
  }

  /** With a new key each time: a cookie that somebody has copied gives no token a second time. */
  get(): string | undefined {
    const attempt = this.#attempt;
    return attempt && JSON.stringify({ ...membersOf(attempt), key: randomKey() });
  }

  /** There is one sign-in in a cookie, so the id says nothing. */
  async set(_id: string, attempt: string): Promise<void> {
    this.#attempt = JSON.stringify({ ...membersOf(attempt), key: undefined });
    this.changed = await this.#cookie.write({ attempt: this.#attempt, locale: this.locale });
  }

  delete(): void {
    this.#attempt = undefined;
    this.changed = this.#cookie.removal;
  }
}

function membersOf(text: string): object {
  const value = jsonOf(text);
  return typeof value === 'object' && value !== null ? value : {};
}

async function keyOf(secret: string, use: string): Promise<CryptoKey> {
  const { subtle } = crypto;
  const bytes = new TextEncoder().encode(secret);
  const material = await subtle.importKey('raw', bytes, 'HKDF', false, ['deriveKey']);
  const info = new TextEncoder().encode(`miftah sign-in cookie ${use}`);
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info };
  const kind = { name: 'AES-GCM', length: 256 };
  return subtle.deriveKey(derivation, material, kind, false, ['encrypt', 'decrypt']);
}

/** Base64url. */
function textOf(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
  } catch {
    return null;
  }
}
