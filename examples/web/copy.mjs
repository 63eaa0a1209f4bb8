/** The texts of the pages. */

const ar = {
  dir: 'rtl',
  other: { code: 'en', name: 'English' },
  app: 'تطبيق المثال',
  title: 'تسجيل الدخول',
  intro: 'أثبت هويتك لدى مزوّد الهوية الوطنية. اختر إحدى الطريقتين.',
  byBrowser: {
    title: 'عبر المتصفح',
    text: 'تنتقل إلى صفحة مزوّد الهوية، ثم تعود إلى هنا.',
    button: 'المتابعة عبر المتصفح',
  },
  byPhone: {
    title: 'عبر الجوال',
    text: 'يصلك إشعار على الجوال، فتختار فيه الرقم الذي يظهر في الصفحة التالية.',
    nationalId: 'رقم الهوية',
    button: 'إرسال الإشعار',
  },
  number: {
    title: 'الردّ على الإشعار في جوالك',
    label: 'الرقم المعروض للمطابقة',
    button: 'التحقق من الردّ',
    back: 'البدء من جديد',
  },
  signedIn: {
    title: 'أهلًا بك',
    oidc: 'سجّلت الدخول عبر المتصفح.',
    mfa: 'سجّلت الدخول عبر الجوال.',
    button: 'تسجيل الخروج',
  },
  ended: {
    rejected: 'رُفض الطلب، ولم يُسجَّل الدخول.',
    cancelled: 'أُبطل تسجيل الدخول.',
    expired: 'انتهت صلاحية الطلب. ابدأ من جديد.',
    failed: 'لم يكتمل تسجيل الدخول. ابدأ من جديد.',
    dropped: 'تعذّر ربط هذا الطلب بهذا المتصفح، فلم يُقبل حمايةً لك. ابدأ من جديد.',
  },
  errors: {
    unknown: 'لا يعرف مزوّد الهوية هذا الرقم.',
    invalid: 'رقم الهوية غير صحيح. يتكوّن من عشرة أرقام.',
    budget: 'طلبات تسجيل الدخول لهذا المستخدم كثيرة. حاول لاحقًا، أو سجّل الدخول عبر المتصفح.',
    noPhone: 'تسجيل الدخول عبر الجوال غير متاح. سجّل الدخول عبر المتصفح.',
    limited: 'طلبات كثيرة في وقت قصير. انتظر دقيقة، ثم حاول مرة أخرى.',
    refused: 'لم يُقبل الطلب. ابدأ من جديد.',
    unavailable: 'الخدمة غير متاحة الآن. حاول مرة أخرى بعد قليل.',
  },
};

/** @type {typeof ar} */
const en = {
  dir: 'ltr',
  other: { code: 'ar', name: 'العربية' },
  app: 'Example application',
  title: 'Sign in',
  intro: 'Prove who you are at the national identity provider. Choose one of two ways.',
  byBrowser: {
    title: 'By browser',
    text: 'You go to the page of the identity provider, and come back here.',
    button: 'Continue by browser',
  },
  byPhone: {
    title: 'By phone',
    text: 'You get a notification on your phone, and choose the number there that the next page shows.',
    nationalId: 'National id',
    button: 'Send the notification',
  },
  number: {
    title: 'Answer on your phone',
    label: 'Number to match',
    button: 'Look for the answer',
    back: 'Start again',
  },
  signedIn: {
    title: 'Welcome',
    oidc: 'You have signed in by browser.',
    mfa: 'You have signed in by phone.',
    button: 'Sign out',
  },
  ended: {
    rejected: 'The request was refused, and nobody was signed in.',
    cancelled: 'The sign-in was cancelled.',
    expired: 'The request has expired. Start again.',
    failed: 'The sign-in was not completed. Start again.',
    dropped:
      'This sign-in could not be matched to this browser, so it was not accepted. Start again.',
  },
  errors: {
    unknown: 'The identity provider does not know this number.',
    invalid: 'This is no national id. One has ten digits.',
    budget: 'Too many requests for this person. Try later, or sign in by browser.',
    noPhone: 'Nobody can sign in by phone here. Sign in by browser.',
    limited: 'Too many requests in a short time. Wait a minute, then try again.',
    refused: 'The request was not accepted. Start again.',
    unavailable: 'The service is not available now. Try again in a while.',
  },
};

export const COPY = { ar, en };
