import { describe, expect, it } from 'vitest';
import { readDocument, sectionOf } from './documents.ts';

/** The modules of the conformance suite, and the tests that ask the same. */

const text = readDocument('docs/conformance.md');
const rows = (title: string) =>
  [...sectionOf(text, title).matchAll(/^\| `([^`]+)` +\| (.+?) +\|$/gm)].map(
    ([, module = '', proof = '']) => ({ module, proof }),
  );

describe('docs/conformance.md', () => {
  it.each([
    ['Basic', 38],
    ['Config', 1],
    ['Logout', 11],
    ['Back-channel logout', 2],
  ])('has each module of %s once', (title, count) => {
    const modules = new Set(rows(title).map(({ module }) => module));
    expect([modules.size, rows(title).length]).toEqual([count, count]);
  });

  it('names tests that are there', () => {
    const named = [...text.matchAll(/`([\w/-]+\.test\.ts)`: ([^|.]+?)(?: +\||\.)/g)];
    expect(named.length).toBeGreaterThan(40);
    for (const [, file = '', name = ''] of named) {
      expect(readDocument(`service/test/${file}`), name).toContain(name);
    }
  });

  it('says of every other module why', () => {
    const all = ['Basic', 'Config', 'Logout', 'Back-channel logout'].flatMap(rows);
    const others = all.filter(({ proof }) => !proof.startsWith('`'));
    for (const { proof } of others) {
      expect(proof).toMatch(/^(?:Would fail|No client may have it): ./);
    }
  });
});
