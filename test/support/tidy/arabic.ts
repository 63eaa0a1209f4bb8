// The Arabic terms in pages, errors, simulator and documents: always the same word for the same
// thing.

import type { SourceFile } from '../tree.ts';
import { isTestPath, type Place, type TidyRule } from './rule.ts';

type RuledOut = {
  /** A wording that must not be used. */
  readonly pattern: RegExp;
  readonly instead: string;
  /** A text that breaks the rule; it proves that the pattern finds something. */
  readonly example: string;
};

export const RULED_OUT: readonly RuledOut[] = [
  { pattern: /هاتف/u, instead: 'الجوال', example: 'الدخول بالهاتف' },
  { pattern: /جواب|إجابة|(?<!\p{L})أجب/u, instead: 'ردّ', example: 'سُجّل جوابك' },
  { pattern: /(?<!\p{L})(?:ال|لل)رد(?![\p{L}\p{M}])/u, instead: 'الردّ', example: 'في هذا الرد' },
  { pattern: /(?<!\p{L})بالجوال/u, instead: 'عبر الجوال', example: 'الدخول بالجوال' },
  { pattern: /هوية زائر/u, instead: 'رقم الحدود، رقم التأشيرة', example: 'هوية زائر' },
  { pattern: /(?:ال|لل)شخص(?!ي)/u, instead: 'المستخدم', example: 'أبلغ الشخص' },
  { pattern: /المتصل/u, instead: 'التطبيق', example: 'ليس بيد المتصل' },
  { pattern: /العميل/u, instead: 'التطبيق', example: 'مفتاح العميل' },
  { pattern: /تاريخ المتصفح/u, instead: 'سجل التصفح', example: 'في تاريخ المتصفح' },
  { pattern: /ما العمل/u, instead: 'طريقة المعالجة', example: 'ما العمل؟' },
  { pattern: /(?:أعد|إعادة) المحاولة/u, instead: 'حاول مرة أخرى', example: 'ثم أعد المحاولة' },
  { pattern: /مستوى (?:ال)?(?:توثيق|ضمان)/u, instead: 'مستوى التحقق', example: 'مستوى ضمان أدنى' },
  { pattern: /تُثبَت صلاحية/u, instead: 'تعذّرت مصادقة', example: 'لم تُثبَت صلاحية هذا الطلب' },
  { pattern: /من قبل/u, instead: 'سبق', example: 'مستخدم من قبل' },
  { pattern: /أُلغي|ألغِ|إلغاء/u, instead: 'إبطال', example: 'أو أُلغي' },
  { pattern: /مزوّد حقيقي|الوضع الفعلي/u, instead: 'تشغيل فعلي', example: 'في الوضع الفعلي' },
  { pattern: /موقّ?عة/u, instead: 'موقَّعة', example: 'النتيجة الموقّعة' },
  { pattern: /مزود/u, instead: 'مزوّد', example: 'المزود يتعطل' },
  { pattern: /ثوان(?![ٍي])/u, instead: 'ثوانٍ', example: 'عشر ثوان' },
  { pattern: /(?:فور|أبد|سليم)ا(?!\p{L})/u, instead: 'ًا', example: 'يوافق فورا' },
  // The letter waw is written without a space before the next word, which does not work before a
  // Latin word.
  { pattern: /(?<!\p{L})و(?:[A-Za-z]|\{[a-z])/u, instead: 'و + اسم', example: 'وattempt_token' },
];

export const ARABIC_RULES: readonly TidyRule[] = [
  { name: 'arabic-words', covers: (path) => !isTestPath(path), find: findRuledOut },
];

function findRuledOut({ text }: SourceFile): Place[] {
  if (!/\p{Script=Arabic}/u.test(text)) return [];
  return text.split('\n').flatMap((line, index) => {
    const rule = RULED_OUT.find(({ pattern }) => pattern.test(line));
    return rule === undefined ? [] : [{ line: index + 1, message: `write ${rule.instead}` }];
  });
}
