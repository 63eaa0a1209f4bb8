import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ar } from './ar.ts';
import { en } from './en.ts';

describe('the texts of the console', () => {
  const arabic = flatten(ar);
  const english = flatten(en);

  it('have the same names in both languages', () => {
    expect([...english.keys()].toSorted()).toEqual([...arabic.keys()].toSorted());
  });

  it('leave the same places to fill in both languages', () => {
    for (const [key, sentence] of arabic) {
      expect(places(english.get(key)), key).toEqual(places(sentence));
    }
  });

  it('are written in their own language', () => {
    for (const [key, sentence] of arabic) expect(sentence, key).toMatch(/\p{Script=Arabic}/u);
    for (const [key, sentence] of english) expect(sentence, key).not.toMatch(/\p{Script=Arabic}/u);
  });

  it('have the note of each built-in person, which is in English, in Arabic', () => {
    const file = readFileSync(join(import.meta.dirname, '../../../simulator/people.json'), 'utf8');
    const { people } = JSON.parse(file) as { people: readonly { about: string }[] };
    const notes = people.map(({ about }) => about).toSorted();
    expect(Object.keys(ar.people.notes).toSorted()).toEqual(notes);
    for (const note of notes) expect(english.get(`people.notes.${note}`)).toBe(note);
  });

  it('have in English what the document says of each call', () => {
    for (const said of Object.keys(ar.reference.calls)) {
      expect(english.get(`reference.calls.${said}`)).toBe(said);
    }
  });

  it('have in Arabic what the document says of each call', () => {
    const folder = join(import.meta.dirname, '../../../simulator/src/control');
    const sources = globSync('**/*.ts', { cwd: folder }).map((file) => join(folder, file));
    const said = sources.flatMap((file) => [
      ...readFileSync(file, 'utf8').matchAll(/\bsummary:\s+'(.+)'/g),
    ]);
    expect(said.length).toBeGreaterThan(20);
    const known = Object.keys(ar.reference.calls);
    expect(said.map(([, summary = '']) => summary).filter((one) => !known.includes(one))).toEqual(
      [],
    );
  });

  it('have no Latin punctuation and no stray spaces in Arabic', () => {
    for (const [key, sentence] of arabic) expect(sentence, key).not.toMatch(/[,;?]|^\s|\s$|\s\s/);
  });
});

function flatten(words: object, prefix = ''): Map<string, string> {
  return new Map(
    Object.entries(words).flatMap(([key, value]: [string, string | object]) =>
      typeof value === 'string'
        ? [[prefix + key, value] as const]
        : [...flatten(value, `${prefix}${key}.`)],
    ),
  );
}

function places(sentence = ''): string[] {
  return (sentence.match(/\{\w+\}/g) ?? []).toSorted();
}
