import { describe, expect, it } from 'vitest';
import { stylesheet } from './assets.ts';
import { COLOURS, designPage } from './design.ts';

const css = stylesheet.read().toString('utf8');
const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)', 2);

/** The names of custom properties that are colours. */
const coloursIn = (text: string) =>
  [...text.matchAll(/^ +--([a-z-]+): #/gm)].map(([, name = '']) => name);

describe('the page of the design', () => {
  it('shows each colour of the style sheet, which has each in light and in dark', () => {
    expect(coloursIn(light.slice(light.indexOf(':root')))).toEqual(COLOURS);
    expect(coloursIn(dark.slice(0, dark.indexOf('*,')))).toEqual(COLOURS);
  });

  it.each(['ar', 'en'] as const)('is made of the classes of the style sheet, in %s', (locale) => {
    const { html } = designPage({ locale, languageLinks: { ar: '?ar', en: '?en' } });
    const classes = [...html.matchAll(/class="([^"]+)"/g)].flatMap(([, all = '']) =>
      all.split(' '),
    );
    const unknown = new Set(classes.filter((name) => !css.includes(`.${name}`)));
    expect([...unknown].filter((name) => name !== 'person-names')).toEqual([]);
  });
});
