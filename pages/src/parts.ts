import { h, type ComponentChild, type JSX } from 'preact';
import type { Copy } from './copy/index.ts';

/** An identifier, code or address: always left to right, whatever surrounds it. */
export function ltrCode(text: string, testId?: string): JSX.Element {
  return h('code', { dir: 'ltr', ...(testId ? { 'data-testid': testId } : {}) }, breakable(text));
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Allows line breaks between the groups of a UUID, so that a narrow screen shows no single
 * character on a line.
 */
function breakable(text: string): ComponentChild {
  if (!UUID.test(text)) return text;
  return text
    .split('-')
    .flatMap((group, index) => (index === 0 ? [group] : ['-', h('wbr', null), group]));
}

/**
 * Commands to copy, under a few words that say what they do. Long lines scroll in their box, which
 * the keyboard reaches.
 */
export function commandBlock(command: string, label: string, { copy, copied }: Copy['commands']) {
  return h(
    'figure',
    { class: 'command' },
    h(
      'figcaption',
      null,
      label,
      h('span', { role: 'status' }, h('span', { 'data-copied': true, hidden: true }, copied)),
      h('button', { class: 'secondary', type: 'button', hidden: true }, copy),
    ),
    h('pre', { dir: 'ltr', tabindex: 0 }, h('code', null, command)),
  );
}

/** A sentence of the copy with its `{names}` replaced by elements or texts. */
export function fill(
  sentence: string,
  values: Readonly<Record<string, ComponentChild>>,
): ComponentChild[] {
  // split with a group: texts are at even indexes, names at odd ones.
  return sentence.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : values[part]));
}

/** A list of labelled values. */
export function facts(
  entries: readonly (readonly [label: string, value: ComponentChild])[],
): JSX.Element {
  return h(
    'dl',
    { class: 'facts' },
    entries.map(([label, value]) => h('div', null, h('dt', null, label), h('dd', null, value))),
  );
}

/** The project's logo: a key whose handle is an eight-pointed star. */
export function keyMark(): JSX.Element {
  const square = { x: 9.6, y: 4.2, width: 12.8, height: 12.8 };
  return h(
    'svg',
    { class: 'mark', viewBox: '0 0 32 32', width: 32, height: 32, 'aria-hidden': 'true' },
    // Two squares, one rotated by 45 degrees, make the star.
    h('rect', square),
    h('rect', { ...square, transform: 'rotate(45 16 10.6)' }),
    h('path', { d: 'M16 19.6V31M16 24.6h5.4M16 29h3.8' }),
  );
}
