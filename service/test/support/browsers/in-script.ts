import { parseSync, Visitor } from 'oxc-parser';
import { transformSync } from 'rolldown/utils';
import { newness, OLDEST_TARGETS, usual } from './newer.ts';

/** By the last name of a key: `any` has `api.AbortSignal.any_static` and others. */
const byName = new Map<string, readonly string[]>();
for (const key of usual) {
  const path = /^(?:api|javascript\.builtins)\.(?:\w+\.)?(\w+)$/.exec(key)?.[1];
  if (path === undefined) continue;
  const name = path.replace(/_static$/, '');
  byName.set(name, [...(byName.get(name) ?? []), key]);
}

/** Whether a compiler would have to rewrite it: an operator, a class member, a flag of a pattern. */
export function hasNewerSyntax(source: string): boolean {
  const compile = (target: string | string[]) => {
    const { code, errors } = transformSync('script.js', source, { target });
    if (errors.length > 0) throw new Error(String(errors[0]));
    return code;
  };
  return compile('esnext') !== compile(OLDEST_TARGETS);
}

/**
 * The functions, members and classes of a script that the oldest browsers may be without, as keys of
 * the compatibility data. Of a member whose object is not known, the name counts: it is found where
 * everything of this name is newer.
 */
export function newerNamesIn(source: string): readonly string[] {
  const found = new Set<string>();
  const { program, errors } = parseSync('script.js', source);
  if (errors[0] !== undefined) throw new Error(errors[0].message);
  new Visitor({
    MemberExpression({ object, property, computed }) {
      if (computed || property.type !== 'Identifier') return;
      const owner = object.type === 'Identifier' ? object.name : '';
      for (const key of newerMembers(property.name, owner)) found.add(key);
    },
    Identifier({ name }) {
      for (const key of [`api.${name}`, `javascript.builtins.${name}`]) {
        if (usual.has(key) && newness.get(key) === true) found.add(key);
      }
    },
  }).visit(program);
  return [...found].toSorted();
}

function newerMembers(name: string, owner: string): readonly string[] {
  const keys = byName.get(name) ?? [];
  const ofOwner = keys.filter((key) => key.split('.').at(-2) === owner);
  const candidates = ofOwner.length > 0 ? ofOwner : keys.filter((key) => !key.endsWith('_static'));
  const isOld = candidates.some((key) => newness.get(key) === false);
  return isOld ? [] : candidates;
}
