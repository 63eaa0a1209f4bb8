import type { ar } from './ar.ts';

/** Texts with the same keys as `Shape`. */
export type Words<Shape> = {
  readonly [Key in keyof Shape]: Shape[Key] extends string ? string : Words<Shape[Key]>;
};

/**
 * The texts of the pages. The Arabic file defines the keys; every other language must have the
 * same.
 */
export type Copy = Words<typeof ar>;
