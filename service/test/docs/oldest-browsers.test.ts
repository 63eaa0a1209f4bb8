import { readdirSync, readFileSync } from 'node:fs';
import { assets } from '@miftah/pages';
import { expect, it } from 'vitest';
import { compileStandalone } from '../../../scripts/pack/compile.ts';
import { hasNewerSyntax, newerNamesIn } from '../support/browsers/in-script.ts';
import { newerStylesIn } from '../support/browsers/in-style.ts';
import { OLDEST } from '../support/browsers/newer.ts';

/**
 * What people open in a browser has nothing that the oldest browsers of docs/client.md are without,
 * but for what is named here. A name that is found here newly is either replaced, or has a fallback
 * and a run of Chromium without it (service/test/e2e/oldest-browsers.test.ts), or is a name of ours.
 */

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

const SCRIPTS: Readonly<Record<string, () => string | Promise<string>>> = {
  'the client': () => compileStandalone('client/src/index.ts'),
  'the element': () => compileStandalone('client/src/element.ts'),
  'the console': () => read('console/dist/console.js'),
  ...Object.fromEntries(
    readdirSync(new URL('../../../pages/browser', import.meta.url)).map((file) => [
      file,
      () => read(`pages/browser/${file}`),
    ]),
  ),
};

const STYLES: Readonly<Record<string, () => string>> = {
  'the element': () => /STYLE = `([^`]*)`/.exec(read('client/src/element/style.ts'))?.[1] ?? '',
  'the console': () => read('console/dist/console.css'),
  'the pages': () => String(assets.find(({ path }) => path.endsWith('.css'))?.read()),
};

/** What is called only where it is there, and what has the name of something newer. */
const ALLOWED_NAMES: Readonly<Record<string, readonly string[]>> = {
  // The element asks for each of them, and shows the same by a <style>.
  'the element': [
    'api.CSSStyleSheet.replaceSync',
    'api.Document.adoptedStyleSheets',
    'api.ElementInternals.states',
    'api.HTMLElement.attachInternals',
    'api.ShadowRoot.adoptedStyleSheets',
  ],
  // Names of our own members, and of Preact's signals.
  'the console': [
    'api.CookieChangeEvent.changed',
    'api.LargestContentfulPaint.element',
    'api.NavigationActivation.entry',
    'api.PushManager.subscribe',
    'javascript.builtins.Iterator.drop',
  ],
};

/** A browser without them leaves them out, and the page can be used as well. */
const ALLOWED_STYLES: readonly string[] = [
  // Forms and looks: the shape of the pointer, where lines break, the colour of a box.
  'css.properties.accent-color',
  'css.properties.cursor.not-allowed',
  'css.properties.cursor.pointer',
  'css.properties.font-family.ui-monospace',
  'css.properties.forced-color-adjust',
  'css.properties.forced-color-adjust.none',
  'css.properties.text-size-adjust',
  'css.properties.text-wrap',
  'css.properties.text-wrap.balance',
  'css.properties.text-wrap.pretty',
  // In iOS 16.0 an outline has no round corners; that is what is newer of it.
  'css.properties.outline',
  'css.properties.outline.none',
  'css.properties.outline.solid',
  // The frame around a choice, whose own mark is there; the legend of a time line has all sides.
  'css.selectors.has',
];

const allStyles = () => Object.values(STYLES).flatMap((style) => newerStylesIn(style()));

it.each(Object.entries(SCRIPTS))('%s has no newer syntax', async (_name, source) => {
  expect(hasNewerSyntax(await source())).toBe(false);
});

it.each(Object.entries(SCRIPTS))('%s calls nothing newer', async (name, source) => {
  expect(newerNamesIn(await source())).toEqual(ALLOWED_NAMES[name] ?? []);
});

it.each(Object.entries(STYLES))('%s has no newer style', (_name, style) => {
  expect(newerStylesIn(style()).filter((key) => !ALLOWED_STYLES.includes(key))).toEqual([]);
});

it('allows no style that none of them has', () => {
  expect(ALLOWED_STYLES.filter((key) => !allStyles().includes(key))).toEqual([]);
});

it.each([
  ['a block of a class', 'class A { static { A.b = 1; } }'],
  ['a look behind in a pattern', 'export const a = /(?<=b)c/;'],
  ['a flag of a pattern', 'export const a = /b/v;'],
])('%s is newer syntax', (_what, source) => {
  expect(hasNewerSyntax(source)).toBe(true);
});

it.each([
  ['AbortSignal.any([])', ['api.AbortSignal.any_static']],
  ['URL.canParse(a)', ['api.URL.canParse_static']],
  ['Promise.withResolvers()', ['javascript.builtins.Promise.withResolvers']],
  [
    'a.b.findLast(c)',
    ['javascript.builtins.Array.findLast', 'javascript.builtins.TypedArray.findLast'],
  ],
  ['new CSSStyleSheet().replaceSync(a)', ['api.CSSStyleSheet.replaceSync']],
  ['a.at(-1); Promise.any([]); Object.hasOwn(a, b)', []],
])('of %s the newer names are %j', (source, names) => {
  expect(newerNamesIn(source)).toEqual(names);
});

it.each([
  ['a { color: light-dark(#000, #fff) }', ['css.types.color.light-dark']],
  ['a { block-size: 1dvh }', ['css.types.length.viewport_percentage_units_dynamic']],
  ['a { b & { color: red } }', ['css.selectors.nesting']],
  ['@media (width <= 1rem) { a { color: red } }', ['css.at-rules.media.range_syntax']],
  ['@starting-style { a { color: red } }', ['css.at-rules.starting-style']],
  ['a { color: red; color: light-dark(#000, #fff) }', []],
  ['@supports (color: light-dark(#000, #fff)) { a { color: light-dark(#000, #fff) } }', []],
])('of %s the newer styles are %j', (source, keys) => {
  expect(newerStylesIn(source)).toEqual(keys);
});

it('the oldest browsers are those of the documentation', () => {
  const { chrome, firefox, safari_ios: ios } = OLDEST;
  expect(read('docs/client.md')).toContain(
    `iOS ${ios.toFixed(1)}, Chrome ${chrome} and Firefox ${firefox}`,
  );
});
