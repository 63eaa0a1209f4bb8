import type { Page } from './document.ts';

/** What of a page is written once, and the names of the values between its texts. */
type Shape = Pick<Page, 'script'> & {
  readonly texts: readonly string[];
  readonly names: readonly string[];
};

/** No key has what a caller may choose freely, so this many are of no caller's making. */
const MOST_SHAPES = 500;

const shapes = new Map<string, Shape>();

/** In the place of values while a page is rendered: a safe address, of characters that none escapes. */
const MARK = '/5f1d0c92-7b3e-4c54-9f0e-8a6b1d2c7e43/';

/**
 * A page that differs from others only in some values, which are put into its text as the renderer
 * would put them there. Only the first of each shape is rendered.
 *
 * @param key says all that the page depends on beside the values
 * @param render is told what stands for a value, by its name
 */
export function inShape<Name extends string>(
  key: readonly unknown[],
  values: Readonly<Record<Name, string>>,
  render: (valueOf: (name: Name) => string) => Page,
): Page {
  const id = JSON.stringify(key);
  const known = shapes.get(id) ?? shapeOf(render((name) => `${MARK}${name}/`));
  if (shapes.size >= MOST_SHAPES) shapes.clear();
  shapes.set(id, known);
  const { texts, names, ...rest } = known;
  const shown = new Map(Object.entries<string>(values));
  const parts = texts.map((text, index) => text + escaped(shown.get(names[index] ?? '') ?? ''));
  return { ...rest, html: parts.join('') };
}

function shapeOf({ html, ...rest }: Page): Shape {
  // split with a group: texts are at even indexes, names at odd ones.
  const parts = html.split(new RegExp(`${MARK}(\\w+)/`));
  return {
    ...rest,
    texts: parts.filter((_, index) => index % 2 === 0),
    names: parts.filter((_, index) => index % 2 === 1),
  };
}

const ENTITIES: Readonly<Record<string, string>> = { '"': '&quot;', '&': '&amp;', '<': '&lt;' };

const escaped = (text: string) => text.replaceAll(/["&<]/g, (one) => ENTITIES[one] ?? one);
