export const list = {
  title: 'المحاولات',
};
