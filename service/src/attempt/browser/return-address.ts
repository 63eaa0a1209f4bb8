import type { Client } from '../../account/client.ts';

/** Characters, as the address is sent: those outside ASCII are escaped there, so it is longer. */
const LONGEST_ADDRESS = 2048;

/** With the names that every machine has for itself, and in no other spelling of them. */
const LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?]|$)/;

/**
 * A domain name in reverse order (RFC 8252 section 7.1), in lower case as browsers send it. Its dot
 * is what `javascript`, `data`, `file` and `intent` lack. A path or an authority has to follow.
 */
const PRIVATE_USE = /^[a-z][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){1,8}:\//;

/** What RFC 3986 lets an address consist of, without `#`. */
const ADDRESS_CHARACTERS = /^[\w.~:/?[\]@!$&'()*+,;=%-]+$/;

/** An address that the operating system gives to an application instead of a web server. */
export function isPrivateUseAddress(text: string): boolean {
  const url = PRIVATE_USE.test(text) && ADDRESS_CHARACTERS.test(text) ? URL.parse(text) : null;
  // One spelling only, so that what is compared is what is sent.
  return url?.href === text && url.username + url.password === '';
}

/** The parsed host: `localhost` and names below it, loopback and unspecified addresses, mapped ones too. */
const HOST_OF_DEVICE =
  /^(?:(?:.+\.)?localhost\.?|127\..+|0\.0\.0\.0|\[::1?\]|\[::(?:ffff:)?(?:7f[\da-f]{2}|0):[\da-f]{1,4}\])$/;

/** An address at which any application of the person's device may be, in whatever spelling. */
export const isOfDevice = (text: string): boolean =>
  isPrivateUseAddress(text) || HOST_OF_DEVICE.test(URL.parse(text)?.hostname ?? '');

/**
 * Whether a client of this type may have the address: https, http on this machine, where developers
 * have no certificate, and for public clients an address of a private-use scheme. A confidential
 * client has a back end, and so a web address.
 */
export function isReturnAddress(text: string, type: Client['type']): boolean {
  const url = URL.parse(text);
  // The parser drops control characters and spaces, so that the address would be another one.
  if (url === null || url.href.length > LONGEST_ADDRESS || /[\p{Cc} #]/u.test(text)) return false;
  if (url.username + url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  return LOOPBACK.test(text) || (type === 'public' && isPrivateUseAddress(text));
}

/** How such an address is described to whoever has written another one. */
export const ADDRESS_FORMS = {
  public:
    'an https address (http on loopback) or one of an application such as com.example.app:/signed-in, ' +
    'without a fragment',
  confidential:
    'an https address (http on loopback) without a fragment; only a public client has a scheme of its own',
} as const;

/** For an address that a back end answers at, or that shows a page: never one of an application. */
export const isWebAddress = (text: string): text is string => isReturnAddress(text, 'confidential');
export const WEB_ADDRESS = 'an https address (http on loopback) without a fragment';

/**
 * The return address that a start may use when it names `wanted`; null when the client may not use
 * it. Every start, launch and return asks here.
 */
export function namedReturnAddress(client: Client, wanted: string): string | null {
  const { type, returnAddresses } = client;
  if (returnAddresses.includes(wanted)) return wanted;
  if (!LOOPBACK.test(wanted) || !isReturnAddress(wanted, type)) return null;
  if (client.returnsToLoopback) return new URL(wanted).href;
  const isNative = type === 'public' && returnAddresses.some((own) => isOtherPort(own, wanted));
  return isNative ? wanted : null;
}

/**
 * Two addresses of which the port alone differs, at an IP literal of the loopback interface: an
 * application listens on the port that the system gives it (RFC 8252 section 7.3). `localhost` is
 * left out, because a resolver may lead it elsewhere (section 8.3).
 */
function isOtherPort(own: string, wanted: string): boolean {
  const [ours, theirs] = [own, wanted].map(withoutPort);
  return ours !== null && ours === theirs;
}

const NATIVE_LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::[1-9]\d{0,4})?((?:[/?].*)?)$/;

function withoutPort(address: string): string | null {
  const [, host, rest] = NATIVE_LOOPBACK.exec(address) ?? [];
  return host === undefined || rest === undefined ? null : host + rest;
}
