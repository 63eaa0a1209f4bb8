export const list = {
  title: 'Attempts',
};
