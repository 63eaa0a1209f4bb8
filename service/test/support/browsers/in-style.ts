import { parse, type AtRule, type Declaration, type Node, type Rule } from 'postcss';
import { newness } from './newer.ts';

/** Of the units that begin with d, l and s, which came together. */
const VIEWPORT = 'viewport_percentage_units';

/** By the last name of a key: `light-dark` has `css.types.color.light-dark`. */
const types = new Map<string, string>();
for (const key of newness.keys()) {
  if (key.startsWith('css.types.')) types.set(key.split('.').at(-1) ?? '', key);
}

/**
 * What a style has that the oldest browsers may be without, as keys of the compatibility data. What
 * is in `@supports` is not looked at, nor a declaration with another one of the same property in its
 * rule, which is its fallback.
 */
export function newerStylesIn(style: string): readonly string[] {
  const found = new Set<string>();
  parse(style).walk((node) => {
    if (isAsked(node)) return;
    for (const key of keysOf(node)) if (newness.get(key) === true) found.add(key);
  });
  return [...found].toSorted();
}

/** Whether the browser is asked first. */
function isAsked(node: Node): boolean {
  if (node.type === 'atrule' && (node as AtRule).name === 'supports') return true;
  return node.parent !== undefined && isAsked(node.parent);
}

function keysOf(node: Node): readonly string[] {
  if (node.type === 'decl') return ofDeclaration(node as Declaration);
  if (node.type === 'rule') return ofRule(node as Rule);
  return node.type === 'atrule' ? ofAtRule(node as AtRule) : [];
}

function ofDeclaration({ prop, value, parent }: Declaration): readonly string[] {
  const same =
    parent?.nodes.filter(
      (one) => one.type === 'decl' && one.prop.replace('-webkit-', '') === prop,
    ) ?? [];
  if (same.length > 1) return [];
  const words = value.match(/[a-z][a-z-]*/g) ?? [];
  const ofWords = words.map((word) => `css.properties.${prop}.${word}`);
  const functions = [...value.matchAll(/([a-z][a-z-]*)\(/g)].map(([, name = '']) =>
    types.get(name),
  );
  const units = [...value.matchAll(/\d([a-z]+)/g)].map(([, unit = '']) => unitKey(unit));
  const known = functions.filter((key) => key !== undefined);
  return [`css.properties.${prop}`, ...ofWords, ...known, ...units];
}

function unitKey(unit: string): string {
  const group = unit.startsWith('cq') ? 'container_query_length_units' : unit;
  return `css.types.length.${/^[dls]v/.test(unit) ? `${VIEWPORT}_dynamic` : group}`;
}

function ofRule({ selector, parent }: Rule): readonly string[] {
  const names = [...selector.matchAll(/::?([a-z-]+)/g)].map(([, name]) => `css.selectors.${name}`);
  const isNested = parent?.type === 'rule' || selector.includes('&');
  return isNested ? [...names, 'css.selectors.nesting'] : names;
}

function ofAtRule({ name, params }: AtRule): readonly string[] {
  const words = (params.match(/[a-z-]+/g) ?? []).map((word) => `css.at-rules.${name}.${word}`);
  const range = name === 'media' && /[<>]/.test(params) ? ['css.at-rules.media.range_syntax'] : [];
  return [`css.at-rules.${name}`, ...words, ...range];
}
