import { isIP } from 'node:net';
import { isPrivateUseAddress } from '../attempt/browser/return-address.ts';
import { SHORTEST_RETENTION_MS } from '../values/retention.ts';
import { Secret } from '../values/secret.ts';
import { DAY_MS, durationIn, MINUTE_MS, type Ms } from '../values/time.ts';

/**
 * One parser per kind of setting. Each throws an Error whose message continues the setting's name:
 * "PORT must be 1 to 65535".
 */

export function parseHost(text: string): string {
  const plain = isIP(text) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/.test(text);
  // A malformed address (256.1.1.1), or one with a zone, can't be part of an origin.
  return plain && URL.canParse(`http://${bracketed(text)}`)
    ? text.toLowerCase()
    : refuse('must be an IP address or a host name, without a port');
}

const MOST_PORT = 65_535;

/** 0 means any free port. */
export function parsePort(text: string): number {
  const port = Number(text);
  return /^\d+$/.test(text) && port <= MOST_PORT ? port : refuse('must be 0 to 65535');
}

export function parseFixedPort(text: string): number {
  return parsePort(text) === 0 ? refuse('must be 1 to 65535') : parsePort(text);
}

export function parseWebAddress(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.port === '0') {
    return refuse('must be an http(s) address, with a port of 1 to 65535 where it has one');
  }
  return url.username + url.password === '' ? url.href : refuse('must not hold a user or password');
}

/** Also one that opens an application on the device. */
export function parseReturnPage(text: string): string {
  if (isPrivateUseAddress(text)) return text;
  const { protocol = '' } = URL.parse(text) ?? {};
  return protocol === '' || /^https?:$/.test(protocol)
    ? parseWebAddress(text)
    : refuse(
        'must be an http(s) address, or one with a scheme of the application: a domain in reverse ' +
          'and in lower case, with a dot, then :/ and the path, as in com.example.app:/signed-in',
      );
}

function parseOrigin(text: string): string {
  const { origin, href } = new URL(parseWebAddress(text));
  return href === `${origin}/` ? origin : refuse('must be an origin: scheme, host and port only');
}

const NO_PATH =
  'must be an origin: scheme, host and port only. A path below another site is not supported: its ' +
  'pages could read those of a sign-in. Give the service a host name of its own ' +
  '(docs/reverse-proxy.md, "Beside another site")';

/**
 * Never with a path. Browsers keep `__Host-` cookies with `Path=/` alone (RFC 6265bis section
 * 4.1.3.2), and whoever serves another path of the origin could read the secret in the launch page.
 */
export function parsePublicUrl(text: string): string {
  const { pathname } = new URL(parseWebAddress(text));
  return pathname === '/' ? parseOrigin(text) : refuse(NO_PATH);
}

/** No page has one: a browser sends `null` as its origin, or its address is none of a page. */
const SCHEMES_WITHOUT_PAGES = /^(?:about|blob|data|file|ftp|javascript|wss?)$/;

const PAGE_ORIGIN =
  'must be origins of pages: https://shop.example, http://127.0.0.1:5173, or with the scheme of an ' +
  'application, capacitor://localhost; without a path, and a port is 1 to 65535';

/**
 * As a browser sends it in `Origin`. The pages of applications on phones and desktops have a scheme
 * of their own, whose origin the URL standard leaves open (section 4.7): it is compared as text.
 */
export function parsePageOrigin(text: string): string {
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? '')) return parseOrigin(text);
  const [, origin = '', scheme = '', port = '1'] =
    /^(([a-z][a-z\d+.-]*):\/\/[a-z\d](?:[a-z\d.-]*[a-z\d])?(?::([1-9]\d{0,4}))?)\/?$/.exec(text) ??
    [];
  const isNone = origin === '' || SCHEMES_WITHOUT_PAGES.test(scheme) || /^https?$/.test(scheme);
  return isNone || Number(port) > MOST_PORT ? refuse(PAGE_ORIGIN) : origin;
}

export function parseCidr(text: string): string {
  const [, address = '', , bits] = /^([^/%]+)(\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  const longest = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  return Number(bits ?? 1) <= longest ? text : refuse('must be IP addresses or CIDRs');
}

/** An origin to which secrets and identities are sent: unencrypted only on this machine. */
export function parseSecureOrigin(text: string): string {
  const origin = parseOrigin(text);
  return isSecure(origin) ? origin : refuse('must be https, or http on a loopback address');
}

export function isSecure(origin: string): boolean {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || isLoopback(hostname);
}

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

export function isLoopback(hostname: string): boolean {
  return LOOPBACK_NAMES.has(hostname);
}

/** A client of HTTP takes these parts of a path out, and reads `%2e` as a dot. */
const LEADS_ELSEWHERE = /%|\/\.{1,2}(?:\/|$)/;

/** `/` means no prefix; an empty setting would count as not set. */
export function parsePathPrefix(text: string): string {
  if (text === '/') return '';
  if (LEADS_ELSEWHERE.test(text)) {
    refuse('must have no "." or ".." for a part, and no "%": write the path itself');
  }
  return /^(\/[A-Za-z0-9._~-]+)+$/.test(text) ? text : refuse('must be a path such as /stg, or /');
}

export function parseCredential(text: string): Secret {
  return /^[\x21-\x7e]+$/.test(text)
    ? new Secret(text)
    : refuse('must be visible ASCII characters');
}

export function parseText(text: string): string {
  return /^[\x21-\x7e]{1,255}$/.test(text) ? text : refuse('must be 1 to 255 visible characters');
}

/** Of ID tokens: any text, as a rule an address. What stands before an @ in one is a password. */
export function parseIssuer(text: string): string {
  if (/^[a-z][a-z\d+.-]*:\/\/[^/?#]*@/i.test(text)) refuse('must have no user name or password');
  return parseText(text);
}

export function parseAddress(text: string): string {
  return isIP(text) === 0 ? refuse('must be an IP address') : text;
}

export function parseLevel(text: string): number {
  return /^\d$/.test(text) ? Number(text) : refuse('must be 0 to 9');
}

export function parseSecretKey(text: string): Secret {
  return /^[0-9a-fA-F]{64}$/.test(text)
    ? new Secret(text)
    : refuse('must be 64 hex digits, as `openssl rand -hex 32` makes them');
}

export function parseToken(text: string): Secret {
  return /^[\x21-\x7e]{16,}$/.test(text)
    ? new Secret(text)
    : refuse('must be 16 characters or more');
}

export function parseDuration(text: string): Ms {
  return durationIn(text) ?? refuse('must be a number and a unit: 90s, 45m, 12h or 30d');
}

/** Longer than any supervisor waits by default for a program to end. */
const LONGEST_DRAIN_MS = 5 * MINUTE_MS;

export function parseDrain(text: string): Ms {
  const drainMs = text === '0s' ? 0 : parseDuration(text);
  return drainMs <= LONGEST_DRAIN_MS ? drainMs : refuse('must be 0s to 5m');
}

export function parseRetention(text: string): Ms {
  const retentionMs = parseDuration(text);
  return retentionMs >= SHORTEST_RETENTION_MS ? retentionMs : refuse('must be 2m or more');
}

const FEWEST_ROWS = 1000;
/** To find the oldest of so many rows took SQLite a second on a busy machine. Writes wait for it. */
const MOST_ROWS = 1_000_000;

export function parseRowLimit(text: string): number {
  const rows = /^[1-9]\d{0,7}$/.test(text) ? Number(text) : 0;
  return rows >= FEWEST_ROWS && rows <= MOST_ROWS
    ? rows
    : refuse(`must be a number from ${FEWEST_ROWS} to ${MOST_ROWS}`);
}

const MOST_WAITERS = 100_000;

/** 0: event streams are refused, and long polls answer at once. */
export function parseWaiters(text: string): number {
  const places = /^(?:0|[1-9]\d{0,5})$/.test(text) ? Number(text) : MOST_WAITERS + 1;
  return places <= MOST_WAITERS ? places : refuse(`must be a number from 0 to ${MOST_WAITERS}`);
}

/** Intrusions are often investigated weeks later, and the log is the evidence. */
const SHORTEST_AUDIT_RETENTION_MS = 30 * DAY_MS;

export function parseAuditRetention(text: string): Ms {
  const retentionMs = parseDuration(text);
  return retentionMs >= SHORTEST_AUDIT_RETENTION_MS ? retentionMs : refuse('must be 30d or more');
}

export function parseRatio(text: string): number {
  return /^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(text) ? Number(text) : refuse('must be 0 to 1');
}

/** The base of the paths of OTLP, as the OpenTelemetry specification has it. */
export function parseCollector(text: string): string {
  const { origin, pathname, search, hash } = new URL(parseWebAddress(text));
  if (search + hash !== '') refuse('must have no query and no fragment');
  return origin + pathname.replace(/\/$/, '');
}

export function parseChoice<Choice extends string>(
  text: string,
  choices: readonly Choice[],
): Choice {
  return choices.find((choice) => choice === text) ?? refuse(`must be ${choices.join(' or ')}`);
}

export function parseSwitch(text: string): boolean {
  return parseChoice(text, ['on', 'off']) === 'on';
}

export function parseList<Item>(text: string, parse: (item: string) => Item): Item[] {
  return text.split(',').map((item) => parse(item.trim()));
}

function refuse(reason: string): never {
  throw new Error(reason);
}

export function originOf(host: string, port: number): string {
  return new URL(`http://${bracketed(host)}:${port}`).origin;
}

const bracketed = (host: string) => (isIP(host) === 6 ? `[${host}]` : host);
