import { describe, expect, it } from 'vitest';
import { folded } from './folded.ts';

describe('a search takes as the same', () => {
  it.each([
    ['the case of letters', 'FAISAL', 'faisal'],
    ['accents', 'Zoë Ångström', 'zoe angstrom'],
    ['letters that are put together, and taken apart', 'e\u0301', '\u00e9'],
    ['full width', 'ＬＯＧＩＮ１', 'login1'],
    ['hamza on alef', 'أحمد', 'احمد'],
    ['hamza under alef', 'إبراهيم', 'ابراهيم'],
    ['madda', 'آمنة', 'امنه'],
    ['alef wasla', 'ٱلله', 'الله'],
    ['hamza on waw', 'مؤمن', 'مومن'],
    ['hamza on yeh', 'عائشة', 'عايشه'],
    ['a hamza that stands alone, or on yeh', 'شيء', 'شئ'],
    ['alef maksura', 'ليلى', 'ليلي'],
    ['ta marbuta', 'فاطمة', 'فاطمه'],
    ['tatweel', 'محـــمد', 'محمد'],
    ['marks', 'مُحَمَّدٌ', 'محمد'],
    ['Persian letters', 'علی کریم', 'علي كريم'],
    ['ligatures', 'ﻻ', 'لا'],
    ['Arabic-Indic digits', '١٠٠٠٠٠١٢٠١', '1000001201'],
    ['Persian digits', '۱۰۰۰۰۰۱۲۰۱', '1000001201'],
    ['curly apostrophes', 'O\u2019Neil \u2018Abd', "o'neil 'abd"],
    ['ayn and hamza in Latin letters', 'Sa\u02bfud, Ra\u02bes', "sa'ud, ra's"],
    ['an accent as an apostrophe', 'O\u00b4Neil', "O'Neil"],
    ['signs that are not seen', '\u200fم\u200cحمد\u2069', 'محمد'],
    ['no-break spaces', 'ريم\u00a0عمر', 'ريم عمر'],
  ])('%s', (_, one, other) => expect(folded(one)).toBe(folded(other)));

  it.each([
    ['other letters', 'سالم', 'شالم'],
    ['words with and without a space', 'عبد الله', 'عبدالله'],
    ['other digits', '١', '۲'],
    ['yeh and alef', 'ليلى', 'ليلا'],
  ])('not %s', (_, one, other) => expect(folded(one)).not.toBe(folded(other)));

  it('no word and nothing', () => expect(folded('\u0640\u064e')).toBe(''));
});
