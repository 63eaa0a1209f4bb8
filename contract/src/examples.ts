import type { AttemptStatus } from './attempts.ts';
import type { AnswerOf, OperationId, RequestOf } from './operations.ts';
import type { Problem } from './problem.ts';
import type { User } from './user.ts';
import { ATTEMPT_TOKEN_LENGTH } from './values.ts';

/**
 * Whole bodies of a sign-in by browser and of one by phone, for the tests and documents of clients.
 * The person is one of the simulator's invented people.
 */
export interface Example<Id extends OperationId> {
  readonly request?: RequestOf<Id>;
  readonly answer?: AnswerOf<Id>;
}

const OIDC_ATTEMPT = '019a9d3c-1b2e-7c41-9f0a-3d5e6f708192';
const MFA_ATTEMPT = '019a9d3c-5f60-7d12-8c3b-4e5f60718293';
const ATTEMPT_TOKEN = 'example-attempt-token'.padEnd(ATTEMPT_TOKEN_LENGTH, '_');
const API_TOKEN = `mft_test_${'example'.padEnd(49, '0')}`;
const DEVICE = '019a9d3d-77a0-7e55-b1c2-d3e4f5061728';
const ATTEMPT_EXPIRES_AT = '2026-01-31T09:05:00+00:00';
const PUSH_EXPIRES_AT = '2026-01-31T09:03:20+00:00';
const TOKEN_ISSUED_AT = '2026-01-31T09:01:10+00:00';
const TOKEN_EXPIRES_AT = '2026-03-02T09:01:10+00:00';

const started = {
  attempt_token: ATTEMPT_TOKEN,
  expires_at: ATTEMPT_EXPIRES_AT,
};

const user: User = {
  id: 1,
  national_id: '1000001101',
  name: 'Amal Salem Nasser Alnamuthaji',
  arabic_name: 'أمل سالم ناصر النموذجي',
  english_name: 'Amal Salem Nasser Alnamuthaji',
  preferred_locale: 'en',
  nationality: 'SA',
  gender: 'F',
  assurance_level: 3,
  last_auth_method: 'mfa',
};

const pending: AttemptStatus = {
  attempt_id: MFA_ATTEMPT,
  status: 'pending',
  provider_status: 'PENDING',
  message: null,
  token_ready: false,
  user: null,
};

const completed = { success: true, message: 'The authentication is complete.' };

export const EXAMPLES: { readonly [Id in OperationId]: readonly Example<Id>[] } = {
  startAttempt: [
    {
      request: { locale: 'en' },
      answer: {
        data: {
          attempt_id: OIDC_ATTEMPT,
          authorization_url: `http://127.0.0.1:3000/api/v1/callback?state=${OIDC_ATTEMPT}`,
          ...started,
        },
      },
    },
    {
      request: { national_id: '1000001101', locale: 'en' },
      answer: {
        data: {
          attempt_id: MFA_ATTEMPT,
          random: '042917',
          random_expires_at: PUSH_EXPIRES_AT,
          ...started,
        },
      },
    },
  ],
  watchStatus: [],
  readStatus: [
    { answer: { data: pending } },
    {
      answer: {
        data: {
          ...pending,
          status: 'authenticated',
          provider_status: 'COMPLETED',
          token_ready: true,
          user,
        },
      },
    },
    {
      answer: {
        data: {
          ...pending,
          status: 'expired',
          provider_status: 'EXPIRED',
          message: 'The attempt has expired.',
        },
      },
    },
  ],
  openSignIn: [],
  completeRedirect: [
    {
      request: { state: OIDC_ATTEMPT, auto_complete: true },
      answer: {
        ...completed,
        attempt_id: OIDC_ATTEMPT,
        redirect_to: 'http://127.0.0.1:3000/dashboard',
      },
    },
  ],
  completeMfa: [
    { request: { attempt_id: MFA_ATTEMPT }, answer: { ...completed, attempt_id: MFA_ATTEMPT } },
  ],
  cancelAttempt: [],
  issueToken: [
    {
      request: { attempt_token: ATTEMPT_TOKEN, device_name: 'My phone' },
      answer: {
        data: { token: API_TOKEN, token_type: 'Bearer', expires_at: TOKEN_EXPIRES_AT, user },
      },
    },
  ],
  readUser: [{ answer: { data: { ...user, client_id: 'simulator' } } }],
  listTokens: [
    {
      answer: {
        data: [
          {
            id: DEVICE,
            device_name: 'My phone',
            created_at: TOKEN_ISSUED_AT,
            expires_at: TOKEN_EXPIRES_AT,
            current: true,
          },
        ],
        next: null,
      },
    },
  ],
  revokeToken: [],
  revokeOwnToken: [],
  introspectToken: [
    {
      request: { token: API_TOKEN },
      answer: {
        active: true,
        client_id: 'simulator',
        token_type: 'Bearer',
        sub: '1',
        jti: DEVICE,
        iat: 1_769_850_070,
        exp: 1_772_442_070,
      },
    },
    { request: { token: 'of-nobody' }, answer: { active: false } },
  ],
};

export const PROBLEM_EXAMPLE: Problem = {
  type: '/errors/validation.failed',
  title: 'Validation failed',
  status: 422,
  detail: 'The locale field is required.',
  code: 'validation.failed',
  message: 'The locale field is required.',
  remedy: 'Correct the members named in errors.',
  errors: { locale: ['The locale field is required.'] },
  violations: [{ pointer: '/locale', code: 'required' }],
  request_id: DEVICE,
};
