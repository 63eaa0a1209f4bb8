/** JSON of the service in the names and values of this package. */

/** Seconds since 1970 on the wire. */
const EPOCH_NAMES: Readonly<Record<string, string>> = { iat: 'issuedAt', exp: 'expiresAt' };

/** Members in camel case, and times as `Date`, or null. Members that are not known here stay. */
export function fromWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromWire);
  if (!has<object>(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => converted(name, member)));
}

function converted(name: string, value: unknown): [string, unknown] {
  const camel =
    EPOCH_NAMES[name] ?? name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (camel.endsWith('At')) {
    const time = new Date(EPOCH_NAMES[name] ? Number(value) * 1000 : String(value));
    return [camel, +time ? time : null];
  }
  return [camel, name === 'active' && !!value !== value ? null : fromWire(value)];
}

/** Without the members that are undefined. */
export function present<Value>(
  members: Readonly<Record<string, Value | undefined>>,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(members).filter((entry): entry is [string, Value] => entry[1] !== undefined),
  );
}

/** Whether it is an object that has something as these members, which tell one answer from every other. */
export function has<Type extends object>(
  value: unknown,
  ...members: readonly (keyof Type & string)[]
): value is Type {
  return (
    Object(value) === value && members.every((name) => (memberOf(value, name) ?? null) !== null)
  );
}

/** @returns undefined where the value has no such member */
export function memberOf(value: unknown, member: string): unknown {
  return has<Record<string, unknown>>(value) ? value[member] : undefined;
}

export function textOf(value: unknown, member: string): string | undefined {
  const found = memberOf(value, member);
  return typeof found === 'string' ? found : undefined;
}

export const START_OPTIONS = 'locale, nationalId, returnAddress, endUserAddress';

/** As the service reads one. A list, or `unknown`, comes from the header of a proxy. */
export const isAddress = (value: unknown): boolean => /^[[\da-f]*[.:][!-~]+$/i.test(String(value));

/** What an option must be in every call that takes it, where the service does not say so. */
const VALUES: readonly (readonly [
  name: string,
  must: string,
  holds: (value: unknown) => boolean,
])[] = [
  [
    'clientKey',
    'mfk_… in ASCII without white space (.trim()) or Bearer',
    // A header can't carry other characters, and the error of `fetch` would show the key.
    (value) => /^mfk_[!-~]+$/.test(String(value)),
  ],
  ['endUserAddress', 'an IP address', isAddress],
  ['signal', 'an AbortSignal', (value) => has(value, 'aborted', 'addEventListener')],
  [
    'timeout',
    // Timers take no longer time, and end at once with one.
    'milliseconds below 2 ** 31',
    (value) => typeof value === 'number' && value >= 0 && value < 2 ** 31,
  ],
];

/**
 * JavaScript passes over a misspelt option, and the call would do something else: with `national_id`
 * for `nationalId`, a sign-in by phone would become one by browser.
 * @param known the names of the options, with commas between them
 * @param more what came after the options, and would do nothing
 * @throws TypeError that shows names only: a value may be a secret
 */
export function checkUse(
  call: string,
  options: object,
  known: string,
  ...more: readonly unknown[]
): void {
  const allowed = known.split(', ');
  // Such as `String`. What it says may be a secret.
  const kind = {}.toString.call(options).slice(8, -1);
  // A `Map` or a `URL` has no names of its own, and would be taken for no options at all.
  const given = kind === 'Object' ? Object.keys(options) : [kind];
  for (const name of [...given, ...more.map(() => 'more')]) {
    if (allowed.includes(name)) continue;
    const meant = [name, ...allowed.filter((one) => isNear(one, name))].join(', but ');
    throw new TypeError(`${call} takes { ${known} }; not: ${meant}`);
  }
  for (const [name, must, holds] of VALUES) {
    const value = memberOf(options, name);
    if (value !== undefined && !holds(value)) {
      throw new TypeError(`${name} must be ${must}${value === '' ? ', not empty' : ''}`);
    }
  }
}

/**
 * As `national_id`, `nationalID`, `natonalId` and `natioanlId` are near `nationalId`: but for one
 * letter, or for two that have changed places.
 */
function isNear(known: string, name: string): boolean {
  return known.split('').some((_, at) => {
    const pattern = known.replace(RegExp(`(.{${at}})(.)(.?)`), '$1(.?.?$3|$3$2)');
    return RegExp(pattern, 'i').test(name.replaceAll('_', ''));
  });
}

/** Null for a text that is no address. The oldest browsers have no `URL.canParse`. */
export function addressOf(text: string | URL, base: string | undefined): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}
