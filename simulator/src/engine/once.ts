/** Makes a value at its first use, so that what is rarely needed does not slow down the start. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
