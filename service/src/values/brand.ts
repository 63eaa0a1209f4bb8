declare const brand: unique symbol;

/** A string or number type whose values only its own parser or generator can make. */
export type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };
