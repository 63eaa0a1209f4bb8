import { jsonOf } from '../connection.ts';
import type { SessionStore } from '../login.ts';
import { freshBytes, randomKey } from '../platform.ts';
import { has } from '../wire.ts';

export type Locale = 'ar' | 'en';

/** What a cookie has: a sign-in that this browser has begun. */
interface Begun {
  /** The text of `attempt.export()`, without the key that would let an exchange be repeated. */
  readonly attempt: string;
  readonly locale: Locale;
}

const NONCE_BYTES = 12;
/** Longer than an attempt lives. */
const MOST_SECONDS = 600;
/** Sign-ins of one browser, so that their cookies stay small together. The newest are kept. */
const MOST_BEGUN = 3;

/**
 * Each attempt of a browser in a cookie of its own, encrypted and authenticated (AES-256-GCM), so that
 * the application needs no store for it and every instance with the same secret can go on. What one
 * tab begins or ends at the same moment as another one changes no cookie of the other.
 */
export class SealedCookies {
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
    // Not `Strict`: the return comes from another site.
    this.#attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;
    // A cookie of another application, or of another name, is none of this one's.
    this.#key = keyOf(secret, `${this.#name} ${origin}`);
  }

  /** @returns what was sealed with this secret, by the ids of the attempts, the newest first */
  async read(header = ''): Promise<Map<string, Begun>> {
    const own = header.split(/; */).filter((one) => one.startsWith(`${this.#name}.`));
    const found = await Promise.all(own.map((one) => this.#open(one.slice(one.indexOf('=') + 1))));
    // Times are in whole seconds, and browsers send the older cookie first.
    const begun = found.filter((one) => one !== null).toReversed();
    const ends = ({ attempt }: Begun) => Date.parse(String(membersOf(attempt).expiresAt));
    begun.sort((one, other) => ends(other) - ends(one));
    return new Map(begun.map((one) => [idOf(one.attempt), one]));
  }

  async #open(value: string): Promise<Begun | null> {
    const bytes = bytesOf(value);
    if (bytes === null) return null;
    try {
      const [iv, sealed] = [bytes.subarray(0, NONCE_BYTES), bytes.subarray(NONCE_BYTES)];
      const text = await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, await this.#key, sealed);
      const kept = jsonOf(new TextDecoder().decode(text));
      return has<Begun>(kept, 'attempt', 'locale') ? kept : null;
    } catch {
      return null;
    }
  }

  /** @returns the header `Set-Cookie` */
  async write(kept: Begun): Promise<string> {
    const iv = freshBytes(NONCE_BYTES);
    const text = new TextEncoder().encode(JSON.stringify(kept));
    const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await this.#key, text);
    const value = textOf(new Uint8Array([...iv, ...new Uint8Array(sealed)]));
    return this.#line(idOf(kept.attempt), value, MOST_SECONDS);
  }

  /** @returns the header `Set-Cookie` that takes it out of the browser */
  removal(id: string): string {
    return this.#line(id, '', 0);
  }

  #line(id: string, value: string, seconds: number): string {
    const name = `${this.#name}.${encodeURIComponent(id)}`;
    return `${name}=${value}; Max-Age=${seconds}; ${this.#attributes}`;
  }
}

/** In the place of the id of an attempt that is not begun. */
export const NEW = 'new';

/** The cookies of one request, as the rules of `createLogin` read and change them, by attempt. */
export class RequestCookies implements SessionStore {
  readonly #cookies: SealedCookies;
  readonly #begun: Map<string, Begun>;
  /** The attempt that the request is about: the named one, else the newest. */
  readonly id: string;
  /** Of the pages of this sign-in. */
  locale: Locale;
  /** The headers `Set-Cookie` that the answer needs, where something has changed. */
  readonly changed: string[] = [];

  private constructor(
    cookies: SealedCookies,
    begun: Map<string, Begun>,
    named: string | null,
    locale: Locale,
  ) {
    this.#cookies = cookies;
    this.#begun = begun;
    const id = named ?? this.ids[0] ?? '';
    this.id = id === '' ? NEW : id;
    this.locale = begun.get(this.id)?.locale ?? locale;
  }

  /**
   * @param header `Cookie` @param named the id of an attempt
   * @param locale where the browser has no sign-in
   */
  static async of(
    cookies: SealedCookies,
    header: string | undefined,
    named: string | null,
    locale: Locale,
  ) {
    return new RequestCookies(cookies, await cookies.read(header), named, locale);
  }

  /** All that this browser has begun, the newest first. */
  get ids(): readonly string[] {
    return [...this.#begun.keys()];
  }

  /** With a new key each time: a cookie that somebody has copied gives no token a second time. */
  get(id: string): string | undefined {
    const kept = this.#begun.get(id);
    return kept && JSON.stringify({ ...membersOf(kept.attempt), key: randomKey() });
  }

  /** The id is that of the attempt. */
  async set(_id: string, exported: string): Promise<void> {
    for (const id of this.ids.slice(MOST_BEGUN - 1)) this.delete(id);
    const attempt = JSON.stringify({ ...membersOf(exported), key: undefined });
    this.changed.push(await this.#cookies.write({ attempt, locale: this.locale }));
  }

  delete(id: string): void {
    if (this.#begun.delete(id)) this.changed.push(this.#cookies.removal(id));
  }
}

function membersOf(text: string): { readonly id?: unknown; readonly expiresAt?: unknown } {
  const value = jsonOf(text);
  return typeof value === 'object' && value !== null ? value : {};
}

function idOf(attempt: string): string {
  return String(membersOf(attempt).id);
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
