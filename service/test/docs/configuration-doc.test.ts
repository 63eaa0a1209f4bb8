import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/settings.ts';
import { codeEntries, codesOf, readDocument, sectionOf } from './documents.ts';

const text = readDocument('docs/configuration.md');
const sections = ['Settings', 'Settings of live mode'];
const rows = sections.flatMap((title) => codeEntries(sectionOf(text, title)));

describe('docs/configuration.md', () => {
  it('explains each setting, and no other', () => {
    const explained = rows.flatMap(([name = '']) => codesOf(name));
    expect(explained.toSorted()).toEqual(Object.keys(SETTINGS).toSorted());
  });

  it('gives the defaults that --help gives', () => {
    for (const [name = '', given = ''] of rows) {
      const setting = codesOf(name)[0] as keyof typeof SETTINGS;
      const [, shown] = / \(([^)]+)\)$/.exec(SETTINGS[setting].help) ?? [];
      if (shown === undefined) continue;
      const why = `${setting}: what its help has in parentheses at the end is its default`;
      expect(codesOf(given), why).toEqual([shown]);
    }
  });
});
