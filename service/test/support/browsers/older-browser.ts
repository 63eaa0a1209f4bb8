import { newness, usual } from './newer.ts';

/** The classes and functions that the oldest browsers may be without, as keys of their data. */
export const NEWER: readonly string[] = [...usual].filter(
  (key) => newness.get(key) === true && /^(?:api|javascript\.builtins)\.\w+\.\w+$/.test(key),
);

/**
 * A script that takes these away from a page, before any other runs. A class is not taken away itself:
 * Chromium keeps some of them.
 */
export function without(keys: readonly string[]): string {
  const places = keys.map((key) => {
    const [owner = '', name = ''] = key.split('.').slice(-2);
    const isStatic = name.endsWith('_static');
    return [owner, name.replace(/_static$/, '')].concat(isStatic ? [] : ['prototype']);
  });
  return `for (const [owner, name, prototype] of ${JSON.stringify(places)}) {
    const of = globalThis[owner];
    const place = prototype === undefined ? of : of?.prototype;
    // JavaScript's own static functions are named as methods are.
    for (const one of [place, of]) if (one && Object.hasOwn(one, name)) delete one[name];
  }`;
}
