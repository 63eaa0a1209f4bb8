import { claimsOf, encode, thinClaims, type Forge, type Kind } from './token-forge.ts';

/** Gives the same numbers for the same seed, so that a failure can be reproduced. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 to below `sides` (mulberry32). */
  roll(sides: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  }

  pick<One>(all: readonly One[]): One {
    const one = all[this.roll(all.length)];
    if (one === undefined) throw new RangeError('nothing to pick from');
    return one;
  }
}

export interface Mutant {
  readonly kind: Kind;
  readonly token: string;
}

/** A valid token of either flow with one or two changes; never the valid token itself. */
export function mutate(forge: Forge, goods: Readonly<Record<Kind, string>>, dice: Dice): Mutant {
  const kind = dice.pick<Kind>(['redirect', 'phone']);
  const services = { forge, goods, kind, dice };
  for (;;) {
    const changed = dice.pick(CHANGES)(goods[kind], services);
    const token = dice.roll(4) === 0 ? dice.pick(CHANGES)(changed, services) : changed;
    if (token !== goods[kind]) return { kind, token };
  }
}

interface Services {
  readonly forge: Forge;
  readonly goods: Readonly<Record<Kind, string>>;
  readonly kind: Kind;
  readonly dice: Dice;
}
type Change = (token: string, services: Services) => string;

const LETTERS = Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.=+/ \n\u0000é',
);

function splice(text: string, from: number, count: number, more: string): string {
  return text.slice(0, from) + more + text.slice(from + count);
}

const letter: Change = (token, { dice }) =>
  splice(token, dice.roll(token.length + 1), dice.roll(2), dice.pick(LETTERS));

const cutOut: Change = (token, { dice }) =>
  splice(token, dice.roll(token.length + 1), 1 + dice.roll(40), '');

const repeat: Change = (token, { dice }) => {
  const from = dice.roll(token.length + 1);
  return splice(token, from, 0, token.slice(from, from + 1 + dice.roll(60)));
};

const swapCase: Change = (token, { dice }) => {
  const at = dice.roll(token.length + 1);
  const sign = token.charAt(at);
  return splice(
    token,
    at,
    1,
    sign === sign.toLowerCase() ? sign.toUpperCase() : sign.toLowerCase(),
  );
};

const shuffleParts: Change = (token, { dice }) => {
  const parts = token.split('.');
  return Array.from({ length: 2 + dice.roll(4) }, () => dice.pick(parts)).join('.');
};

/** Replaces a part by the same part of another valid token. */
const transplant: Change = (token, { goods, dice }) => {
  const parts = token.split('.');
  const others = goods[dice.pick<Kind>(['redirect', 'phone'])].split('.');
  const at = dice.roll(3);
  return parts.map((part, index) => (index === at ? (others[index] ?? '') : part)).join('.');
};

/** Flips a bit in the decoded part and encodes it correctly again. */
const flipBit: Change = (token, { dice }) => {
  const parts = token.split('.');
  const at = dice.roll(parts.length);
  const bytes = Buffer.from(parts[at] ?? '', 'base64url');
  const place = dice.roll(bytes.length + 1);
  if (place < bytes.length) bytes[place] = (bytes[place] ?? 0) ^ (1 << dice.roll(8));
  return parts.map((part, index) => (index === at ? encode(bytes) : part)).join('.');
};

const NAMES =
  'iss aud sub PersonId jti exp iat nbf nonce azp transId status ServiceName nin iqamaNumber'.split(
    ' ',
  );
// prettier-ignore
const VALUES: readonly unknown[] = [
  null, true, 0, 1, -1, 1e308, 1.5, 1_769_850_000, '', 'x', [], {},
  'https://provider.example.test', 'https://relying-party.example.test',
  'Login', 'COMPLETED', '1000002201', '1000003301',
];

/** Other claims, with a valid or an invalid signature. */
const otherClaims: Change = (_token, { forge, kind, dice }) => {
  const change = { [dice.pick(NAMES)]: dice.pick(VALUES) };
  const isThin = kind === 'phone' && dice.roll(2) === 0;
  const claims = isThin ? thinClaims(change) : claimsOf(kind, change);
  const header = JSON.stringify({ alg: 'RS256', kid: 'signing-key-1' });
  const { privateKey } = dice.pick([forge.keys, forge.others, forge.foreign]);
  return forge.signText(header, JSON.stringify(claims), privateKey);
};

const otherHeader: Change = (token, { forge, dice }) => {
  const [, claims = ''] = token.split('.');
  const name = dice.pick(['alg', 'kid', 'typ', 'crit', 'b64', 'jku', 'jwk', 'x5c', 'zip', 'cty']);
  const text = Buffer.from(claims, 'base64url');
  const header = {
    alg: 'RS256',
    kid: 'signing-key-1',
    [name]: dice.pick([...VALUES, 'none', 'HS256']),
  };
  return forge.signText(
    JSON.stringify(header),
    text,
    dice.pick([forge.keys, forge.others]).privateKey,
  );
};

// prettier-ignore
const CHANGES: readonly Change[] = [
  letter, cutOut, repeat, swapCase, shuffleParts, transplant, flipBit, otherClaims, otherHeader,
];
