import type { ErrorWordings } from '../catalogue.ts';

export const PROVIDER = {
  'provider.record_not_found': {
    title: 'No record at the identity provider',
    message: 'The identity provider has no record for this identifier.',
    cause:
      'The identity provider does not know the national_id, or the person has not registered there.',
    remedy:
      'Let the person check the number, or start the redirect flow with a locale alone. Support ' +
      'of the provider asks for the reference in this answer.',
  },
  'provider.unavailable': {
    title: 'Identity provider not available',
    message: 'The identity provider is not available.',
    cause: 'The identity provider cannot be reached, or it answered with an outage.',
    remedy: 'Wait the seconds in Retry-After, then start a new attempt.',
  },
  'provider.timeout': {
    title: 'Identity provider too slow',
    message: 'The identity provider did not answer in time.',
    cause:
      'No answer came from the identity provider in time. The person may still have received a prompt on the phone.',
    remedy: 'Start a new attempt, and tell the person to ignore the earlier prompt.',
  },
  'provider.bad_response': {
    title: 'Answer of the identity provider not usable',
    message: 'The answer of the identity provider could not be used.',
    cause: 'The identity provider answered something that is not in its contract.',
    remedy: 'Start a new attempt. If it happens again, give the operator the request_id.',
  },
  'provider.misconfigured': {
    title: 'Refused by the identity provider',
    message: 'The identity provider refused the service.',
    cause:
      'The identity provider does not accept this service: its credentials, its address or the ' +
      'name of its registered service.',
    remedy:
      'A caller can do nothing here. The operator finds the reason in the log and checks the provider settings.',
  },
  'provider.mismatch': {
    title: 'Another person answered',
    message: 'The identity provider answered for another person.',
    cause:
      'The signed answer of the identity provider is about another identifier than the one that ' +
      'the attempt asked for.',
    remedy:
      'Start a new attempt. If it happens again, give the operator the request_id: this must never happen.',
  },
  'push.budget_spent': {
    title: 'Too many sign-in requests for this person',
    message: 'Too many sign-in requests for this person. Try later or sign in by browser.',
    cause:
      'Prompts on the phone are limited for each person, so that nobody can be worn down by ' +
      'them, or a prompt is still open there.',
    remedy: 'Wait the seconds in Retry-After, or start the redirect flow with a locale alone.',
  },
  'push.unverified': {
    title: 'Signed result not accepted',
    message: 'The signed result could not be verified.',
    cause:
      'The token that was sent as the result of a sign-in by phone is not signed by the identity ' +
      'provider, or it belongs to another attempt or another time.',
    remedy:
      'Only the identity provider calls this address. Its operator checks the signing keys and the registered service.',
  },
  'assurance.insufficient': {
    title: 'Assurance too low',
    message: 'The sign-in is not strong enough for this service.',
    cause:
      'The identity provider vouches for this person at a lower level of assurance than the ' +
      'operator of this service asks for.',
    remedy:
      'Let the person raise the level of the account at the identity provider, then start a new attempt.',
  },
  'provider.identity_missing': {
    title: 'Proof of identity missing',
    message: 'The identity provider did not send the proof of the approval.',
    cause: 'The provider said that the person approved, and its signed result never came.',
    remedy:
      'Start a new attempt. If it happens again, check that the provider knows our address for signed results.',
  },
} as const satisfies Partial<ErrorWordings>;
