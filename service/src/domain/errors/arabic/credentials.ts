import type { ErrorWordings } from '../catalogue.ts';

export const CREDENTIALS = {
  'client.unauthenticated': {
    title: 'لم يُتحقق من التطبيق',
    message: 'لم تُثبَت صلاحية هذا الطلب.',
    detail: 'أرسل مفتاح التطبيق في الترويسة Authorization بعد كلمة Bearer.',
    cause: 'هذه العملية لخوادم التطبيقات، ولا يحمل الطلب مفتاح تطبيق صالحًا.',
    remedy:
      'أرسل مفتاح التطبيق في الترويسة Authorization: Bearer mfk_... ولا يغني عنه رمز وصول يخص شخصًا.',
  },
  'token.missing': {
    title: 'رمز الوصول مفقود',
    message: 'لم تُثبَت صلاحية هذا الطلب.',
    detail: 'أرسل رمز الوصول في الترويسة Authorization بعد كلمة Bearer.',
    cause: 'تحتاج هذه العملية إلى رمز وصول، ولا يحمل الطلب رمزًا.',
    remedy:
      'أرسل الرمز الذي أعاده POST /token/{attempt_id} في الترويسة Authorization: Bearer. ولا تضعه في عنوان أبدًا.',
  },
  'token.in_address': {
    title: 'رمز الوصول في العنوان',
    message: 'لا يُقبل رمز الوصول في العنوان.',
    cause:
      'في عنوان الطلب المعامل access_token. والعناوين تُحفظ في السجلات وفي تاريخ المتصفح، فمن قرأها حصل على الرمز.',
    remedy: 'أرسل الرمز في الترويسة Authorization: Bearer وحدها، وألغِ كل رمز كان في عنوان.',
  },
  'token.invalid': {
    title: 'رمز الوصول غير صالح',
    message: 'لم تُثبَت صلاحية هذا الطلب.',
    detail: 'رمز الوصول غير معروف أو منتهي الصلاحية أو مُبطَل.',
    cause: 'رمز الوصول ليس من هذه الخدمة، أو انتهت صلاحيته، أو أُلغي.',
    remedy: 'احذف هذا الرمز، وليسجّل الشخص دخوله مرة أخرى.',
  },
  'token.not_found': {
    title: 'رمز الوصول غير موجود',
    message: 'لم يُعثر على رمز الوصول.',
    cause: 'ليس لصاحب هذا الطلب رمز وصول بهذا المعرّف، ولعله أُلغي من قبل.',
    remedy: 'اقرأ GET /tokens لمعرفة رموز الوصول التي لديه الآن.',
  },
} as const satisfies Partial<ErrorWordings>;
