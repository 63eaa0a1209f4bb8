import type { ar } from './ar.ts';

type Shape<Of> = {
  readonly [Key in keyof Of]: Of[Key] extends string ? string : Shape<Of[Key]>;
};

/** The texts of the console. Arabic sets the names, and every language has all of them. */
export type Words = Shape<typeof ar>;
