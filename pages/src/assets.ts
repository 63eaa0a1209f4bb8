import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** A file that the pages need from their own origin. */
export type Asset = {
  /**
   * The path to serve it at, for example `/assets/miftah-0123456789.css`. It changes with the
   * content.
   */
  readonly path: string;
  readonly contentType: string;
  /** The content; it is read from disk at the first use and kept. */
  read(): Buffer;
};

const require = createRequire(import.meta.url);

const fonts = ['arabic', 'latin'].flatMap((subset) =>
  ['400', '600'].map((weight) => font(`${subset}-${weight}`)),
);

/** The one stylesheet of all pages. */
export const stylesheet = asset('miftah', '.css', 'text/css; charset=utf-8', readStylesheet);

/** The icon of the browser tab. */
export const icon = asset('key', '.svg', 'image/svg+xml', () =>
  readFileSync(new URL('./key.svg', import.meta.url)),
);

/**
 * Everything to serve in addition to the pages, at these paths of the origin. The names contain a
 * digest of the content, so the files may be cached for ever.
 */
export const assets: readonly Asset[] = [stylesheet, icon, ...fonts.map(({ file }) => file)];

/** A font file, and its plain name in the stylesheet. */
function font(name: string): { readonly name: string; readonly file: Asset } {
  const read = (): Buffer => {
    const fontPackage = require.resolve('@fontsource/ibm-plex-sans-arabic/package.json');
    return readFileSync(
      join(dirname(fontPackage), 'files', `ibm-plex-sans-arabic-${name}-normal.woff2`),
    );
  };
  return { name: `${name}.woff2`, file: asset(`plex-${name}`, '.woff2', 'font/woff2', read) };
}

/** The stylesheet, with the plain font names replaced by their addresses. */
function readStylesheet(): Buffer {
  const css = readFileSync(new URL('./miftah.css', import.meta.url), 'utf8');
  return Buffer.from(fonts.reduce((text, { name, file }) => text.replace(name, file.path), css));
}

/** Makes an asset; `load` runs at the first use. */
export function asset(
  name: string,
  suffix: string,
  contentType: string,
  load: () => Buffer,
): Asset {
  const read = once(load);
  const path = once(() => `/assets/${name}-${digest(read())}${suffix}`);
  return {
    contentType,
    read,
    get path() {
      return path();
    },
  };
}

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}

function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => (made ??= { value: make() }).value;
}
