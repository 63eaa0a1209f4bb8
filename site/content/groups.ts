// The navigation of the site. A page that is in no group is built too, and stands in the group of
// the rest; a test names it.

/** A page by its slug, with its name in the Arabic navigation. English ones have their titles. */
type Entry = { readonly slug: string; readonly ar?: string; readonly en?: string };

export type Group = {
  readonly en: string;
  readonly ar: string;
  readonly entries: readonly Entry[];
};

export const REST = { en: 'More', ar: 'المزيد' };
export const DECISIONS = { en: 'Design decisions', ar: 'قرارات التصميم' };

export const GROUPS: readonly Group[] = [
  {
    en: 'Start',
    ar: 'البداية',
    entries: [
      { slug: 'introduction', ar: 'مقدمة' },
      { slug: 'quick-start', ar: 'بداية سريعة' },
      { slug: 'glossary', ar: 'المصطلحات' },
    ],
  },
  {
    en: 'Build on it',
    ar: 'البناء عليه',
    entries: [
      { slug: 'api', ar: 'واجهة المحاولات' },
      { slug: 'client', ar: 'مكتبة JavaScript' },
      { slug: 'auth-libraries', ar: 'مع Passport وغيرها' },
      { slug: 'python', ar: 'مكتبة Python' },
      { slug: 'events', ar: 'الأحداث والانتظار' },
      { slug: 'webhooks', ar: 'خطافات الويب' },
      { slug: 'errors', ar: 'الأخطاء' },
      { slug: 'web-example', ar: 'تطبيق ويب مثالًا' },
    ],
  },
  {
    en: 'Test with it',
    ar: 'الاختبار به',
    entries: [
      { slug: 'testing-your-app', ar: 'اختبار تطبيقك' },
      { slug: 'simulator', ar: 'المحاكي' },
      { slug: 'simulator-reference', en: 'The simulator by itself', ar: 'المحاكي وحده' },
      { slug: 'command-line', ar: 'سطر الأوامر' },
    ],
  },
  {
    en: 'Operate',
    ar: 'التشغيل',
    entries: [
      { slug: 'install', ar: 'التثبيت' },
      { slug: 'going-live', ar: 'الانتقال إلى التشغيل الفعلي' },
      { slug: 'configuration', ar: 'الإعدادات' },
      { slug: 'systemd', ar: 'خدمة systemd' },
      { slug: 'containers', ar: 'الحاويات' },
      { slug: 'reverse-proxy', ar: 'الخادم الوكيل العكسي' },
      { slug: 'several-instances', ar: 'عدة نسخ' },
      { slug: 'applications', ar: 'التطبيقات' },
      { slug: 'openid', ar: 'مزوّد OpenID' },
      { slug: 'operations', ar: 'التشغيل اليومي' },
      { slug: 'operator', ar: 'صفحات المشغّل' },
      { slug: 'backup', ar: 'النسخ الاحتياطي' },
      { slug: 'upgrading', ar: 'الترقية' },
      { slug: 'data-retention', ar: 'حفظ البيانات' },
    ],
  },
  {
    en: 'Reference',
    ar: 'مراجع',
    entries: [
      { slug: 'threats', ar: 'التهديدات' },
      { slug: 'conformance', ar: 'اختبارات المطابقة' },
      { slug: 'reliability', ar: 'الاعتمادية' },
      { slug: 'performance', ar: 'الأداء' },
      { slug: 'scale', ar: 'حدود التوسّع' },
      { slug: 'client-promises', en: 'What the client promises', ar: 'التزامات المكتبة' },
      { slug: 'security', ar: 'الإبلاغ عن الثغرات' },
      { slug: 'changelog', ar: 'سجل التغييرات' },
    ],
  },
  {
    en: 'Work on Miftah',
    ar: 'تطوير «مفتاح»',
    entries: [
      { slug: 'map', ar: 'خريطة الشيفرة' },
      { slug: 'style', ar: 'أسلوب الشيفرة' },
      { slug: 'testing', ar: 'ما الذي يُثبت ماذا' },
      { slug: 'publishing', ar: 'نشر الحزم' },
      { slug: 'pages', en: 'The shared pages', ar: 'الصفحات المشتركة' },
    ],
  },
];
