import type { Flow } from '../attempt/flow.ts';
import type { Locale } from '../values/locale.ts';

/** A sentence about one request, after what the catalogue says of its error. */
export type Note = Readonly<Record<Locale, string>>;

export const CODE_MISSING: Note = {
  en: 'This request has no completion_code.',
  ar: 'لا يحمل هذا الطلب completion_code.',
};

/**
 * A completion code that is not the right one, or too late.
 * @param left how many more the attempt takes
 */
export function codeWrong(left: number): Note {
  return left > 0
    ? {
        en: `Its completion_code is wrong, or older than two minutes. Tries left: ${left}.`,
        ar: `قيمة completion_code فيه خاطئة، أو مضى عليها أكثر من دقيقتين. المرات المتبقية: ${left}.`,
      }
    : {
        en: 'Its completion_code is wrong, and it was the last try: the attempt has ended.',
        ar: 'قيمة completion_code فيه خاطئة، وكانت هذه آخر مرة: انتهت المحاولة.',
      };
}

/** Where the body stops being JSON. Both begin at 1. */
export function breaksAt({
  line,
  column,
}: {
  readonly line: number;
  readonly column: number;
}): Note {
  return {
    en: `It breaks at line ${line}, column ${column}.`,
    ar: `موضع الخطأ: السطر ${line}، الحرف ${column}.`,
  };
}

/** @param limit its name, its quota, and the seconds: of its window, and until that ends */
export function limitUsedUp(limit: {
  readonly name: string;
  readonly quota: number;
  readonly windowSeconds: number;
  readonly resetSeconds: number;
}): Note {
  const { name, quota, windowSeconds, resetSeconds } = limit;
  const wait = resetSeconds === 1 ? '1 second' : `${resetSeconds} seconds`;
  return {
    en: `The limit "${name}" is ${quota} in ${windowSeconds} seconds. Try again in ${wait}.`,
    ar: `الحدّ "${name}" هو ${quota} كل ${windowSeconds} ثانية. حاول مرة أخرى بعد انتهاء الثواني الباقية: ${resetSeconds}.`,
  };
}

/** @param most levels that a body may have */
export const tooDeep = (most: number): Note => ({
  en: `It has more than ${most} levels.`,
  ar: `عدد مستوياته أكثر من ${most}.`,
});

/** @param most members that a body may have */
export const tooManyMembers = (most: number): Note => ({
  en: `It has more than ${most} members, with the entries of its lists.`,
  ar: `عدد حقوله، مع عناصر قوائمه، أكثر من ${most}.`,
});

export const BODY_EMPTY: Note = { en: 'It is empty.', ar: 'المتن فارغ.' };

/** @param origin that a browser names, as it was checked */
export function sentFrom(origin: string): Note {
  return { en: `Its origin is ${origin}.`, ar: `أصلها ${origin}.` };
}

/** @param host that a request names, as it was checked */
export function sentTo(host: string): Note {
  return { en: `It was sent to ${host}.`, ar: `المضيف المذكور في الطلب: ${host}.` };
}

/** Of an attempt that is not found, by a request without a known key. */
export const KEY_MISSING: Note = {
  en: 'Or the client that started it has a key, and this request has none that is known.',
  ar: 'أو أن للتطبيق الذي بدأها مفتاحًا، وليس في هذا الطلب مفتاح معروف.',
};

/** Of an id and a key that were sent together. */
export const KEY_OF_ANOTHER: Note = {
  en:
    'The id and the key in the Authorization header belong to two clients: send the id of the ' +
    'client whose key it is, or the key alone as Bearer mfk_...',
  ar:
    'المعرّف والمفتاح في الترويسة Authorization لتطبيقين مختلفين: أرسل معرّف التطبيق صاحب المفتاح، ' +
    'أو المفتاح وحده هكذا: Bearer mfk_...',
};

export const TOKEN_AS_BEARER: Note = {
  en: 'The Authorization header has what looks like one: send it in X-Provider-Attempt-Token.',
  ar: 'في الترويسة Authorization ما يشبهه: أرسله في الترويسة X-Provider-Attempt-Token.',
};

/** Of an attempt that was completed as one of the other flow. @param flow its own */
export function ownFlow(flow: Flow): Note {
  return flow === 'mfa'
    ? {
        en: 'This one is by phone: POST /complete-mfa.',
        ar: 'هذه المحاولة عبر الجوال: POST /complete-mfa.',
      }
    : {
        en: 'This one is by browser, and POST /complete-mfa is for those by phone.',
        ar: 'هذه المحاولة عبر المتصفح، والعملية POST /complete-mfa لمحاولات الجوال.',
      };
}

/** The end of a sentence about an unknown member. @param names of all that are known there */
export function knownMembers(names: readonly string[]): Note {
  return { en: `known are ${names.join(', ')}`, ar: `المعروف ${names.join('، ')}` };
}

/** The end of a sentence about a number. Both ends are allowed. */
export function wholeNumber({ minimum, maximum }: NumberRange): Note {
  return {
    en: `use a whole number from ${minimum} to ${maximum}`,
    ar: `استخدم عددًا صحيحًا من ${minimum} إلى ${maximum}`,
  };
}

interface NumberRange {
  readonly minimum: number;
  readonly maximum: number;
}

/** @param name of a member of ours */
export function didYouMean(name: string): Note {
  return { en: `Did you mean "${name}"?`, ar: `هل تقصد "${name}"؟` };
}

/** @param method any that the path has @param path one of ours, with `{name}` for a part that varies */
export function didYouMeanRoute(method: string, path: string): Note {
  return { en: `Did you mean ${method} ${path}?`, ar: `هل تقصد ${method} ${path}؟` };
}

export const OPENID_IS_OFF: Note = {
  en: 'The OpenID Provider is off here: set OPENID=on.',
  ar: 'مزوّد OpenID غير مفعّل هنا: اضبط OPENID=on.',
};

/** @param methods all that the path has */
export function allowedMethods(methods: readonly string[]): Note {
  return { en: `Use ${methods.join(' or ')}.`, ar: `استخدم ${methods.join(' أو ')}.` };
}

/** The end of a sentence about a return address. */
export const SCHEME_MISSING: Note = {
  en: 'it has to begin with http:// or https://',
  ar: 'ويجب أن يبدأ بـ http:// أو https://',
};

const SHOWN_ADDRESSES = 10;

/** The end of a sentence about a return address. @param addresses those that may be told, if any */
export function allowedAddresses(addresses: readonly string[], anyOfMachine: boolean): Note {
  const shown = addresses.slice(0, SHOWN_ADDRESSES).join(', ');
  const more = addresses.length > SHOWN_ADDRESSES ? ', …' : '';
  const here = anyOfMachine
    ? {
        en: ', and any of this machine (localhost, 127.0.0.1, [::1])',
        ar: '، وأي عنوان على هذا الجهاز (localhost و127.0.0.1 و[::1])',
      }
    : { en: '', ar: '' };
  const place = 'return_addresses';
  const where = {
    en: `CLIENTS_FILE lists them under ${place}`,
    ar: `وتُسجَّل في CLIENTS_FILE ضمن ${place}`,
  };
  if (addresses.length === 0) return where;
  return {
    en: `allowed are ${shown}${more}${here.en}. ${where.en}`,
    ar: `المسموح به ${shown}${more}${here.ar}. ${where.ar}`,
  };
}
