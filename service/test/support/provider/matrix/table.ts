import { claimsOf, KID, type Changes, type Forge, type Kind } from '../token-forge.ts';

/** One token, named after what is wrong with it. Valid tokens have no reason. */
export interface TokenCase {
  readonly name: string;
  readonly kind: Kind;
  readonly make: (forge: Forge) => string;
}

export interface Negative extends TokenCase {
  /** The reason that the verifier must give, so that no case is refused by accident. */
  readonly reason: string;
}

export type Maker = (forge: Forge) => string;
export type Row = readonly [name: string, reason: string, make: Maker];
export type ValueRow = readonly [name: string, value: unknown, reason?: string];

export function tableOf(kind: Kind, rows: readonly Row[]): Negative[] {
  return rows.map(([name, reason, make]) => ({ name: `${kind}: ${name}`, kind, reason, make }));
}

/** One claim with wrong values. The reason is the claim's name unless another one is given. */
export function claim(kind: Kind, name: string, rows: readonly ValueRow[]): Negative[] {
  return tableOf(
    kind,
    rows.map(([what, value, reason = name]) => [
      `${name} ${what}`,
      reason,
      (forge) => forge.sign(claimsOf(kind, { [name]: value })),
    ]),
  );
}

export function header(rows: readonly (readonly [string, string, Changes])[]): Negative[] {
  return tableOf(
    'redirect',
    rows.map(([name, reason, changes]) => [
      name,
      reason,
      (forge) => forge.sign(claimsOf('redirect'), changes),
    ]),
  );
}

export const RIGHT_HEADER = JSON.stringify({ alg: 'RS256', kid: KID });

export function good(): string {
  return JSON.stringify(claimsOf('redirect'));
}
