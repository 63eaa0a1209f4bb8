/** What the element says: the same as the service's own pages, in fewer words. */

const en = {
  label: 'Number to match',
  waiting: 'A push has been sent to the phone.',
  choose: 'Choose this number there.',
  other: 'The sign-in waits for the answer.',
  left: 'Time left',
  soon: 'Less than a minute is left.',
  authenticated: 'The sign-in was approved.',
  rejected: 'The request was refused.',
  nobody: 'Nobody was signed in.',
  expired: 'The request has expired.',
  failed: 'The sign-in did not succeed.',
  again: 'Start the sign-in again.',
  offline: 'The connection is lost.',
  itself: 'It is being restored by itself.',
  trying: 'Connecting…',
  retry: 'Connect now',
};

export type Words = Readonly<typeof en>;

const ar: Words = {
  label: 'الرقم المعروض للمطابقة',
  waiting: 'أُرسل إشعار على الجوال.',
  choose: 'اختر هذا الرقم هناك.',
  other: 'الطلب بانتظار الردّ.',
  left: 'الوقت المتبقي',
  soon: 'بقي أقل من دقيقة.',
  authenticated: 'تمت الموافقة على تسجيل الدخول.',
  rejected: 'رُفض الطلب.',
  nobody: 'لم يُسجَّل الدخول.',
  expired: 'انتهت صلاحية الطلب.',
  failed: 'لم يكتمل تسجيل الدخول.',
  again: 'ابدأ تسجيل الدخول من جديد.',
  offline: 'انقطع الاتصال.',
  itself: 'تجري استعادته تلقائيًا.',
  trying: 'يجري الاتصال…',
  retry: 'الاتصال الآن',
};

export type Language = 'ar' | 'en';

export const WORDS: Readonly<Record<Language, Words>> = { ar, en };

/** @param tag of a language; other languages get English */
export function languageOf(tag: string): Language {
  return /^ar(_|\b)/i.test(tag) ? 'ar' : 'en';
}
