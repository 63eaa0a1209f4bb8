import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { documentsIn, readDocument } from './documents.ts';

const DOCUMENTS = [
  ...['docs', 'docs/ar', 'decisions'].flatMap((folder) => documentsIn(folder)),
  'README.md',
  'STYLE.md',
  'CHANGELOG.md',
  'site/README.md',
  'service/src/attempt/README.md',
  'service/test/README.md',
  'simulator/src/journal/README.md',
  'examples/web/README.md',
];

/** GitHub's names for headings. */
function anchorsOf(text: string): readonly string[] {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(DOCUMENTS)('%s', (path) => {
  const links = [...readDocument(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const own = links.filter((link) => !/^https?:/.test(link));

  it('leads only to places that are there', () => {
    for (const link of own) {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      expect(existsSync(new URL(`../../../${target}`, import.meta.url)), link).toBe(true);
      if (anchor !== undefined) expect(anchorsOf(readDocument(target)), link).toContain(anchor);
    }
  });
});

const SECTIONS = ['Context', 'Decision', 'Consequences', 'Rejected', 'Revisit when'];

describe('decisions/README.md', () => {
  it('lists each record once, in order', () => {
    const index = readDocument('decisions/README.md');
    const listed = [...index.matchAll(/\]\((\d{4}-[^)#]+)\)/g)].map(([, name = '']) => name);
    const records = documentsIn('decisions')
      .map((path) => path.replace('decisions/', ''))
      .filter((name) => name !== 'README.md');
    expect(listed).toEqual(records.toSorted());
  });

  it('has records that say what was decided, what follows and what was rejected', () => {
    for (const path of documentsIn('decisions').filter((name) => !name.endsWith('README.md'))) {
      const headings = [...readDocument(path).matchAll(/^## (.+)$/gm)].map(([, name]) => name);
      expect(headings, path).toEqual(SECTIONS);
    }
  });
});
