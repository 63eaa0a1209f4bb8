import { DEVICE_NAME_MAX_LENGTH } from '@miftah/contract/values';
import type { Locale } from '../values/locale.ts';
import { ARABIC } from './arabic.ts';
import type { ErrorCode, ErrorWording, ErrorWordings } from './catalogue.ts';
import { ENGLISH } from './english.ts';
import { expectedFormat, SCOPE_HEADER, SCOPE_IN_ADDRESS } from './expected-formats.ts';
import { didYouMean, type Note } from './notes.ts';
import type { FieldFault, FieldRule } from './refusal.ts';

const WORDINGS: Readonly<Record<Locale, ErrorWordings>> = { ar: ARABIC, en: ENGLISH };

export function wordingOf(code: ErrorCode, locale: Locale): ErrorWording {
  return WORDINGS[locale][code];
}

/**
 * The sentence in `errors` about one faulty member. The name of an unknown member comes from the
 * caller, so invisible characters are removed from it.
 */
export function fieldSentence(
  { field, rule, expected, near }: Omit<FieldFault, 'pointer'>,
  locale: Locale,
): string {
  const noun = rule === 'unknown' ? plainNoun(field, locale) : nounOf(field, locale);
  // The format of a member of ours is not that of an unknown one with its name.
  const format = rule === 'unknown' ? null : expectedFormat(field, locale);
  const allowed = expected?.[locale] ?? format;
  const sentence = SENTENCES[locale][rule](noun, field, allowed);
  return near === undefined ? sentence : `${sentence} ${didYouMean(near)[locale]}`;
}

/** The `detail` of an error that names no member: its own text, or else its message, and a note. */
export function detailOf(code: ErrorCode, locale: Locale, note?: Note): string {
  const { detail, message } = wordingOf(code, locale);
  return note === undefined ? (detail ?? message) : `${detail ?? message} ${note[locale]}`;
}

const FORM = 'application/x-www-form-urlencoded';

/** The types that a client sends by itself, where nobody has named one. */
const BY_DEFAULT = [FORM, 'multipart/form-data', 'text/plain'];

/**
 * What the Content-Type of a refused body was, if it is one of those that clients send by default.
 * No other one is repeated, because the caller has written it.
 */
export function sentTypeSentence(sent: string | undefined, locale: Locale): string | null {
  const isArabic = locale === 'ar';
  if (sent === undefined || sent === '') {
    return isArabic ? 'لا يحمل هذا الطلب Content-Type.' : 'This request has no Content-Type.';
  }
  const type = BY_DEFAULT.find((name) => sent.split(';')[0]?.trim().toLowerCase() === name);
  if (type === undefined) return null;
  const curl = isArabic
    ? '، كما يفعل curl -d إن لم تُضِف -H "Content-Type: application/json"'
    : ', as curl -d does without -H "Content-Type: application/json"';
  const was = isArabic ? `أُرسل المتن بالنوع ${type}` : `It was sent as ${type}`;
  return `${was}${type === FORM ? curl : ''}.`;
}

/** The sentence that lists the media types of an operation, for a body of another type. */
export function mediaTypesSentence(types: readonly string[], locale: Locale): string {
  return locale === 'ar' ? `أرسل ${types.join(' أو ')}.` : `Send ${types.join(' or ')}.`;
}

/** The `detail` of `request.unsupported_media_type` where Content-Encoding was sent. */
export function contentEncodingSentence(locale: Locale): string {
  return locale === 'ar'
    ? 'لا تُقرأ هنا متون مضغوطة: أرسل المتن من دون الترويسة Content-Encoding.'
    : 'Encoded bodies are not read here: send the body without Content-Encoding.';
}

/** The `detail` where an Authorization header is not its scheme and one value. @param example what to send */
export function schemeSentence(example: string, locale: Locale): string {
  return locale === 'ar'
    ? `ليس في الترويسة Authorization الكلمة Bearer وبعدها قيمة واحدة. أرسلها هكذا: ${example}`
    : `The Authorization header is not the word Bearer and one value. Send it as: ${example}`;
}

/** The `detail` of `client.unauthenticated` where an Authorization header was sent. */
export function unknownKeySentence(locale: Locale): string {
  return locale === 'ar'
    ? 'لا تحمل الترويسة Authorization مفتاح تطبيق معروفًا.'
    : 'The Authorization header has no key of a known client: Bearer mfk_...';
}

/** The `detail` of `client.unauthenticated` where what was sent has the form of a key's hash. */
export function hashForKeySentence(locale: Locale): string {
  return locale === 'ar'
    ? 'تحمل الترويسة Authorization ناتج التجزئة (hash) لمفتاح، كما في CLIENTS_FILE. أرسل المفتاح نفسه: Bearer mfk_...'
    : 'The Authorization header has the hash of a key, as in CLIENTS_FILE. Send the key itself: Bearer mfk_...';
}

/** The `remedy` of `client.unauthenticated` in simulator mode. @param key that is no secret */
export function publishedKeySentence(key: string, locale: Locale): string {
  return locale === 'ar'
    ? `أرسل الترويسة Authorization: Bearer ${key} وفيها مفتاح هذا المحاكي. ولا يغني عنه رمز وصول يخص مستخدمًا.`
    : `Send Authorization: Bearer ${key}, the key of this simulator. An API token is not accepted here.`;
}

/** The `remedy` of `rate_limited` in simulator mode. */
export function limitsOffSentence(locale: Locale): string {
  const { remedy } = wordingOf('rate_limited', locale);
  return locale === 'ar'
    ? `${remedy} وللاختبارات يمكن تشغيل هذا المحاكي مع RATE_LIMITS=off.`
    : `${remedy} For test suites start this simulator with RATE_LIMITS=off.`;
}

/** The `detail` of `token.invalid` where a client key was sent. */
export function keyForTokenSentence(locale: Locale): string {
  return locale === 'ar'
    ? 'تحمل الترويسة Authorization مفتاح تطبيق، والمطلوب هنا رمز وصول يخص مستخدمًا: Bearer mft_...'
    : 'The Authorization header has a client key; the API token of a person is needed here: Bearer mft_...';
}

/** The first sentence, and the number of further ones. @throws RangeError when there is none */
export function summarySentence(sentences: readonly string[], locale: Locale): string {
  const [first, ...others] = sentences;
  if (first === undefined) throw new RangeError('a summary needs at least one sentence');
  return others.length === 0 ? first : `${first} (${MORE_ERRORS[locale](others.length)})`;
}

/** The label of each member, by its name in the API. The English label is the name as words. */
const LABELS: ReadonlyMap<string, Readonly<Record<Locale, string>>> = new Map([
  ['attempt_id', { en: 'attempt id', ar: 'معرّف المحاولة' }],
  ['attempt_token', { en: 'attempt token', ar: 'رمز المحاولة' }],
  ['auto_complete', { en: 'auto complete', ar: 'الإكمال التلقائي' }],
  ['completion_code', { en: 'completion code', ar: 'رمز الإكمال' }],
  ['decision', { en: 'decision', ar: 'القرار' }],
  ['device_name', { en: 'device name', ar: 'اسم الجهاز' }],
  ['locale', { en: 'locale', ar: 'اللغة' }],
  ['national_id', { en: 'national id', ar: 'رقم الهوية' }],
  ['return_address', { en: 'return address', ar: 'عنوان العودة' }],
  ['person', { en: 'person', ar: 'الشخصية' }],
  ['token', { en: 'token', ar: 'رمز الوصول' }],
  ['token_type_hint', { en: 'token type hint', ar: 'نوع الرمز' }],
]);

const HEADERS: ReadonlySet<string> = new Set([
  'Idempotency-Key',
  SCOPE_HEADER,
  'X-End-User-Address',
  'X-Provider-Attempt-Token',
  'X-Simulate',
]);

export const isHeader = (field: string) => HEADERS.has(field);

/** Every other member is a text. */
const BOOLEANS: ReadonlySet<string> = new Set(['auto_complete']);

const MAX_LENGTHS: ReadonlyMap<string, number> = new Map([['device_name', DEVICE_NAME_MAX_LENGTH]]);

/** The whole body, in a `FieldFault`. */
const BODY = 'body';

const ECHOED_CHARACTERS = 64;

function nounOf(field: string, locale: Locale): string {
  if (field === BODY) return { en: 'request body', ar: 'متن الطلب' }[locale];
  if (field === SCOPE_IN_ADDRESS) return { en: 'address scope', ar: 'النطاق في العنوان' }[locale];
  if (isHeader(field)) return { en: `${field} header`, ar: `حقل الترويسة ${field}` }[locale];
  const label = LABELS.get(field)?.[locale];
  if (label === undefined) return plainNoun(field, locale);
  return { en: `${label} field`, ar: `حقل ${label}` }[locale];
}

function plainNoun(field: string, locale: Locale): string {
  const name = echo(field);
  return { en: `${name} field`, ar: `الحقل ${name}` }[locale];
}

/** Removes invisible characters: controls, direction marks, and lone surrogates. */
function echo(name: string): string {
  const visible = name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim();
  return visible === '' ? '""' : Array.from(visible).slice(0, ECHOED_CHARACTERS).join('');
}

/** @param expected the required form, for the rule `format`; null if the name says enough */
type Sentence = (noun: string, field: string, expected: string | null) => string;

const SENTENCES: Readonly<Record<Locale, Readonly<Record<FieldRule, Sentence>>>> = {
  en: {
    required: (noun) => `The ${noun} is required.`,
    type: (noun, field) => `The ${noun} must be ${typeOf(field, 'en')}.`,
    format: (noun, _field, expected) =>
      `The ${noun.replace(/ field$/, '')} format is invalid${after(expected)}.`,
    unknown: (noun, _field, expected) => `The ${noun} is not known here${after(expected)}.`,
    too_long: (noun, field) => {
      const limit = MAX_LENGTHS.get(field);
      return limit === undefined
        ? `The ${noun} is too long.`
        : `The ${noun} must not be greater than ${limit} characters.`;
    },
    too_short: (noun) => `The ${noun} is too short.`,
    text: (noun) => `The ${noun} must be valid Unicode without the character U+0000.`,
    not_listed: (noun, _field, expected) =>
      `The ${noun.replace(/ field$/, '')} is not one of those registered for this client` +
      `${after(expected)}.`,
    object: () => 'The request body must be a JSON object.',
  },
  ar: {
    required: (noun) => `${noun} مطلوب.`,
    type: (noun, field) => `يجب أن يكون ${noun} ${typeOf(field, 'ar')}.`,
    format: (noun, _field, expected) => `صيغة ${noun} غير صحيحة${after(expected)}.`,
    unknown: (noun, _field, expected) => `${noun} غير معروف هنا${after(expected)}.`,
    too_long: (noun, field) => {
      const limit = MAX_LENGTHS.get(field);
      return limit === undefined
        ? `${noun} أطول من المسموح به.`
        : `يجب ألا يتجاوز ${noun} ${limit} حرفًا.`;
    },
    too_short: (noun) => `${noun} أقصر من المطلوب.`,
    text: (noun) => `يجب أن يكون ${noun} نصًا صحيحًا بترميز Unicode ومن دون الرمز U+0000.`,
    not_listed: (noun, _field, expected) =>
      `قيمة ${noun} ليست من القيم المسجَّلة لهذا التطبيق${after(expected)}.`,
    object: () => 'يجب أن يكون متن الطلب كائن JSON.',
  },
};

function after(expected: string | null): string {
  return expected === null ? '' : `: ${expected}`;
}

function typeOf(field: string, locale: Locale): string {
  if (field === BODY) return { en: 'a JSON object', ar: 'كائن JSON' }[locale];
  if (BOOLEANS.has(field)) return { en: 'true or false', ar: 'true أو false' }[locale];
  return { en: 'a string', ar: 'نصًا' }[locale];
}

const ARABIC_PLURALS = new Intl.PluralRules('ar');

const MORE_ERRORS: Readonly<Record<Locale, (count: number) => string>> = {
  en: (count) => (count === 1 ? 'and 1 more error' : `and ${count} more errors`),
  ar: (count) => `و${arabicErrors(count)}`,
};

function arabicErrors(count: number): string {
  const category = ARABIC_PLURALS.select(count);
  if (category === 'one') return 'خطأ آخر';
  if (category === 'two') return 'خطآن آخران';
  if (category === 'few') return `${count} أخطاء أخرى`;
  return category === 'many' ? `${count} خطأً آخر` : `${count} خطأ آخر`;
}
