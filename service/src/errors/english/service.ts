import type { ErrorWordings } from '../catalogue.ts';

export const SERVICE = {
  'storage.unavailable': {
    title: 'Storage not available',
    message: 'The service cannot reach its storage.',
    cause:
      'The database did not do its work in time, or its disk is full. Nothing was changed by this request.',
    remedy:
      'Wait the seconds in Retry-After, then repeat the request; POST /token with the same Idempotency-Key.',
  },
  'storage.outcome_unknown': {
    title: 'Outcome unknown',
    message: 'It is not known whether the request took effect.',
    cause: 'The connection to the database broke while the change was being written.',
    remedy:
      'Repeat POST /token with the same Idempotency-Key and body: the answer is then the same. ' +
      'For other requests, read the state first.',
  },
  'server.overloaded': {
    title: 'Service overloaded',
    message: 'The service is overloaded.',
    cause:
      'The service has more requests than it can answer in time, and turned this one away before doing anything.',
    remedy: 'Wait the seconds in Retry-After, then repeat the request.',
  },
  'server.clock_ahead': {
    title: 'Clock not correct',
    message: 'The clock of the service is not correct, so no sign-in can start.',
    cause:
      'The clock of the machine was set back by more than 30 seconds while the service was running. The service goes on with its own time, so that nothing expired becomes good again.',
    remedy:
      'Try again later. The operator corrects the clock of the machine, or restarts the service if that clock is right now; GET /readyz says by how much they differ.',
  },
  'server.error': {
    title: 'Server error',
    message: 'Server Error',
    cause: 'The service met a fault of its own.',
    remedy:
      'Repeat the request once. If it fails again, give the operator the request_id, which is in the log too.',
  },
  'simulator.disabled': {
    title: 'Completion not available here',
    message: 'Only plain simulator mode completes attempts here.',
    cause:
      'The operation completes sign-ins without the person, which only plain simulator mode allows.',
    remedy: 'Send the browser to authorization_url, or wait for the answer on the phone.',
  },
  'flow.unavailable': {
    title: 'No sign-in by phone',
    message: 'Signing in by phone is not available.',
    cause:
      'The operator has not registered an address for signed results at the identity provider, and without them a push proves nothing.',
    remedy:
      'Start the redirect flow with a locale alone. The operator registers the address and sets PROVIDER_MFA_CALLBACK.',
  },
  'user.disabled': {
    title: 'Account disabled',
    message: 'This account is disabled.',
    cause: 'The person proved who they are, and the operator of this service has shut the account.',
    remedy: 'The person asks the operator of the service.',
  },
} as const satisfies Partial<ErrorWordings>;
