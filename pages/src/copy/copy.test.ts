import { describe, expect, it } from 'vitest';
import { ar } from './ar.ts';
import { en } from './en.ts';
import { operatorAr } from './operator-ar.ts';
import { operatorEn } from './operator-en.ts';

describe.each([
  ['the pages', ar, en],
  ['the pages for operators', operatorAr, operatorEn],
])('the words of %s', (_pages, arabicWords, englishWords) => {
  const arabic = flatten(arabicWords);
  const english = flatten(englishWords);

  it('have the same keys in both languages', () => {
    expect([...english.keys()]).toEqual([...arabic.keys()]);
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

  it('have no Latin punctuation and no stray spaces in Arabic', () => {
    for (const [key, sentence] of arabic) expect(sentence, key).not.toMatch(/[,;?]|^\s|\s$|\s\s/);
  });
});

function flatten(words: object): Map<string, string> {
  const found = new Map<string, string>();
  const collect = (inner: object, prefix: string): void => {
    for (const [key, value] of Object.entries(inner) as [string, string | object][]) {
      if (typeof value === 'string') found.set(prefix + key, value);
      else collect(value, `${prefix}${key}.`);
    }
  };
  collect(words, '');
  return found;
}

function places(sentence = ''): string[] {
  return (sentence.match(/\{\w+\}/g) ?? []).toSorted();
}
