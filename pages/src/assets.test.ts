import { describe, expect, it } from 'vitest';
import { assets, stylesheet } from './assets.ts';

describe('the assets', () => {
  it('have one address each, with a digest of the content', () => {
    const paths = assets.map(({ path }) => path);

    expect(new Set(paths).size).toBe(assets.length);
    for (const path of paths) {
      expect(path).toMatch(/^\/assets\/[a-z0-9-]+-[0-9a-f]{12}\.(?:css|svg|woff2)$/);
    }
  });

  it('are read once and kept', () => {
    for (const asset of assets) expect(asset.read()).toBe(asset.read());
  });

  it('are four fonts of the real format, an icon and a stylesheet', () => {
    const fonts = assets.filter(({ contentType }) => contentType === 'font/woff2');

    expect(fonts).toHaveLength(4);
    for (const font of fonts) expect(font.read().toString('latin1', 0, 4)).toBe('wOF2');
    expect(assets).toHaveLength(6);
  });

  it('include all that the stylesheet asks for', () => {
    const css = stylesheet.read().toString('utf8');
    const wanted = [...css.matchAll(/url\('([^']*)'\)/g)].map(([, address]) => address);

    expect(wanted).toHaveLength(4);
    expect(assets.map(({ path }) => path)).toEqual(expect.arrayContaining(wanted));
  });

  it('lay pages out by logical directions only', () => {
    const css = stylesheet.read().toString('utf8');

    expect(css).not.toMatch(/(?:^|[\s-])(?:left|right)\b/m);
    expect(css).not.toMatch(/^\s*(?:width|height|(?:min|max)-(?:width|height)):/m);
  });
});
