import { expectTypeOf, test } from 'vitest';
import type {
  ApiToken,
  AttemptStatus,
  Introspection,
  MfaStarted,
  OidcStarted,
  Problem,
  Started,
  StartRequest,
  TokenRequest,
  User,
} from './index.ts';
import type { AnswerOf, RequestOf } from './operations.ts';

test('a start names a national id, or does not', () => {
  expectTypeOf<{ locale: string }>().toExtend<StartRequest>();
  expectTypeOf<{ locale: string; national_id: string }>().toExtend<StartRequest>();
  expectTypeOf<{ national_id: string }>().not.toExtend<StartRequest>();
});

test('what was started is told by its own member', () => {
  expectTypeOf<Started>().toEqualTypeOf<OidcStarted | MfaStarted>();
  expectTypeOf<OidcStarted['authorization_url']>().toEqualTypeOf<string>();
  expectTypeOf<MfaStarted['random']>().toEqualTypeOf<string>();
  expectTypeOf<OidcStarted>().not.toHaveProperty('random');
});

test('a status is one of five words, with a user or without', () => {
  expectTypeOf<AttemptStatus['status']>().toEqualTypeOf<
    'pending' | 'authenticated' | 'rejected' | 'expired' | 'failed'
  >();
  expectTypeOf<AttemptStatus['user']>().toEqualTypeOf<User | null>();
  expectTypeOf<AttemptStatus['message']>().toEqualTypeOf<string | null>();
});

test('what may be left out is optional', () => {
  expectTypeOf<{ attempt_token: string }>().toExtend<TokenRequest>();
  expectTypeOf<{ active: boolean }>().toExtend<Introspection>();
  expectTypeOf<Problem['remedy']>().toEqualTypeOf<string | undefined>();
});

test('an operation knows the types of its bodies', () => {
  expectTypeOf<RequestOf<'startAttempt'>>().toEqualTypeOf<StartRequest>();
  expectTypeOf<AnswerOf<'issueToken'>>().toEqualTypeOf<{ data: ApiToken }>();
  expectTypeOf<RequestOf<'readUser'>>().toBeUndefined();
  expectTypeOf<AnswerOf<'revokeToken'>>().toBeUndefined();
});
