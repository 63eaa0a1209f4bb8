import { describe, expect, it } from 'vitest';
import { parseActor, parseReason, partsOf, textOfActor, type Actor } from './act.ts';

const command = (
  name: string | null,
  login: { readonly uid: number; readonly name: string | null } | null = null,
): Actor => ({ kind: 'command', account: { uid: 998, name }, login });

describe('an actor', () => {
  it.each<[string, Actor]>([
    ['uid:998', command(null)],
    ['uid:998(miftah)', command('miftah')],
    ['uid:998(miftah),login:1001(amal)', command('miftah', { uid: 1001, name: 'amal' })],
    ['uid:998,login:1001', command(null, { uid: 1001, name: null })],
    ['uid:998(amal@example)', command('amal@example')],
    // A name that would not be told from the signs around it is left out.
    ['uid:998', command('x),login:0(root')],
    ['uid:998', command('two words')],
    ['uid:998', command('\u202eimad')],
    ['uid:-(amal)', { kind: 'command', account: { uid: null, name: 'amal' }, login: null }],
    ['operator:4f-9a|b c', { kind: 'operator', subject: '4f-9a|b c' }],
  ])('is %s', (text, actor) => {
    expect(textOfActor(actor)).toBe(text);
    expect(parseActor(text)).toBe(text);
  });

  it.each(['', 'x'.repeat(256), 'a\nb', 'عمل'])('of a provider has no subject %j', (subject) => {
    expect(() => textOfActor({ kind: 'operator', subject })).toThrow('no valid subject');
  });

  it.each([
    '',
    'amal',
    'uid:',
    'uid:x',
    'uid:998(a b)',
    'uid:998(a),login:',
    'operator:',
    'uid:998 ',
  ])('is not %j', (text) => expect(parseActor(text)).toBeNull());

  it('has the account that has logged in before that of the process', () => {
    const text = textOfActor(command('miftah', { uid: 1001, name: 'amal' }));
    expect(partsOf(text)).toEqual([
      { id: 'login:1001', name: 'amal' },
      { id: 'uid:998', name: 'miftah' },
    ]);
    expect(partsOf(textOfActor(command(null)))).toEqual([{ id: 'uid:998', name: null }]);
    const operator = textOfActor({ kind: 'operator', subject: 'uid:0(root),login:1' });
    expect(partsOf(operator)).toEqual([{ id: operator, name: null }]);
  });
});

describe('a reason', () => {
  it.each([
    ['asked for by the person, ticket 4711', 'asked for by the person, ticket 4711'],
    ['  بلاغ رقم ٤٧١١ ', 'بلاغ رقم ٤٧١١'],
    ['ticket 2026-01-31 4711', 'ticket 2026-01-31 4711'],
    [
      'down from 2026-01-31 14:30 to 2026-02-01 08:00',
      'down from 2026-01-31 14:30 to 2026-02-01 08:00',
    ],
    ['tickets 47110 and 47111', 'tickets 47110 and 47111'],
    ['ticket 123456789', 'ticket 123456789'],
    ['r'.repeat(200), 'r'.repeat(200)],
  ])('is kept: %j', (text, reason) => expect(parseReason(text)).toBe(reason));

  it.each([
    ['nothing', ''],
    ['spaces', '  '],
    ['too long', 'r'.repeat(201)],
    ['two lines', 'a\nb'],
    ['a sign that controls a terminal', 'a\u001b[2Jb'],
    ['an override of direction', 'a\u202eb'],
    ['half of a character', 'a\ud800'],
    ['a national id', 'of 1000000001'],
    ['a national id in other digits', '١٠٠٠٠٠٠٠٠١'],
    ['a national id with spaces', '1 000 000 001'],
    ['a national id with hyphens', '1000-000-001'],
    ['a national id in a longer number', 'x01000000001y'],
    ['a national id with slashes', '1000/000/001'],
    ['a national id with underscores', '1000_000001'],
    ['a national id with commas', '1,000,000,001'],
    ['a national id with colons', '1000:000001'],
    ['a national id with dots in the middle', '1000·000001'],
    ['a national id with two spaces', '1000  000001'],
    ['a national id with a hyphen between spaces', '1000 - 000001'],
    ['a national id with brackets', '(1000) [000001]'],
    ['a national id with an emoji', '1000\u{1f642}000001'],
    ['a national id with a tatweel', '١٠٠٠ـ٠٠٠٠٠١'],
    ['a national id with accents', '1\u0301000\u0301000\u0301001'],
    ['a national id in circles', '①⓪⓪⓪⓪⓪⓪⓪⓪①'],
    ['a national id in dark circles', '❶⓿⓿⓿⓿⓿⓿⓿⓿❶'],
    ['a national id in full width', '１００００００００１'],
    ['a national id in raised digits', '¹⁰⁰⁰⁰⁰⁰⁰⁰¹'],
    ['a national id around a date', '1000 2026-01-31 000001'],
    ['a longer number with signs', '+966 50 123 4567'],
    ['a date that is none', '2026-13-31 4711'],
    ['an e-mail address', 'amal@example.com'],
    ['a key', 'mfk_abc'],
  ])('is not %s', (_, text) => expect(parseReason(text)).toBeNull());
});
