export const common = {
  states: {
    pending: 'Waits',
    planned: 'Outcome chosen',
    answered: 'Answered',
    authenticated: 'Signed in',
    redeemed: 'Token issued',
    rejected: 'Refused',
    cancelled: 'Cancelled',
    expired: 'Expired',
    failed: 'Failed',
  },
  flows: { oidc: 'By browser', mfa: 'By phone' },
  units: { milliseconds: 'ms', seconds: 's' },
  imported: 'From a file',
  copy: 'Copy',
};
