import type { ErrorWordings } from '../catalogue.ts';

export const SERVICE = {
  'storage.unavailable': {
    title: 'التخزين غير متاح',
    message: 'لا تستطيع الخدمة الوصول إلى مخزن بياناتها.',
    cause: 'لم تُنجز قاعدة البيانات عملها في الوقت المحدد. ولم يغيّر هذا الطلب شيئًا.',
    remedy:
      'انتظر عدد الثواني في Retry-After ثم أعد الطلب، وأعد POST /token بقيمة Idempotency-Key نفسها.',
  },
  'storage.outcome_unknown': {
    title: 'النتيجة غير معروفة',
    message: 'لا يُعرف هل نُفّذ الطلب أم لا.',
    cause: 'انقطع الاتصال بقاعدة البيانات في أثناء كتابة التغيير.',
    remedy:
      'أعد POST /token بقيمة Idempotency-Key نفسها والمتن نفسه ليكون الرد هو نفسه. أما الطلبات ' +
      'الأخرى فاقرأ الحالة أولًا.',
  },
  'server.overloaded': {
    title: 'الخدمة مزدحمة',
    message: 'الخدمة مزدحمة.',
    cause:
      'وصل إلى الخدمة من الطلبات أكثر مما تستطيع الرد عليه في وقته، فردّت هذا الطلب قبل أن تنفّذ منه شيئًا.',
    remedy: 'انتظر عدد الثواني في Retry-After، ثم أعد الطلب.',
  },
  'server.error': {
    title: 'خطأ في الخادم',
    message: 'حدث خطأ في الخادم.',
    cause: 'وقع في الخدمة خلل من داخلها.',
    remedy:
      'أعد الطلب مرة واحدة. وإن فشل ثانية فأرسل request_id إلى مشغّل الخدمة، فهو مدوّن في السجل أيضًا.',
  },
  'simulator.disabled': {
    title: 'غير متاح',
    message: 'هذه العملية غير متاحة.',
    cause: 'تكمل هذه العملية تسجيل الدخول دون الشخص، ولا يُسمح بذلك إلا للمحاكي.',
    remedy: 'في الوضع الفعلي، وجّه المتصفح إلى authorization_url أو انتظر موافقة الهاتف.',
  },
} as const satisfies Partial<ErrorWordings>;
