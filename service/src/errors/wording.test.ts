import { describe, expect, it } from 'vitest';
import { LOCALES } from '../values/locale.ts';
import { ERROR_CODES, type ErrorWording } from './catalogue.ts';
import { FIELD_RULES } from './refusal.ts';
import {
  detailOf,
  fieldSentence,
  mediaTypesSentence,
  summarySentence,
  wordingOf,
} from './wording.ts';

const ARABIC_LETTER = /[\u0621-\u064a]/;

function textsOf({ title, message, detail, cause, remedy }: ErrorWording): string[] {
  return [title, message, ...(detail === undefined ? [] : [detail]), cause, remedy];
}

describe.each(ERROR_CODES)('%s', (code) => {
  it.each(LOCALES)('is worded in %s, without gaps', (locale) => {
    const wording = wordingOf(code, locale);
    for (const text of textsOf(wording)) {
      expect(text).toBe(text.trim());
      expect(text).not.toBe('');
      expect(text).not.toMatch(/ {2}|undefined|TODO/);
    }
    expect(wording.title).not.toMatch(/\.$/);
    expect(wording.cause).toMatch(/\.$/);
    expect(wording.remedy).toMatch(/[.}]$/);
  });

  it('has a message that ends with a full stop, except for server.error in English', () => {
    expect(wordingOf(code, 'ar').message).toMatch(/\.$/);
    // Callers may compare it, as the messages below.
    if (code === 'server.error') expect(wordingOf(code, 'en').message).toBe('Server Error');
    else expect(wordingOf(code, 'en').message).toMatch(/\.$/);
  });

  it('is Arabic in Arabic, and has no Arabic in English', () => {
    for (const text of textsOf(wordingOf(code, 'ar'))) expect(text).toMatch(ARABIC_LETTER);
    for (const text of textsOf(wordingOf(code, 'en'))) {
      expect(text).not.toMatch(ARABIC_LETTER);
    }
  });
});

describe('the messages that clients may compare', () => {
  it.each([
    ['attempt.token_missing', 'Unauthenticated.'],
    ['attempt.not_found', 'Attempt not found.'],
    ['attempt.expired', 'The attempt has expired.'],
    ['attempt.pending', 'The attempt is not authenticated yet.'],
    ['attempt.wrong_flow', 'The attempt belongs to another flow.'],
    ['attempt.already_redeemed', 'The attempt has already been used.'],
    ['attempt.completion_required', 'The sign-in must be finished in the browser where it began.'],
    ['request.malformed_json', 'The request body is not valid JSON.'],
    ['client.unauthenticated', 'Unauthenticated.'],
    ['token.missing', 'Unauthenticated.'],
    ['token.invalid', 'Unauthenticated.'],
    ['rate_limited', 'Too Many Attempts.'],
    ['provider.record_not_found', 'The identity provider has no record for this identifier.'],
    ['provider.unavailable', 'The identity provider is not available.'],
    ['provider.misconfigured', 'The identity provider refused the service.'],
    ['server.error', 'Server Error'],
  ] as const)('%s: %s', (code, message) => {
    expect(wordingOf(code, 'en').message).toBe(message);
  });

  it('names the setting that allows a host, in both languages', () => {
    for (const locale of LOCALES) {
      expect(wordingOf('request.misdirected', locale).message).toContain('ALLOWED_HOSTS');
    }
  });
});

it.each(ERROR_CODES)(
  '%s sends nobody to the reader of the API, which many instances lack',
  (code) => {
    for (const locale of LOCALES) {
      expect(Object.values(wordingOf(code, locale)).join(' ')).not.toMatch(/\/docs\b/);
    }
  },
);

describe('the detail', () => {
  it.each([
    ['attempt.token_missing', 'X-Provider-Attempt-Token'],
    ['client.unauthenticated', 'Authorization'],
    ['token.missing', 'Authorization'],
  ] as const)('of %s names the header that is missing', (code, header) => {
    for (const locale of LOCALES) expect(detailOf(code, locale)).toContain(header);
  });

  it('is the message where there is no more to say', () => {
    expect(detailOf('attempt.not_found', 'en')).toBe('Attempt not found.');
  });

  it('names the media types that an operation reads', () => {
    const types = ['application/json', 'text/plain'];
    expect(mediaTypesSentence(types, 'en')).toBe('Send application/json or text/plain.');
    expect(mediaTypesSentence(types.slice(0, 1), 'ar')).toBe('أرسل application/json.');
  });
});

describe('attempt.not_found', () => {
  it('does not say whether the token or the identifier was wrong', () => {
    const english = wordingOf('attempt.not_found', 'en');
    expect(english.title + english.message).not.toMatch(/token|identifier|\bid\b/i);
    expect(english.cause).toMatch(/identifier.* or .*token/);
    const arabic = wordingOf('attempt.not_found', 'ar');
    expect(arabic.title + arabic.message).not.toMatch(/رمز|معرّف/);
    expect(arabic.cause).toMatch(/معرّف.*أو.*رمز/);
  });
});

describe('the sentence about one member', () => {
  it.each([
    [
      'national_id',
      'format',
      'The national id format is invalid: it has ten digits, the first not 0, and is not a phone number.',
    ],
    ['locale', 'format', 'The locale format is invalid: use ar or en.'],
    ['decision', 'format', 'The decision format is invalid: use approve, refuse or not_me.'],
    ['state', 'format', 'The state format is invalid.'],
    [
      'return_address',
      'not_listed',
      'The return address is not one of those registered for this client.',
    ],
    ['locale', 'required', 'The locale field is required.'],
    ['attempt_token', 'required', 'The attempt token field is required.'],
    ['attempt_token', 'type', 'The attempt token field must be a string.'],
    ['attempt_token', 'too_long', 'The attempt token field is too long.'],
    ['completion_code', 'too_short', 'The completion code field is too short.'],
    ['device_name', 'too_long', 'The device name field must not be greater than 255 characters.'],
    ['auto_complete', 'type', 'The auto complete field must be true or false.'],
    ['state', 'required', 'The state field is required.'],
    ['foo', 'unknown', 'The foo field is not known here.'],
    ['national_id', 'unknown', 'The national_id field is not known here.'],
    [
      'Idempotency-Key',
      'format',
      'The Idempotency-Key header format is invalid: use 22 to 255 visible ASCII characters without spaces, for example a UUID.',
    ],
    [
      'X-End-User-Address',
      'format',
      'The X-End-User-Address header format is invalid: use one IP address, for example 203.0.113.7, or leave the header out.',
    ],
    [
      'X-Miftah-Scope',
      'format',
      'The X-Miftah-Scope header format is invalid: use 1 to 64 of the characters a-z, 0-9 and hyphen.',
    ],
    [
      'scope in the address',
      'format',
      'The address scope format is invalid: use 1 to 64 of the characters a-z, 0-9 and hyphen.',
    ],
    ['body', 'required', 'The request body is required.'],
    ['body', 'type', 'The request body must be a JSON object.'],
    ['body', 'object', 'The request body must be a JSON object.'],
    ['body', 'unknown', 'The body field is not known here.'],
  ] as const)('%s, %s: %s', (field, rule, sentence) => {
    expect(fieldSentence({ field, rule }, 'en')).toBe(sentence);
  });

  it.each([
    [
      'national_id',
      'format',
      'صيغة حقل رقم الهوية غير صحيحة: يتكوّن من عشرة أرقام ليس أولها صفرًا، وليس رقم جوال.',
    ],
    ['locale', 'format', 'صيغة حقل اللغة غير صحيحة: استخدم ar أو en.'],
    ['locale', 'required', 'حقل اللغة مطلوب.'],
    ['locale', 'type', 'يجب أن يكون حقل اللغة نصًا.'],
    ['device_name', 'too_long', 'يجب ألا يتجاوز حقل اسم الجهاز 255 حرفًا.'],
    ['auto_complete', 'type', 'يجب أن يكون حقل الإكمال التلقائي true أو false.'],
    ['foo', 'unknown', 'الحقل foo غير معروف هنا.'],
    [
      'X-End-User-Address',
      'format',
      'صيغة حقل الترويسة X-End-User-Address غير صحيحة: استخدم عنوان IP واحدًا، مثل 203.0.113.7، أو لا ترسل هذه الترويسة.',
    ],
    ['Idempotency-Key', 'too_short', 'حقل الترويسة Idempotency-Key أقصر من المطلوب.'],
    [
      'scope in the address',
      'format',
      'صيغة النطاق في العنوان غير صحيحة: استخدم من 1 إلى 64 من الأحرف a-z والأرقام 0-9 والشرطة.',
    ],
    ['body', 'object', 'يجب أن يكون متن الطلب كائن JSON.'],
  ] as const)('%s, %s: %s', (field, rule, sentence) => {
    expect(fieldSentence({ field, rule }, 'ar')).toBe(sentence);
  });

  it.each(FIELD_RULES)('has a wording for the rule %s in both languages', (rule) => {
    expect(fieldSentence({ field: 'national_id', rule }, 'en')).toMatch(/^The .*\.$/);
    expect(fieldSentence({ field: 'national_id', rule }, 'ar')).toMatch(/^[\u0621-\u064a].*\.$/);
  });

  it('repeats at most 64 characters of a name that came from the caller', () => {
    const sentence = fieldSentence({ field: '😀'.repeat(1000), rule: 'unknown' }, 'en');
    expect(sentence).toBe(`The ${'😀'.repeat(64)} field is not known here.`);
  });

  it('leaves out what is not visible in such a name', () => {
    const name = 'a\r\nb\u0000\u001b[31m\u202ec\u2028d\ud800';
    expect(fieldSentence({ field: name, rule: 'unknown' }, 'en')).toBe(
      'The ab[31mcd field is not known here.',
    );
    expect(fieldSentence({ field: '\u200b ', rule: 'unknown' }, 'en')).toBe(
      'The "" field is not known here.',
    );
  });

  it.each(['__proto__', 'constructor', 'toString'])(
    'takes %s for a name like any other',
    (name) => {
      expect(fieldSentence({ field: name, rule: 'unknown' }, 'en')).toBe(
        `The ${name} field is not known here.`,
      );
      expect(fieldSentence({ field: name, rule: 'required' }, 'en')).toBe(
        `The ${name} field is required.`,
      );
      expect(fieldSentence({ field: name, rule: 'too_long' }, 'en')).toBe(
        `The ${name} field is too long.`,
      );
    },
  );
});

describe('the summary', () => {
  const first = 'The locale field is required.';
  const sentences = (count: number) => Array.from({ length: count }, () => first);

  it.each([
    [1, first],
    [2, `${first} (and 1 more error)`],
    [3, `${first} (and 2 more errors)`],
  ])('of %i errors in English', (count, summary) => {
    expect(summarySentence(sentences(count), 'en')).toBe(summary);
  });

  it.each([
    [1, ''],
    [2, ' (وخطأ آخر)'],
    [3, ' (وخطآن آخران)'],
    [4, ' (و3 أخطاء أخرى)'],
    [11, ' (و10 أخطاء أخرى)'],
    [12, ' (و11 خطأً آخر)'],
    [100, ' (و99 خطأً آخر)'],
    [101, ' (و100 خطأ آخر)'],
  ])('of %i errors in Arabic', (count, more) => {
    expect(summarySentence(sentences(count), 'ar')).toBe(`${first}${more}`);
  });

  it('refuses to sum up nothing', () => {
    expect(() => summarySentence([], 'en')).toThrow(RangeError);
  });
});
