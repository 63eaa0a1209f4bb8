import { describe, expect, it } from 'vitest';
import { Imports, IMPORT_LIMITS, type Imported } from './imports.ts';
import { ENTRY_CHARACTERS } from './journal.ts';

const attempt = {
  flow: 'mfa',
  state: 'pending',
  reason: null,
  client: null,
  service: null,
  createdAt: 0,
  expiresAt: 0,
};
const SILENT = { headers: {}, body: null };

function importedAs(id: string, scope: string, characters = 0): Imported {
  const exchange = {
    method: 'GET',
    path: 'x'.repeat(characters),
    status: 200,
    durationMs: 0,
    request: SILENT,
    response: SILENT,
  };
  const entry = { at: 0, side: 'area_a', name: 'readStatus', exchange, act: null } as const;
  return {
    attempt: { ...attempt, id, scope },
    entries: [{ number: 1, entry }],
    leftOut: 0,
    findings: [],
  };
}

const idsOf = (imports: Imports, scope: string) =>
  imports.list(scope).map(({ attempt: { id } }) => id);

describe('the imported time lines', () => {
  it('are the last ones of each scope', () => {
    const imports = new Imports({ ...IMPORT_LIMITS, ofScope: 2 });
    imports.add(importedAs('other', 'b'));
    for (const id of ['1', '2', '3']) imports.add(importedAs(id, 'a'));
    expect([idsOf(imports, 'a'), idsOf(imports, 'b')]).toEqual([['3', '2'], ['other']]);
    expect([imports.find('1', 'a'), imports.find('other', 'a')]).toEqual([null, null]);
  });

  it(`are at most ${IMPORT_LIMITS.all} of all scopes`, () => {
    const imports = new Imports();
    for (let id = 0; id <= IMPORT_LIMITS.all; id += 1) {
      imports.add(importedAs(String(id), `scope-${id}`));
    }
    expect([imports.find('0', 'scope-0'), imports.find('1', 'scope-1')]).toMatchObject([null, {}]);
  });

  it('have a bounded number of characters together', () => {
    const characters = 2 * (1000 + 2 * ENTRY_CHARACTERS);
    const imports = new Imports({ ...IMPORT_LIMITS, characters });
    for (const id of ['1', '2', '3']) imports.add(importedAs(id, 'a', 1000));
    expect(idsOf(imports, 'a')).toEqual(['3', '2']);
  });

  it('of one scope push out nothing of another', () => {
    const characters = 5 * (1000 + 2 * ENTRY_CHARACTERS);
    for (const limits of [{ all: 5 }, { characters }]) {
      const imports = new Imports({ ...IMPORT_LIMITS, ...limits });
      imports.add(importedAs('mine', 'quiet', 1000));
      for (let id = 0; id < 19; id += 1) imports.add(importedAs(String(id), 'loud', 1000));
      expect(idsOf(imports, 'quiet')).toEqual(['mine']);
      expect(idsOf(imports, 'loud')).toEqual(['18', '17', '16', '15']);
    }
  });

  it('are weighed once each, however many there are', () => {
    const imports = new Imports();
    let looks = 0;
    for (let id = 0; id < 20; id += 1) {
      const one = importedAs(String(id), 'a');
      const entries = one.entries.map((kept) => ({
        ...kept,
        get entry() {
          looks += 1;
          return kept.entry;
        },
      }));
      imports.add({ ...one, entries });
    }
    expect(looks).toBe(20);
  });
});
