import type { ar } from './ar.ts';

type Words<Shape> = {
  readonly [Key in keyof Shape]: Shape[Key] extends string ? string : Words<Shape[Key]>;
};

/** The words of the pages. Arabic sets the shape; every other language must have the same keys. */
export type Copy = Words<typeof ar>;
