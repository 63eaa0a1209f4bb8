export const imports = {
  button: 'استيراد محاولة',
  drop: 'أفلت الملف لاستيراد المحاولة',
  notJson: 'ليس الملف بصيغة JSON، أو أن حجمه أكبر من 1 ميبيبايت.',
  fault: 'لم يُستورد الملف: {message}',
};
