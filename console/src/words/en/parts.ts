export const parts = {
  copied: 'Copied',
  byHand: 'Copy it by hand:',
  no: 'Back',
  loading: 'Loading…',
};
