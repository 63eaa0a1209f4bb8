import { NO_ATTEMPT_TOKEN, TOKEN_IN_ADDRESS } from './attempt-token.ts';
import { KEY_OF_NOBODY, NO_CLIENT_KEY, OTHER_CLIENT_KEY } from './client-key.ts';
import { NO_COMPLETION_CODE, WRONG_COMPLETION_CODE } from './completion-code.ts';
import { NEW_KEY_FOR_A_REPEAT, NO_IDEMPOTENCY_KEY } from './exchange.ts';
import { IDENTITY_FROM_STATUS } from './identity.ts';
import {
  NO_OPENID_TOKENS,
  NO_USERINFO,
  OPENID_CODE_TWICE,
  OPENID_GETS_LESS,
  OPENID_POLLS_TOO_FAST,
  OPENID_REFRESH_TWICE,
} from './openid.ts';
import { POLLS_TOO_FAST, READS_AFTER_THE_END } from './polling.ts';
import { IGNORES_RETRY_AFTER } from './retry-after.ts';
import type { CoachRule } from './rule.ts';
import { NEVER_FINISHES, STARTS_TWICE } from './starts.ts';

/** In the order in which the coach says them: what loses or gives away a sign-in comes first. */
export const COACH_RULES: readonly CoachRule[] = [
  IDENTITY_FROM_STATUS,
  TOKEN_IN_ADDRESS,
  NO_ATTEMPT_TOKEN,
  NO_CLIENT_KEY,
  OTHER_CLIENT_KEY,
  KEY_OF_NOBODY,
  NO_COMPLETION_CODE,
  WRONG_COMPLETION_CODE,
  OPENID_CODE_TWICE,
  OPENID_REFRESH_TWICE,
  NEVER_FINISHES,
  NO_OPENID_TOKENS,
  OPENID_GETS_LESS,
  NO_USERINFO,
  STARTS_TWICE,
  READS_AFTER_THE_END,
  POLLS_TOO_FAST,
  OPENID_POLLS_TOO_FAST,
  IGNORES_RETRY_AFTER,
  NO_IDEMPOTENCY_KEY,
  NEW_KEY_FOR_A_REPEAT,
];
