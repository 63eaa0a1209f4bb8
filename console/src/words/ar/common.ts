export const common = {
  states: {
    pending: 'بانتظار الردّ',
    planned: 'النتيجة محدَّدة',
    answered: 'ورد الردّ',
    authenticated: 'اكتمل الدخول',
    redeemed: 'صدر رمز الوصول',
    rejected: 'رُفض',
    cancelled: 'أُبطلت المحاولة',
    expired: 'انتهت الصلاحية',
    failed: 'لم يكتمل',
  },
  flows: { oidc: 'عبر المتصفح', mfa: 'عبر الجوال' },
  units: { milliseconds: 'م.ث', seconds: 'ث' },
  imported: 'من ملف',
  copy: 'نسخ',
};
