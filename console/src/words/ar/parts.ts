export const parts = {
  copied: 'تم النسخ',
  byHand: 'انسخه يدويًا:',
  no: 'رجوع',
  loading: 'جارٍ التحميل…',
};
