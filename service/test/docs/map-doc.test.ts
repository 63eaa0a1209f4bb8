import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { codesOf, readDocument } from './documents.ts';

const ROOT = new URL('../../../', import.meta.url);

/** The documents that lead a stranger through the code. */
const GUIDES = [
  'docs/map.md',
  'service/src/attempt/README.md',
  'service/test/README.md',
  'simulator/src/journal/README.md',
];

/**
 * The paths of a guide that are not there. A path begins at the root, in `service/src/`, beside the
 * guide, or in a folder that the guide has named before.
 */
function missingIn(guide: string, text: string): readonly string[] {
  const beside = new URL('.', new URL(guide, ROOT));
  const folders = [ROOT, new URL('service/src/', ROOT), beside, new URL('support/', beside)];
  return pathsIn(text).filter((path) => {
    const found = folders.map((folder) => new URL(path, folder)).find((url) => existsSync(url));
    if (found !== undefined) folders.push(new URL('.', found));
    return found === undefined;
  });
}

/** What stands in backticks and ends as a folder or a file of the sources does. */
function pathsIn(text: string): readonly string[] {
  return codesOf(text).filter((code) => /^[\w-][\w./-]*(?:\/|\.(?:tsx?|json))$/.test(code));
}

describe.each(GUIDES)('%s', (guide) => {
  it('names only folders and files that are there', () => {
    const text = readDocument(guide);
    expect(pathsIn(text).length).toBeGreaterThan(10);
    expect(missingIn(guide, text)).toEqual([]);
  });
});

it('a folder or a file that has moved is found', () => {
  const text =
    '`service/src/attempt/` has `start/`, `gone/` and `services.flow.ts`, and `gone.ts`.';
  expect(missingIn('docs/map.md', text)).toEqual(['gone/', 'gone.ts']);
});

it.each([
  ['README.md', 1250],
  ['docs/map.md', 650],
])('%s stays short', (path, words) => {
  expect(readDocument(path).split(/\s+/).length).toBeLessThan(words);
});
