import type { ComponentChildren } from 'preact';

/** A sentence with its `{names}` replaced by elements or texts. */
export function fill(
  sentence: string,
  values: Readonly<Record<string, ComponentChildren>>,
): ComponentChildren[] {
  // Split with a group: texts are at even places, names at odd ones.
  return sentence.split(/\{(\w+)\}/).map((part, place) => (place % 2 === 0 ? part : values[part]));
}
