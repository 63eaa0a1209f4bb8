// Checks the built site from its files: every link to a page, a heading, a picture or another file
// of the site, and that nothing is loaded from elsewhere.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const HOST = 'http://site.invalid';
/** The attributes with an address, and the elements whose address a browser loads by itself. */
const ADDRESS = /<(\w+)\b[^>]*?\s(?:href|src)="([^"]*)"/g;
const LOADED = new Set(['img', 'link', 'script', 'source', 'video', 'audio', 'iframe']);

export type SiteFolder = { readonly folder: string; readonly base: string };

/** What is wrong, a line for each link. */
export function findBrokenLinks({ folder, base }: SiteFolder): readonly string[] {
  const pages = pagesIn(folder);
  return [...pages].flatMap(([path, html]) =>
    addressesIn(html).flatMap(({ element, address }) => {
      const target = new URL(address, `${HOST}${base}${path}`);
      const fault = faultOf({ element, target }, { folder, base, pages });
      return fault === undefined ? [] : [`${path}: ${address} ${fault}`];
    }),
  );
}

/** The pages by their address below the base. */
function pagesIn(folder: string): ReadonlyMap<string, string> {
  const names = readdirSync(folder, { recursive: true }).map((name) =>
    String(name).replaceAll('\\', '/'),
  );
  const html = names.filter((name) => name.endsWith('.html'));
  return new Map(
    html.map((name) => [
      name.replace(/(?:^|(?<=\/))index\.html$/, ''),
      readFileSync(join(folder, name), 'utf8'),
    ]),
  );
}

function addressesIn(html: string) {
  return [...html.matchAll(ADDRESS)].map(([, element = '', address = '']) => ({
    element,
    address: address.replaceAll('&#38;', '&').replaceAll('&amp;', '&'),
  }));
}

type Found = { readonly element: string; readonly target: URL };
type Site = SiteFolder & { readonly pages: ReadonlyMap<string, string> };

function faultOf({ element, target }: Found, { folder, base, pages }: Site): string | undefined {
  if (target.protocol === 'data:') return undefined;
  if (target.origin !== HOST) {
    return LOADED.has(element) ? 'is loaded from another origin' : undefined;
  }
  if (!target.pathname.startsWith(base)) return `leads out of ${base}`;
  const path = decodeURIComponent(target.pathname.slice(base.length));
  const page = pages.get(path);
  if (page === undefined) {
    const isFile = existsSync(join(folder, path)) && statSync(join(folder, path)).isFile();
    return isFile ? undefined : 'leads to nothing';
  }
  const anchor = decodeURIComponent(target.hash.slice(1));
  if (anchor === '' || hasAnchor(page, anchor)) return undefined;
  return 'leads to a heading that is not there';
}

function hasAnchor(html: string, anchor: string): boolean {
  return html.includes(` id="${anchor}"`);
}
