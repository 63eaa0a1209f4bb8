// Compiled from store/sql/queries/ by service/test/store/postgres/statements.test.ts.
// Change the queries, not this.
import type { Statements } from '../sql/queries/index.ts';
import type { SetName, SetStatement } from './sets.ts';

export const statements: Statements = {
  insertAttempt: {
    name: 'insertAttempt',
    parameters: [
      'attempt_id',
      'flow',
      'client',
      'token_digest',
      'locale',
      'national_id',
      'binding_code',
      'return_address',
      'created_at',
      'expires_at',
      'provider_expires_at',
      'authenticated_at',
      'rejected_at',
      'failed_at',
      'redeemed_at',
      'user_id',
      'end_reason',
      'completion_digest',
      'completion_expires_at',
      'completion_misses',
      'replay_salt',
      'replay_key_digest',
      'replay_body_digest',
      'replay_misses',
      'scenario',
    ],
    sql: `insert into "attempts" ("attempt_id", "flow", "client", "token_digest", "locale", "national_id",
"binding_code", "return_address", "created_at", "expires_at", "provider_expires_at",
"authenticated_at", "rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason",
"completion_digest", "completion_expires_at", "completion_misses", "replay_salt",
"replay_key_digest", "replay_body_digest", "replay_misses", "scenario") values (cast($1 as
text), cast($2 as text), cast($3 as text), cast($4 as text), cast($5 as text), cast($6 as text),
cast($7 as text), cast($8 as text), cast($9 as bigint), cast($10 as bigint), cast($11 as
bigint), cast($12 as bigint), cast($13 as bigint), cast($14 as bigint), cast($15 as bigint),
cast($16 as bigint), cast($17 as text), cast($18 as text), cast($19 as bigint), cast($20 as
bigint), cast($21 as text), cast($22 as text), cast($23 as text), cast($24 as bigint), cast($25
as text))`,
  },
  selectAttempt: {
    name: 'selectAttempt',
    parameters: ['attempt_id'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "attempt_id" = cast($1
as text)`,
  },
  selectProvenAttempt: {
    name: 'selectProvenAttempt',
    parameters: ['attempt_id', 'token_digest'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "attempt_id" = cast($1
as text) and "token_digest" = cast($2 as text)`,
  },
  selectPendingAttempts: {
    name: 'selectPendingAttempts',
    parameters: ['first_id', 'at', 'of_scope', 'limit'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "attempt_id" >= cast($1
as text) and (("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case
when "provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end >
cast($2 as bigint)) and "authenticated_at" is null) and coalesce(scenario, 'default') || ' '
like cast($3 as text) order by "attempt_id" desc limit cast($4 as bigint)`,
  },
  authenticateAttempt: {
    name: 'authenticateAttempt',
    parameters: [
      'at',
      'identity_digest',
      'erase',
      'completion_digest',
      'completion_expires_at',
      'attempt_id',
      'flow',
      'at',
      'identity_digest',
    ],
    sql: `update "attempts" set "authenticated_at" = cast($1 as bigint), "provider_expires_at" = null,
"user_id" = (select "users"."id" from "users" where "users"."identity_digest" = cast($2 as
text)), "national_id" = case when cast($3 as bigint) = 1 then null else national_id end,
"completion_digest" = cast($4 as text), "completion_expires_at" = cast($5 as bigint) where
"attempt_id" = cast($6 as text) and ("flow" = cast($7 as text) and (("rejected_at" is null and
"failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at"
then "provider_expires_at" else "expires_at" end > cast($8 as bigint)) and "authenticated_at" is
null) and not exists (select "provider_transactions"."attempt_id" from "provider_transactions"
where "provider_transactions"."attempt_id" = "attempts"."attempt_id" and
"provider_transactions"."spoiled_at" is not null)) and not exists (select "users"."id" from
"users" where "users"."identity_digest" = cast($9 as text) and "users"."sign_ins_ended_at" >=
"attempts"."created_at") returning "attempt_id", "flow", "client", "token_digest", "locale",
"national_id", "binding_code", "return_address", "created_at", "expires_at",
"provider_expires_at", "authenticated_at", "rejected_at", "failed_at", "redeemed_at", "user_id",
"end_reason", "completion_digest", "completion_expires_at", "completion_misses", "replay_salt",
"replay_key_digest", "replay_body_digest", "replay_misses", "scenario"`,
  },
  selectNewestAttempts: {
    name: 'selectNewestAttempts',
    parameters: ['before_id', 'of_scope', 'limit'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "attempt_id" < cast($1
as text) and coalesce(scenario, 'default') || ' ' like cast($2 as text) order by "attempt_id"
desc limit cast($3 as bigint)`,
  },
  rejectAttempt: {
    name: 'rejectAttempt',
    parameters: ['at', 'reason', 'erase', 'attempt_id', 'at'],
    sql: `update "attempts" set "rejected_at" = cast($1 as bigint), "end_reason" = cast($2 as text),
"national_id" = case when cast($3 as bigint) = 1 then null else national_id end where
"attempt_id" = cast($4 as text) and (("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > cast($5 as bigint)) and "authenticated_at" is
null) returning "attempt_id", "flow", "client", "token_digest", "locale", "national_id",
"binding_code", "return_address", "created_at", "expires_at", "provider_expires_at",
"authenticated_at", "rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason",
"completion_digest", "completion_expires_at", "completion_misses", "replay_salt",
"replay_key_digest", "replay_body_digest", "replay_misses", "scenario"`,
  },
  failAttempt: {
    name: 'failAttempt',
    parameters: ['at', 'reason', 'erase', 'attempt_id', 'at'],
    sql: `update "attempts" set "failed_at" = cast($1 as bigint), "end_reason" = cast($2 as text),
"national_id" = case when cast($3 as bigint) = 1 then null else national_id end where
"attempt_id" = cast($4 as text) and ("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > cast($5 as bigint)) returning "attempt_id",
"flow", "client", "token_digest", "locale", "national_id", "binding_code", "return_address",
"created_at", "expires_at", "provider_expires_at", "authenticated_at", "rejected_at",
"failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario"`,
  },
  cancelAttempt: {
    name: 'cancelAttempt',
    parameters: ['at', 'erase', 'attempt_id', 'at'],
    sql: `update "attempts" set "rejected_at" = cast($1 as bigint), "end_reason" = 'attempt.cancelled',
"authenticated_at" = null, "user_id" = null, "completion_digest" = null, "completion_expires_at"
= null, "national_id" = case when cast($2 as bigint) = 1 then null else national_id end where
"attempt_id" = cast($3 as text) and ("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > cast($4 as bigint)) returning "attempt_id",
"flow", "client", "token_digest", "locale", "national_id", "binding_code", "return_address",
"created_at", "expires_at", "provider_expires_at", "authenticated_at", "rejected_at",
"failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario"`,
  },
  failAuthenticated: {
    name: 'failAuthenticated',
    parameters: ['at', 'reason', 'erase', 'attempt_id', 'at'],
    sql: `update "attempts" set "failed_at" = cast($1 as bigint), "end_reason" = cast($2 as text),
"national_id" = case when cast($3 as bigint) = 1 then null else national_id end where
"attempt_id" = cast($4 as text) and (("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > cast($5 as bigint)) and "authenticated_at" is not
null) returning "attempt_id", "flow", "client", "token_digest", "locale", "national_id",
"binding_code", "return_address", "created_at", "expires_at", "provider_expires_at",
"authenticated_at", "rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason",
"completion_digest", "completion_expires_at", "completion_misses", "replay_salt",
"replay_key_digest", "replay_body_digest", "replay_misses", "scenario"`,
  },
  countWrongCode: {
    name: 'countWrongCode',
    parameters: ['at', 'erase', 'attempt_id', 'at'],
    sql: `update "attempts" set "completion_misses" = completion_misses + 1, "failed_at" = case when
completion_misses + 1 >= 5 then cast($1 as bigint) end, "end_reason" = case when
completion_misses + 1 >= 5 then 'attempt.failed' end, "national_id" = case when
completion_misses + 1 >= 5 and cast($2 as bigint) = 1 then null else national_id end where
"attempt_id" = cast($3 as text) and (("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > cast($4 as bigint)) and "authenticated_at" is not
null) returning "attempt_id", "flow", "client", "token_digest", "locale", "national_id",
"binding_code", "return_address", "created_at", "expires_at", "provider_expires_at",
"authenticated_at", "rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason",
"completion_digest", "completion_expires_at", "completion_misses", "replay_salt",
"replay_key_digest", "replay_body_digest", "replay_misses", "scenario"`,
  },
  markRedeemed: {
    name: 'markRedeemed',
    parameters: [
      'at',
      'replay_salt',
      'replay_key_digest',
      'replay_body_digest',
      'replay_misses',
      'attempt_id',
    ],
    sql: `update "attempts" set "redeemed_at" = cast($1 as bigint), "replay_salt" = cast($2 as text),
"replay_key_digest" = cast($3 as text), "replay_body_digest" = cast($4 as text), "replay_misses"
= cast($5 as bigint) where "attempt_id" = cast($6 as text)`,
  },
  missReplay: {
    name: 'missReplay',
    parameters: ['attempt_id'],
    sql: `update "attempts" set "replay_misses" = replay_misses + 1 where "attempt_id" = cast($1 as text)
and "replay_salt" is not null`,
  },
  deleteExpiredAttempts: {
    name: 'deleteExpiredAttempts',
    parameters: ['before', 'limit'],
    sql: `delete from "attempts" where "attempt_id" = any(array(select "attempt_id" from "attempts" where
case when "provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end
< cast($1 as bigint) order by case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end limit cast($2 as bigint) for update skip locked))`,
  },
  eraseSeals: {
    name: 'eraseSeals',
    parameters: ['before', 'limit'],
    sql: `update "attempts" set "replay_salt" = null, "replay_key_digest" = null, "replay_body_digest" =
null, "replay_misses" = null where "attempt_id" = any(array(select "attempt_id" from "attempts"
where "replay_salt" is not null and "redeemed_at" < cast($1 as bigint) order by "redeemed_at"
limit cast($2 as bigint) for update skip locked))`,
  },
  eraseIdentifiers: {
    name: 'eraseIdentifiers',
    parameters: ['before', 'limit'],
    sql: `update "attempts" set "national_id" = null where "attempt_id" = any(array(select "attempt_id"
from "attempts" where "national_id" > 'v' and case when "provider_expires_at" < "expires_at"
then "provider_expires_at" else "expires_at" end < cast($1 as bigint) order by case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end limit
cast($2 as bigint) for update skip locked))`,
  },
  rotateCompletion: {
    name: 'rotateCompletion',
    parameters: ['completion_digest', 'completion_expires_at', 'attempt_id', 'at'],
    sql: `update "attempts" set "completion_digest" = cast($1 as text), "completion_expires_at" = cast($2
as bigint) where "attempt_id" = cast($3 as text) and (("rejected_at" is null and "failed_at" is
null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > cast($4 as bigint)) and "authenticated_at" is not
null) returning "attempt_id", "flow", "client", "token_digest", "locale", "national_id",
"binding_code", "return_address", "created_at", "expires_at", "provider_expires_at",
"authenticated_at", "rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason",
"completion_digest", "completion_expires_at", "completion_misses", "replay_salt",
"replay_key_digest", "replay_body_digest", "replay_misses", "scenario"`,
  },
  selectBegunAfterEnd: {
    name: 'selectBegunAfterEnd',
    parameters: ['attempt_id', 'identity_digest'],
    sql: `select "attempt_id" from "attempts" where "attempt_id" = cast($1 as text) and not exists (select
"users"."id" from "users" where "users"."identity_digest" = cast($2 as text) and
"users"."sign_ins_ended_at" >= "attempts"."created_at")`,
  },
  adoptUser: {
    name: 'adoptUser',
    parameters: [
      'identity_digest',
      'retired_digest',
      'identity_digest',
      'attempt_id',
      'flow',
      'at',
    ],
    sql: `update "users" set "identity_digest" = cast($1 as text) where "identity_digest" = cast($2 as
text) and not exists (select "known"."id" from "users" as "known" where
"known"."identity_digest" = cast($3 as text)) and exists (select "attempt_id" from "attempts"
where "attempt_id" = cast($4 as text) and ("flow" = cast($5 as text) and (("rejected_at" is null
and "failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end > cast($6 as bigint)) and
"authenticated_at" is null) and not exists (select "provider_transactions"."attempt_id" from
"provider_transactions" where "provider_transactions"."attempt_id" = "attempts"."attempt_id" and
"provider_transactions"."spoiled_at" is not null)))`,
  },
  endSignIns: {
    name: 'endSignIns',
    parameters: ['at', 'id', 'at'],
    sql: `update "users" set "sign_ins_ended_at" = cast($1 as bigint) where "id" = cast($2 as bigint) and
("sign_ins_ended_at" is null or "sign_ins_ended_at" < cast($3 as bigint))`,
  },
  upsertUser: {
    name: 'upsertUser',
    parameters: [
      'identity_digest',
      'vault_key',
      'issuer',
      'document_type',
      'document_number',
      'national_id',
      'arabic_name',
      'english_name',
      'email',
      'nationality',
      'gender',
      'assurance_level',
      'preferred_locale',
      'flow',
      'at',
      'at',
      'identity_digest',
      'attempt_id',
      'flow',
      'at',
      'identity_digest',
    ],
    sql: `insert into "users" ("identity_digest", "vault_key", "issuer", "document_type",
"document_number", "national_id", "arabic_name", "english_name", "email", "nationality",
"gender", "assurance_level", "preferred_locale", "last_auth_method", "updated_at", "created_at",
"disabled_at") select cast($1 as text) as "identity_digest", cast($2 as text) as "vault_key",
cast($3 as text) as "issuer", cast($4 as text) as "document_type", cast($5 as text) as
"document_number", cast($6 as text) as "national_id", cast($7 as text) as "arabic_name", cast($8
as text) as "english_name", cast($9 as text) as "email", cast($10 as text) as "nationality",
cast($11 as text) as "gender", cast($12 as bigint) as "assurance_level", cast($13 as text) as
"preferred_locale", cast($14 as text) as "last_auth_method", cast($15 as bigint) as
"updated_at", cast($16 as bigint) as "created_at", (select "erased_at" from "erased_people"
where "erased_people"."identity_digest" = cast($17 as text)) as "disabled_at" from "attempts"
where "attempt_id" = cast($18 as text) and ("flow" = cast($19 as text) and (("rejected_at" is
null and "failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end > cast($20 as bigint)) and
"authenticated_at" is null) and not exists (select "provider_transactions"."attempt_id" from
"provider_transactions" where "provider_transactions"."attempt_id" = "attempts"."attempt_id" and
"provider_transactions"."spoiled_at" is not null)) and not exists (select "users"."id" from
"users" where "users"."identity_digest" = cast($21 as text) and "users"."sign_ins_ended_at" >=
"attempts"."created_at") on conflict ("identity_digest") do update set "vault_key" =
"excluded"."vault_key", "document_number" = "excluded"."document_number", "national_id" =
"excluded"."national_id", "arabic_name" = "excluded"."arabic_name", "english_name" =
"excluded"."english_name", "email" = "excluded"."email", "nationality" =
"excluded"."nationality", "gender" = "excluded"."gender", "assurance_level" =
"excluded"."assurance_level", "preferred_locale" = "excluded"."preferred_locale",
"last_auth_method" = "excluded"."last_auth_method", "updated_at" = "excluded"."updated_at"
returning "id", "identity_digest", "vault_key", "issuer", "document_type", "document_number",
"national_id", "arabic_name", "english_name", "email", "nationality", "gender",
"assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at"`,
  },
  selectUsersUnderKey: {
    name: 'selectUsersUnderKey',
    parameters: ['vault_key', 'limit'],
    sql: `select "id", "identity_digest", "vault_key", "issuer", "document_type", "document_number",
"national_id", "arabic_name", "english_name", "email", "nationality", "gender",
"assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at" from "users" where "vault_key" = cast($1 as text) limit
cast($2 as bigint)`,
  },
  resealUser: {
    name: 'resealUser',
    parameters: [
      'identity_digest',
      'vault_key',
      'document_number',
      'national_id',
      'arabic_name',
      'english_name',
      'email',
      'nationality',
      'gender',
      'id',
      'sealed_before',
    ],
    sql: `update "users" set "identity_digest" = cast($1 as text), "vault_key" = cast($2 as text),
"document_number" = cast($3 as text), "national_id" = cast($4 as text), "arabic_name" = cast($5
as text), "english_name" = cast($6 as text), "email" = cast($7 as text), "nationality" = cast($8
as text), "gender" = cast($9 as text) where "id" = cast($10 as bigint) and "national_id" =
cast($11 as text)`,
  },
  disableUser: {
    name: 'disableUser',
    parameters: ['at', 'id'],
    sql: `update "users" set "disabled_at" = cast($1 as bigint) where "id" = cast($2 as bigint) and
"disabled_at" is null returning "id"`,
  },
  enableUser: {
    name: 'enableUser',
    parameters: ['id'],
    sql: `update "users" set "disabled_at" = null where "id" = cast($1 as bigint) and "disabled_at" is not
null returning "id"`,
  },
  selectUser: {
    name: 'selectUser',
    parameters: ['id'],
    sql: `select "id", "identity_digest", "vault_key", "issuer", "document_type", "document_number",
"national_id", "arabic_name", "english_name", "email", "nationality", "gender",
"assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at", "subject" from "users" where "id" = cast($1 as bigint)`,
  },
  selectPerson: {
    name: 'selectPerson',
    parameters: ['identity_digest'],
    sql: `select "id", "identity_digest", "vault_key", "issuer", "document_type", "document_number",
"national_id", "arabic_name", "english_name", "email", "nationality", "gender",
"assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at" from "users" where "identity_digest" = cast($1 as text)`,
  },
  insertRedeemedToken: {
    name: 'insertRedeemedToken',
    parameters: [
      'token_id',
      'token_digest',
      'device_name',
      'created_at',
      'expires_at',
      'attempt_id',
      'attempt_token_digest',
      'at',
      'completion_digest',
      'completion_digest',
      'at',
    ],
    sql: `insert into "api_tokens" ("token_id", "token_digest", "attempt_id", "user_id", "client",
"device_name", "created_at", "expires_at") select cast($1 as text) as "token_id", cast($2 as
text) as "token_digest", "attempt_id", "user_id" as "user_id", "client", cast($3 as text) as
"device_name", cast($4 as bigint) as "created_at", cast($5 as bigint) as "expires_at" from
"attempts" where "attempt_id" = cast($6 as text) and "token_digest" = cast($7 as text) and
(("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end > cast($8
as bigint)) and "authenticated_at" is not null) and exists (select "users"."id" from "users"
where "users"."id" = "attempts"."user_id" and "users"."disabled_at" is null and
("users"."sign_ins_ended_at" is null or "users"."sign_ins_ended_at" < "attempts"."created_at"))
and (cast($9 as text) is null or ("completion_digest" = cast($10 as text) and
"completion_expires_at" > cast($11 as bigint))) returning "attempt_id", "user_id", "client"`,
  },
  selectToken: {
    name: 'selectToken',
    parameters: ['token_digest'],
    sql: `select "token_id", "token_digest", "attempt_id", "user_id", "client", "device_name",
"created_at", "expires_at", "revoked_at" from "api_tokens" where "token_digest" = cast($1 as
text)`,
  },
  selectTokenOfAttempt: {
    name: 'selectTokenOfAttempt',
    parameters: ['attempt_id'],
    sql: `select "token_id", "token_digest", "attempt_id", "user_id", "client", "device_name",
"created_at", "expires_at", "revoked_at" from "api_tokens" where "attempt_id" = cast($1 as text)`,
  },
  selectActiveTokens: {
    name: 'selectActiveTokens',
    parameters: ['user_id', 'client', 'below', 'at', 'limit'],
    sql: `select "token_id", "token_digest", "attempt_id", "user_id", "client", "device_name",
"created_at", "expires_at", "revoked_at" from "api_tokens" where "user_id" = cast($1 as bigint)
and "client" = cast($2 as text) and "revoked_at" is null and "token_id" < coalesce(cast($3 as
text), '~') and "expires_at" > cast($4 as bigint) order by "token_id" desc limit cast($5 as
bigint)`,
  },
  revokeToken: {
    name: 'revokeToken',
    parameters: ['at', 'token_id', 'user_id', 'client', 'at'],
    sql: `update "api_tokens" set "revoked_at" = cast($1 as bigint) where "token_id" = cast($2 as text)
and "user_id" = cast($3 as bigint) and "client" = cast($4 as text) and "revoked_at" is null and
"expires_at" > cast($5 as bigint) returning "attempt_id", "user_id", "client"`,
  },
  deleteExpiredTokens: {
    name: 'deleteExpiredTokens',
    parameters: ['before', 'limit'],
    sql: `delete from "api_tokens" where "token_id" = any(array(select "token_id" from "api_tokens" where
"expires_at" < cast($1 as bigint) order by "expires_at" limit cast($2 as bigint) for update skip
locked))`,
  },
  insertTransaction: {
    name: 'insertTransaction',
    parameters: [
      'attempt_id',
      'kind',
      'launch_url',
      'state_digest',
      'nonce',
      'browser_digest',
      'transaction_id',
      'completed_seen_at',
      'spoiled_at',
      'kept_tokens',
      'attempt_id',
      'at',
      'attempt_id',
    ],
    sql: `insert into "provider_transactions" ("attempt_id", "kind", "launch_url", "state_digest",
"nonce", "browser_digest", "transaction_id", "completed_seen_at", "spoiled_at", "kept_tokens")
select cast($1 as text) as "attempt_id", cast($2 as text) as "kind", cast($3 as text) as
"launch_url", cast($4 as text) as "state_digest", cast($5 as text) as "nonce", cast($6 as text)
as "browser_digest", cast($7 as text) as "transaction_id", cast($8 as bigint) as
"completed_seen_at", cast($9 as bigint) as "spoiled_at", cast($10 as text) as "kept_tokens" from
"attempts" where "attempt_id" = cast($11 as text) and (("rejected_at" is null and "failed_at" is
null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > cast($12 as bigint)) and "authenticated_at" is
null) and not exists (select "kind" from "provider_transactions" where "attempt_id" = cast($13
as text)) returning "attempt_id"`,
  },
  markOpened: {
    name: 'markOpened',
    parameters: ['binding_code', 'provider_expires_at', 'attempt_id'],
    sql: `update "attempts" set "binding_code" = cast($1 as text), "provider_expires_at" = cast($2 as
bigint) where "attempt_id" = cast($3 as text) returning "attempt_id", "flow", "client",
"token_digest", "locale", "national_id", "binding_code", "return_address", "created_at",
"expires_at", "provider_expires_at", "authenticated_at", "rejected_at", "failed_at",
"redeemed_at", "user_id", "end_reason", "completion_digest", "completion_expires_at",
"completion_misses", "replay_salt", "replay_key_digest", "replay_body_digest", "replay_misses",
"scenario"`,
  },
  selectTransaction: {
    name: 'selectTransaction',
    parameters: ['attempt_id'],
    sql: `select "attempts"."attempt_id", "attempts"."flow", "attempts"."client",
"attempts"."token_digest", "attempts"."locale", "attempts"."national_id",
"attempts"."binding_code", "attempts"."return_address", "attempts"."created_at",
"attempts"."expires_at", "attempts"."provider_expires_at", "attempts"."authenticated_at",
"attempts"."rejected_at", "attempts"."failed_at", "attempts"."redeemed_at",
"attempts"."user_id", "attempts"."end_reason", "attempts"."completion_digest",
"attempts"."completion_expires_at", "attempts"."completion_misses", "attempts"."replay_salt",
"attempts"."replay_key_digest", "attempts"."replay_body_digest", "attempts"."replay_misses",
"attempts"."scenario", "provider_transactions"."kind", "provider_transactions"."launch_url",
"provider_transactions"."state_digest", "provider_transactions"."nonce",
"provider_transactions"."browser_digest", "provider_transactions"."transaction_id",
"provider_transactions"."completed_seen_at", "provider_transactions"."spoiled_at",
"provider_transactions"."kept_tokens" from "provider_transactions" inner join "attempts" on
"attempts"."attempt_id" = "provider_transactions"."attempt_id" where "attempts"."attempt_id" =
cast($1 as text)`,
  },
  selectTransactionByState: {
    name: 'selectTransactionByState',
    parameters: ['state_digest'],
    sql: `select "attempts"."attempt_id", "attempts"."flow", "attempts"."client",
"attempts"."token_digest", "attempts"."locale", "attempts"."national_id",
"attempts"."binding_code", "attempts"."return_address", "attempts"."created_at",
"attempts"."expires_at", "attempts"."provider_expires_at", "attempts"."authenticated_at",
"attempts"."rejected_at", "attempts"."failed_at", "attempts"."redeemed_at",
"attempts"."user_id", "attempts"."end_reason", "attempts"."completion_digest",
"attempts"."completion_expires_at", "attempts"."completion_misses", "attempts"."replay_salt",
"attempts"."replay_key_digest", "attempts"."replay_body_digest", "attempts"."replay_misses",
"attempts"."scenario", "provider_transactions"."kind", "provider_transactions"."launch_url",
"provider_transactions"."state_digest", "provider_transactions"."nonce",
"provider_transactions"."browser_digest", "provider_transactions"."transaction_id",
"provider_transactions"."completed_seen_at", "provider_transactions"."spoiled_at",
"provider_transactions"."kept_tokens" from "provider_transactions" inner join "attempts" on
"attempts"."attempt_id" = "provider_transactions"."attempt_id" where "state_digest" = cast($1 as
text)`,
  },
  bindBrowser: {
    name: 'bindBrowser',
    parameters: ['browser_digest', 'attempt_id', 'browser_digest', 'attempt_id', 'at'],
    sql: `update "provider_transactions" set "browser_digest" = cast($1 as text) where "attempt_id" =
cast($2 as text) and "kind" = 'redirect' and ("browser_digest" is null or "browser_digest" =
cast($3 as text)) and "spoiled_at" is null and exists (select "attempt_id" from "attempts" where
"attempt_id" = cast($4 as text) and (("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > cast($5 as bigint)) and "authenticated_at" is
null)) returning "attempt_id"`,
  },
  replaceSession: {
    name: 'replaceSession',
    parameters: [
      'launch_url',
      'state_digest',
      'nonce',
      'browser_digest',
      'attempt_id',
      'attempt_id',
      'at',
    ],
    sql: `update "provider_transactions" set "launch_url" = cast($1 as text), "state_digest" = cast($2 as
text), "nonce" = cast($3 as text), "browser_digest" = cast($4 as text) where "attempt_id" =
cast($5 as text) and "kind" = 'redirect' and "browser_digest" is null and "spoiled_at" is null
and exists (select "attempt_id" from "attempts" where "attempt_id" = cast($6 as text) and
(("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end > cast($7
as bigint)) and "authenticated_at" is null)) returning "attempt_id"`,
  },
  eraseLaunchUrl: {
    name: 'eraseLaunchUrl',
    parameters: ['attempt_id'],
    sql: `update "provider_transactions" set "launch_url" = null, "kept_tokens" = null where "attempt_id"
= cast($1 as text)`,
  },
  markSpoiled: {
    name: 'markSpoiled',
    parameters: ['at', 'attempt_id', 'attempt_id', 'at'],
    sql: `update "provider_transactions" set "spoiled_at" = cast($1 as bigint), "launch_url" = null,
"kept_tokens" = null where "attempt_id" = cast($2 as text) and "kind" = 'redirect' and
"spoiled_at" is null and exists (select "attempt_id" from "attempts" where "attempt_id" =
cast($3 as text) and ("rejected_at" is null and "failed_at" is null and "redeemed_at" is null
and case when "provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at"
end > cast($4 as bigint))) returning "attempt_id"`,
  },
  expirePush: {
    name: 'expirePush',
    parameters: ['at', 'attempt_id', 'at', 'attempt_id'],
    sql: `update "attempts" set "provider_expires_at" = cast($1 as bigint) where "attempt_id" = cast($2 as
text) and (("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case
when "provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end >
cast($3 as bigint)) and "authenticated_at" is null) and exists (select "kind" from
"provider_transactions" where "attempt_id" = cast($4 as text) and "kind" = 'push') returning
"attempt_id"`,
  },
  recordApprovalSeen: {
    name: 'recordApprovalSeen',
    parameters: ['at', 'attempt_id', 'attempt_id', 'at'],
    sql: `update "provider_transactions" set "completed_seen_at" = coalesce(completed_seen_at, cast($1 as
bigint)) where "attempt_id" = cast($2 as text) and "kind" = 'push' and exists (select
"attempt_id" from "attempts" where "attempt_id" = cast($3 as text) and (("rejected_at" is null
and "failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end > cast($4 as bigint)) and
"authenticated_at" is null)) returning "completed_seen_at"`,
  },
  keepTokens: {
    name: 'keepTokens',
    parameters: ['kept_tokens', 'attempt_id', 'attempt_id', 'at'],
    sql: `update "provider_transactions" set "kept_tokens" = cast($1 as text) where "attempt_id" = cast($2
as text) and "spoiled_at" is null and exists (select "attempt_id" from "attempts" where
"attempt_id" = cast($3 as text) and (("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > cast($4 as bigint)) and "authenticated_at" is
null)) returning "attempt_id"`,
  },
  selectKeptPushes: {
    name: 'selectKeptPushes',
    parameters: ['at'],
    sql: `select "attempt_id" from "provider_transactions" where "kept_tokens" is not null and "kind" =
'push' and exists (select "attempts"."attempt_id" from "attempts" where attempts.attempt_id =
provider_transactions.attempt_id and (("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > cast($1 as bigint)) and "authenticated_at" is
null)) order by "attempt_id"`,
  },
  dropLateTokens: {
    name: 'dropLateTokens',
    parameters: ['at'],
    sql: `update "provider_transactions" set "kept_tokens" = null where "kept_tokens" is not null and not
exists (select "attempts"."attempt_id" from "attempts" where attempts.attempt_id =
provider_transactions.attempt_id and (("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > cast($1 as bigint)) and "authenticated_at" is
null))`,
  },
  admitPush: {
    name: 'admitPush',
    parameters: [
      'attempt_id',
      'person_digest',
      'client',
      'at',
      'counts_until',
      'person_digest',
      'cooling_since',
      'attempt_id',
      'at',
      'person_windows',
      'person_digest',
      'at',
      'client',
      'client_since',
      'client_quota',
      'service_since',
      'service_quota',
    ],
    sql: `insert into "pushes" ("attempt_id", "person_digest", "client", "admitted_at", "counts_until")
select cast($1 as text) as "attempt_id", cast($2 as text) as "person_digest", cast($3 as text)
as "client", cast($4 as bigint) as "admitted_at", cast($5 as bigint) as "counts_until" where not
exists (select "attempt_id" from "attempts" where "attempt_id" in (select "pushes"."attempt_id"
from "pushes" where "person_digest" = cast($6 as text)) and (("rejected_at" > cast($7 as bigint)
and "end_reason" <> 'attempt.cancelled') or ("attempt_id" <> cast($8 as text) and
(("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end > cast($9
as bigint)) and "authenticated_at" is null)))) and not exists ( select 1 from
jsonb_array_elements(cast(cast($10 as text) as jsonb)) as item(value) where ( select count(*)
from pushes where person_digest = cast($11 as text) and (item.value ->> 'client' is null or
client = item.value ->> 'client') and admitted_at > cast($12 as bigint) - cast(item.value ->>
'lengthMs' as bigint) ) >= cast(item.value ->> 'quota' as bigint) ) and (select count(*) as
"spent" from "pushes" where "client" = cast($13 as text) and "admitted_at" > cast($14 as
bigint)) < cast($15 as bigint) and (select count(*) as "spent" from "pushes" where "admitted_at"
> cast($16 as bigint)) < cast($17 as bigint) returning "push_id"`,
  },
  forgetPushes: {
    name: 'forgetPushes',
    parameters: ['person_digest'],
    sql: `update "pushes" set "person_digest" = null where "person_digest" = cast($1 as text)`,
  },
  adoptPushes: {
    name: 'adoptPushes',
    parameters: ['person_digest', 'other_digest'],
    sql: `update "pushes" set "person_digest" = cast($1 as text) where "person_digest" = cast($2 as text)`,
  },
  withdrawPush: {
    name: 'withdrawPush',
    parameters: ['person_digest', 'attempt_id'],
    sql: `delete from "pushes" where "person_digest" = cast($1 as text) and "attempt_id" = cast($2 as
text)`,
  },
  countPushes: {
    name: 'countPushes',
    parameters: ['after'],
    sql: `select "client", count(*) as "count" from "pushes" where "admitted_at" > cast($1 as bigint)
group by "client"`,
  },
  deleteOldPushes: {
    name: 'deleteOldPushes',
    parameters: ['before', 'limit'],
    sql: `delete from "pushes" where "push_id" = any(array(select "push_id" from "pushes" where
"counts_until" < cast($1 as bigint) order by "counts_until" limit cast($2 as bigint) for update
skip locked))`,
  },
  putOpenid: {
    name: 'putOpenid',
    parameters: [
      'record_digest',
      'model',
      'body',
      'vault_key',
      'grant_digest',
      'subject',
      'client',
      'attempt_id',
      'expires_at',
      'consumed_at',
      'due_at',
      'grant_digest',
      'grant_digest',
    ],
    sql: `insert into "openid_records" ("record_digest", "model", "body", "vault_key", "grant_digest",
"subject", "client", "attempt_id", "expires_at", "consumed_at", "due_at") select cast($1 as
text) as "record_digest", cast($2 as text) as "model", cast($3 as text) as "body", cast($4 as
text) as "vault_key", cast($5 as text) as "grant_digest", cast($6 as text) as "subject", cast($7
as text) as "client", cast($8 as text) as "attempt_id", cast($9 as bigint) as "expires_at",
cast($10 as bigint) as "consumed_at", cast($11 as bigint) as "due_at" where (cast($12 as text)
is null or exists (select "known"."record_digest" from "openid_records" as "known" where
"known"."grant_digest" = cast($13 as text) and "known"."model" != 'ToldAtEnd')) on conflict
("record_digest") do update set "body" = "excluded"."body", "vault_key" =
"excluded"."vault_key", "grant_digest" = "excluded"."grant_digest", "subject" =
"excluded"."subject", "client" = "excluded"."client", "expires_at" = "excluded"."expires_at"
returning "record_digest"`,
  },
  followOpenid: {
    name: 'followOpenid',
    parameters: [
      'record_digest',
      'model',
      'body',
      'vault_key',
      'grant_digest',
      'subject',
      'client',
      'attempt_id',
      'expires_at',
      'consumed_at',
      'due_at',
      'from_digest',
    ],
    sql: `insert into "openid_records" ("record_digest", "model", "body", "vault_key", "grant_digest",
"subject", "client", "attempt_id", "expires_at", "consumed_at", "due_at") select cast($1 as
text) as "record_digest", cast($2 as text) as "model", cast($3 as text) as "body", cast($4 as
text) as "vault_key", cast($5 as text) as "grant_digest", cast($6 as text) as "subject", cast($7
as text) as "client", cast($8 as text) as "attempt_id", cast($9 as bigint) as "expires_at",
cast($10 as bigint) as "consumed_at", cast($11 as bigint) as "due_at" where exists (select
"known"."record_digest" from "openid_records" as "known" where "known"."record_digest" =
cast($12 as text)) on conflict ("record_digest") do update set "body" = "excluded"."body",
"vault_key" = "excluded"."vault_key", "grant_digest" = "excluded"."grant_digest", "subject" =
"excluded"."subject", "client" = "excluded"."client", "expires_at" = "excluded"."expires_at"
returning "record_digest"`,
  },
  keepOpenid: {
    name: 'keepOpenid',
    parameters: [
      'record_digest',
      'model',
      'body',
      'vault_key',
      'grant_digest',
      'subject',
      'client',
      'attempt_id',
      'expires_at',
      'consumed_at',
      'due_at',
    ],
    sql: `insert into "openid_records" ("record_digest", "model", "body", "vault_key", "grant_digest",
"subject", "client", "attempt_id", "expires_at", "consumed_at", "due_at") values (cast($1 as
text), cast($2 as text), cast($3 as text), cast($4 as text), cast($5 as text), cast($6 as text),
cast($7 as text), cast($8 as text), cast($9 as bigint), cast($10 as bigint), cast($11 as
bigint)) on conflict ("record_digest") do nothing`,
  },
  selectOpenid: {
    name: 'selectOpenid',
    parameters: ['record_digest'],
    sql: `select "record_digest", "model", "body", "vault_key", "grant_digest", "subject", "client",
"attempt_id", "expires_at", "consumed_at", "due_at" from "openid_records" where "record_digest"
= cast($1 as text)`,
  },
  selectOpenidOfAttempt: {
    name: 'selectOpenidOfAttempt',
    parameters: ['attempt_id'],
    sql: `select "record_digest", "model", "body", "vault_key", "grant_digest", "subject", "client",
"attempt_id", "expires_at", "consumed_at", "due_at" from "openid_records" where "attempt_id" =
cast($1 as text)`,
  },
  linkOpenid: {
    name: 'linkOpenid',
    parameters: ['attempt_id', 'record_digest', 'linked'],
    sql: `update "openid_records" set "attempt_id" = cast($1 as text) where "record_digest" = cast($2 as
text) and attempt_id is not distinct from cast($3 as text) returning "record_digest"`,
  },
  consumeOpenid: {
    name: 'consumeOpenid',
    parameters: ['at', 'record_digest'],
    sql: `update "openid_records" set "consumed_at" = cast($1 as bigint) where "record_digest" = cast($2
as text) and "consumed_at" is null returning "record_digest"`,
  },
  selectOpenidUnderKey: {
    name: 'selectOpenidUnderKey',
    parameters: ['vault_key', 'limit'],
    sql: `select "record_digest", "model", "body", "vault_key", "grant_digest", "subject", "client",
"attempt_id", "expires_at", "consumed_at", "due_at" from "openid_records" where "vault_key" =
cast($1 as text) limit cast($2 as bigint)`,
  },
  resealOpenid: {
    name: 'resealOpenid',
    parameters: ['body', 'vault_key', 'record_digest', 'sealed_before'],
    sql: `update "openid_records" set "body" = cast($1 as text), "vault_key" = cast($2 as text) where
"record_digest" = cast($3 as text) and "body" = cast($4 as text) returning "record_digest"`,
  },
  deleteOpenid: {
    name: 'deleteOpenid',
    parameters: ['record_digest'],
    sql: `delete from "openid_records" where "record_digest" = cast($1 as text) returning "record_digest"`,
  },
  deleteOpenidGrant: {
    name: 'deleteOpenidGrant',
    parameters: ['grant_digest'],
    sql: `delete from "openid_records" where "grant_digest" = cast($1 as text) and "model" != 'ToldAtEnd'
returning "client", (select "users"."id" from "users" where "users"."subject" =
"openid_records"."subject") as "user_id"`,
  },
  deleteExpiredOpenid: {
    name: 'deleteExpiredOpenid',
    parameters: ['before', 'limit'],
    sql: `delete from "openid_records" where "record_digest" = any(array(select "record_digest" from
"openid_records" where "expires_at" < cast($1 as bigint) order by "expires_at" limit cast($2 as
bigint) for update skip locked))`,
  },
  noteEndedOfUser: {
    name: 'noteEndedOfUser',
    parameters: ['at', 'at', 'at', 'user_id'],
    sql: `update "openid_records" set "due_at" = cast($1 as bigint), "grant_digest" = null, "subject" =
null, "expires_at" = cast($2 as bigint) + 86400000 where "model" = 'ToldAtEnd' and "due_at" is
null and "expires_at" > cast($3 as bigint) and "subject" = (select users.subject from users
where users.id = cast($4 as bigint))`,
  },
  noteEnded: {
    name: 'noteEnded',
    parameters: ['at', 'at', 'at', 'above', 'up_to', 'user_id', 'user_id', 'client', 'client'],
    sql: `update "openid_records" set "due_at" = cast($1 as bigint), "grant_digest" = null, "subject" =
null, "expires_at" = cast($2 as bigint) + 86400000 where "model" = 'ToldAtEnd' and "due_at" is
null and "expires_at" > cast($3 as bigint) and record_digest > cast($4 as text) and
record_digest <= cast($5 as text) and (cast($6 as bigint) is null or subject = (select
users.subject from users where users.id = cast($7 as bigint))) and (cast($8 as text) is null or
client = cast($9 as text))`,
  },
  deleteOpenidOfUser: {
    name: 'deleteOpenidOfUser',
    parameters: ['user_id'],
    sql: `delete from "openid_records" where "expires_at" is not null and "due_at" is null and "subject" =
(select users.subject from users where users.id = cast($1 as bigint))`,
  },
  deleteOpenidOf: {
    name: 'deleteOpenidOf',
    parameters: ['above', 'up_to', 'user_id', 'user_id', 'client', 'client'],
    sql: `delete from "openid_records" where "expires_at" is not null and "due_at" is null and
record_digest > cast($1 as text) and record_digest <= cast($2 as text) and (cast($3 as bigint)
is null or subject = (select users.subject from users where users.id = cast($4 as bigint))) and
(cast($5 as text) is null or client = cast($6 as text) or model = 'SharedSession')`,
  },
  selectNthToEnd: {
    name: 'selectNthToEnd',
    parameters: ['above', 'user_id', 'user_id', 'client', 'client', 'offset'],
    sql: `select "record_digest" from "openid_records" where "record_digest" > cast($1 as text) and
"expires_at" is not null and "due_at" is null and (cast($2 as bigint) is null or subject =
(select users.subject from users where users.id = cast($3 as bigint))) and (cast($4 as text) is
null or client = cast($5 as text) or model = 'SharedSession') order by "record_digest" limit 1
offset cast($6 as bigint)`,
  },
  deleteToldAtEnd: {
    name: 'deleteToldAtEnd',
    parameters: [],
    sql: `delete from "openid_records" where "model" = 'ToldAtEnd'`,
  },
  selectClientsToTell: {
    name: 'selectClientsToTell',
    parameters: ['clients', 'at', 'at'],
    sql: `select item.value as client from jsonb_array_elements_text(cast(cast($1 as text) as jsonb)) as
item(value) where exists (select 1 from openid_records where client = item.value and due_at <=
cast($2 as bigint) and expires_at > cast($3 as bigint))`,
  },
  leaseEnded: {
    name: 'leaseEnded',
    parameters: ['until', 'client', 'at', 'at', 'limit'],
    sql: `update "openid_records" set "due_at" = cast($1 as bigint) where "record_digest" =
any(array(select "record_digest" from "openid_records" where "client" = cast($2 as text) and
"due_at" <= cast($3 as bigint) and "expires_at" > cast($4 as bigint) order by "due_at" limit
cast($5 as bigint) for update skip locked)) returning "record_digest", "model", "body",
"vault_key", "grant_digest", "subject", "client", "attempt_id", "expires_at", "consumed_at",
"due_at"`,
  },
  postponeEnded: {
    name: 'postponeEnded',
    parameters: ['until', 'record_digest'],
    sql: `update "openid_records" set "due_at" = cast($1 as bigint) where "record_digest" = cast($2 as
text) and "due_at" is not null`,
  },
  bringEndedForward: {
    name: 'bringEndedForward',
    parameters: ['at', 'at'],
    sql: `update "openid_records" set "due_at" = cast($1 as bigint) where "due_at" > cast($2 as bigint)`,
  },
  consumeAttempt: {
    name: 'consumeAttempt',
    parameters: ['at', 'attempt_id', 'at', 'completion_digest', 'completion_digest', 'at'],
    sql: `update "attempts" set "redeemed_at" = cast($1 as bigint) where "attempt_id" = cast($2 as text)
and (("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end > cast($3
as bigint)) and "authenticated_at" is not null) and exists (select "users"."id" from "users"
where "users"."id" = "attempts"."user_id" and "users"."disabled_at" is null and
("users"."sign_ins_ended_at" is null or "users"."sign_ins_ended_at" < "attempts"."created_at"))
and (cast($4 as text) is null or ("completion_digest" = cast($5 as text) and
"completion_expires_at" > cast($6 as bigint))) returning "attempt_id", "flow", "client",
"token_digest", "locale", "national_id", "binding_code", "return_address", "created_at",
"expires_at", "provider_expires_at", "authenticated_at", "rejected_at", "failed_at",
"redeemed_at", "user_id", "end_reason", "completion_digest", "completion_expires_at",
"completion_misses", "replay_salt", "replay_key_digest", "replay_body_digest", "replay_misses",
"scenario"`,
  },
  nameSubject: {
    name: 'nameSubject',
    parameters: ['subject', 'attempt_id'],
    sql: `update "users" set "subject" = coalesce(subject, cast($1 as text)) where "id" = (select
"attempts"."user_id" as "user_id" from "attempts" where "attempts"."attempt_id" = cast($2 as
text)) returning "id", "identity_digest", "vault_key", "issuer", "document_type",
"document_number", "national_id", "arabic_name", "english_name", "email", "nationality",
"gender", "assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at", "subject"`,
  },
  putOpenidOfAttempt: {
    name: 'putOpenidOfAttempt',
    parameters: [
      'record_digest',
      'model',
      'body',
      'vault_key',
      'grant_digest',
      'expires_at',
      'attempt_id',
    ],
    sql: `insert into "openid_records" ("record_digest", "model", "body", "vault_key", "grant_digest",
"expires_at", "subject", "client") select cast($1 as text) as "record_digest", cast($2 as text)
as "model", cast($3 as text) as "body", cast($4 as text) as "vault_key", cast($5 as text) as
"grant_digest", cast($6 as bigint) as "expires_at", "users"."subject", "attempts"."client" from
"attempts" inner join "users" on "users"."id" = "attempts"."user_id" where
"attempts"."attempt_id" = cast($7 as text)`,
  },
  continueOpenid: {
    name: 'continueOpenid',
    parameters: [
      'record_digest',
      'model',
      'body',
      'vault_key',
      'grant_digest',
      'expires_at',
      'client',
      'from_digest',
      'at',
    ],
    sql: `insert into "openid_records" ("record_digest", "model", "body", "vault_key", "grant_digest",
"expires_at", "client", "subject") select cast($1 as text) as "record_digest", cast($2 as text)
as "model", cast($3 as text) as "body", cast($4 as text) as "vault_key", cast($5 as text) as
"grant_digest", cast($6 as bigint) as "expires_at", cast($7 as text) as "client",
"known"."subject" from "openid_records" as "known" inner join "users" on "users"."subject" =
"known"."subject" where "known"."record_digest" = cast($8 as text) and "known"."expires_at" >
cast($9 as bigint) and "users"."disabled_at" is null returning "client", (select "users"."id"
from "users" where "users"."subject" = "openid_records"."subject") as "user_id"`,
  },
  selectSubject: {
    name: 'selectSubject',
    parameters: ['subject'],
    sql: `select "id", "identity_digest", "vault_key", "issuer", "document_type", "document_number",
"national_id", "arabic_name", "english_name", "email", "nationality", "gender",
"assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at" from "users" where "subject" = cast($1 as text)`,
  },
  insertBinding: {
    name: 'insertBinding',
    parameters: ['mode', 'provider_url', 'path_prefix', 'issuer'],
    sql: `insert into "store_seal" ("id", "mode", "provider_url", "path_prefix", "issuer") select 1 as
"id", cast($1 as text) as "mode", cast($2 as text) as "provider_url", cast($3 as text) as
"path_prefix", cast($4 as text) as "issuer" where not exists (select "id" from "store_seal"
where "id" = 1) and not exists (select 1 from "attempts" where "attempt_id" >= '') and not
exists (select 1 from "users" where "id" >= 0) and not exists (select 1 from "api_tokens" where
"token_id" >= '') returning "id"`,
  },
  selectBinding: {
    name: 'selectBinding',
    parameters: [],
    sql: `select "id", "mode", "provider_url", "path_prefix", "issuer" from "store_seal" where "id" = 1`,
  },
  insertProviderName: {
    name: 'insertProviderName',
    parameters: ['kind', 'value'],
    sql: `insert into "provider_names" ("kind", "value") select cast($1 as text) as "kind", cast($2 as
text) as "value" on conflict ("kind", "value") do nothing returning "kind"`,
  },
  selectProviderNames: {
    name: 'selectProviderNames',
    parameters: [],
    sql: `select "kind", "value" from "provider_names" order by "kind", "value"`,
  },
  failOpen: {
    name: 'failOpen',
    parameters: ['at', 'erase', 'at', 'user_id', 'user_id', 'client', 'client'],
    sql: `update "attempts" set "failed_at" = cast($1 as bigint), "end_reason" = 'attempt.failed',
"national_id" = case when cast($2 as bigint) = 1 then null else national_id end where
("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end > cast($3
as bigint)) and (cast($4 as bigint) is null or user_id = cast($5 as bigint)) and (cast($6 as
text) is null or client = cast($7 as text))`,
  },
  dateBack: {
    name: 'dateBack',
    parameters: ['at', 'at', 'at'],
    sql: `update "attempts" set "created_at" = cast($1 as bigint) where ("rejected_at" is null and
"failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at"
then "provider_expires_at" else "expires_at" end > cast($2 as bigint)) and "created_at" >
cast($3 as bigint)`,
  },
  eraseFailedLaunchUrls: {
    name: 'eraseFailedLaunchUrls',
    parameters: ['at', 'at'],
    sql: `update "provider_transactions" set "launch_url" = null, "kept_tokens" = null where ("launch_url"
is not null or "kept_tokens" is not null) and "attempt_id" in (select "attempt_id" from
"attempts" where case when "provider_expires_at" < "expires_at" then "provider_expires_at" else
"expires_at" end > cast($1 as bigint) and "failed_at" = cast($2 as bigint))`,
  },
  revokeTokens: {
    name: 'revokeTokens',
    parameters: ['at', 'at', 'user_id', 'user_id', 'client', 'client'],
    sql: `update "api_tokens" set "revoked_at" = cast($1 as bigint) where "expires_at" > cast($2 as
bigint) and "revoked_at" is null and (cast($3 as bigint) is null or user_id = cast($4 as
bigint)) and (cast($5 as text) is null or client = cast($6 as text))`,
  },
  selectNthActiveToken: {
    name: 'selectNthActiveToken',
    parameters: ['above', 'at', 'user_id', 'user_id', 'client', 'client', 'offset'],
    sql: `select "token_id" from "api_tokens" where "token_id" > cast($1 as text) and "expires_at" >
cast($2 as bigint) and "revoked_at" is null and (cast($3 as bigint) is null or user_id = cast($4
as bigint)) and (cast($5 as text) is null or client = cast($6 as text)) order by "token_id"
limit 1 offset cast($7 as bigint)`,
  },
  revokeTokensBetween: {
    name: 'revokeTokensBetween',
    parameters: ['at', 'above', 'up_to', 'at', 'user_id', 'user_id', 'client', 'client'],
    sql: `update "api_tokens" set "revoked_at" = cast($1 as bigint) where "token_id" > cast($2 as text)
and "token_id" <= cast($3 as text) and "expires_at" > cast($4 as bigint) and "revoked_at" is
null and (cast($5 as bigint) is null or user_id = cast($6 as bigint)) and (cast($7 as text) is
null or client = cast($8 as text))`,
  },
  noteAttempt: {
    name: 'noteAttempt',
    parameters: [
      'event',
      'event',
      'at',
      'at',
      'taken',
      'taken',
      'until',
      'at',
      'receivers',
      'attempt_id',
      'event',
      'at',
    ],
    sql: `insert into "webhook_deliveries" ("delivery_id", "client", "receiver", "event", "attempt_id",
"user_id", "reason", "at", "since", "tries", "next_at", "ended_at", "outcome", "answer") select
"attempts"."attempt_id" || '_' || replace(cast($1 as text), '.', '_') || '_' ||
substr(item.value, 1, 16), substr(item.value, 18), substr(item.value, 1, 16), cast($2 as text),
"attempts"."attempt_id", "attempts"."user_id", "attempts"."end_reason", cast($3 as bigint),
cast($4 as bigint), case when cast($5 as text) like '%' || substr(item.value, 1, 16) || '%' then
1 else 0 end, case when cast($6 as text) like '%' || substr(item.value, 1, 16) || '%' then
cast($7 as bigint) else cast($8 as bigint) end, null, null, null from
jsonb_array_elements_text(cast(cast($9 as text) as jsonb)) as item(value) inner join attempts on
attempts.client = substr(item.value, 18) where attempts.attempt_id = cast($10 as text) and case
cast($11 as text) when 'attempt.authenticated' then authenticated_at when 'attempt.rejected'
then rejected_at else failed_at end = cast($12 as bigint) and not exists (select 1 from
webhooks_off where webhooks_off.receiver = substr(item.value, 1, 16)) on conflict
("delivery_id") do nothing returning "receiver", "delivery_id", "user_id", "reason", "tries"`,
  },
  noteFailed: {
    name: 'noteFailed',
    parameters: [
      'at',
      'at',
      'at',
      'receivers',
      'at',
      'at',
      'user_id',
      'user_id',
      'client',
      'client',
    ],
    sql: `insert into "webhook_deliveries" ("delivery_id", "client", "receiver", "event", "attempt_id",
"user_id", "reason", "at", "since", "tries", "next_at", "ended_at", "outcome", "answer") select
"attempts"."attempt_id" || '_' || replace('attempt.failed', '.', '_') || '_' ||
substr(item.value, 1, 16), substr(item.value, 18), substr(item.value, 1, 16), 'attempt.failed',
"attempts"."attempt_id", "attempts"."user_id", "attempts"."end_reason", cast($1 as bigint),
cast($2 as bigint), 0, cast($3 as bigint), null, null, null from
jsonb_array_elements_text(cast(cast($4 as text) as jsonb)) as item(value) inner join attempts on
attempts.client = substr(item.value, 18) where case when provider_expires_at < expires_at then
provider_expires_at else expires_at end > cast($5 as bigint) and failed_at = cast($6 as bigint)
and (cast($7 as bigint) is null or "attempts"."user_id" = cast($8 as bigint)) and (cast($9 as
text) is null or "attempts"."client" = cast($10 as text)) and not exists (select 1 from
webhooks_off where webhooks_off.receiver = substr(item.value, 1, 16)) on conflict
("delivery_id") do nothing returning "receiver"`,
  },
  noteDisabled: {
    name: 'noteDisabled',
    parameters: ['user_id', 'at', 'user_id', 'at', 'at', 'at', 'receivers', 'user_id'],
    sql: `insert into "webhook_deliveries" ("delivery_id", "client", "receiver", "event", "attempt_id",
"user_id", "reason", "at", "since", "tries", "next_at", "ended_at", "outcome", "answer") select
'user-' || cast(cast($1 as bigint) as text) || '-' || cast(cast($2 as bigint) as text) || '_' ||
replace('user.disabled', '.', '_') || '_' || substr(item.value, 1, 16), substr(item.value, 18),
substr(item.value, 1, 16), 'user.disabled', null, cast($3 as bigint), null, cast($4 as bigint),
cast($5 as bigint), 0, cast($6 as bigint), null, null, null from
jsonb_array_elements_text(cast(cast($7 as text) as jsonb)) as item(value) where exists (select 1
from api_tokens where user_id = cast($8 as bigint) and client = substr(item.value, 18)) and not
exists (select 1 from webhooks_off where webhooks_off.receiver = substr(item.value, 1, 16)) on
conflict ("delivery_id") do nothing returning "receiver"`,
  },
  noteRevoked: {
    name: 'noteRevoked',
    parameters: [
      'at',
      'at',
      'at',
      'at',
      'receivers',
      'above',
      'up_to',
      'at',
      'user_id',
      'user_id',
      'client',
      'client',
    ],
    sql: `insert into "webhook_deliveries" ("delivery_id", "client", "receiver", "event", "attempt_id",
"user_id", "reason", "at", "since", "tries", "next_at", "ended_at", "outcome", "answer") select
'user-' || cast(revoked.user_id as text) || '-' || cast(cast($1 as bigint) as text) || '_' ||
replace('tokens.revoked', '.', '_') || '_' || substr(item.value, 1, 16), substr(item.value, 18),
substr(item.value, 1, 16), 'tokens.revoked', null, revoked.user_id, null, cast($2 as bigint),
cast($3 as bigint), 0, cast($4 as bigint), null, null, null from
jsonb_array_elements_text(cast(cast($5 as text) as jsonb)) as item(value) inner join (select
distinct user_id, client from api_tokens where token_id > cast($6 as text) and token_id <=
cast($7 as text) and revoked_at = cast($8 as bigint) and (cast($9 as bigint) is null or
"api_tokens"."user_id" = cast($10 as bigint)) and (cast($11 as text) is null or
"api_tokens"."client" = cast($12 as text))) as revoked on revoked.client = substr(item.value,
18) where true and not exists (select 1 from webhooks_off where webhooks_off.receiver =
substr(item.value, 1, 16)) on conflict ("delivery_id") do nothing returning "receiver"`,
  },
  selectSwept: {
    name: 'selectSwept',
    parameters: [],
    sql: `select "swept_to" from "webhook_sweep" where "id" = 1`,
  },
  beginSweep: {
    name: 'beginSweep',
    parameters: ['swept_to'],
    sql: `insert into "webhook_sweep" ("id", "swept_to") select 1 as "id", cast($1 as bigint) as
"swept_to" on conflict ("id") do nothing`,
  },
  moveSweep: {
    name: 'moveSweep',
    parameters: ['swept_to', 'after'],
    sql: `update "webhook_sweep" set "swept_to" = cast($1 as bigint) where "id" = 1 and "swept_to" =
cast($2 as bigint) returning "id"`,
  },
  selectPendingPushes: {
    name: 'selectPendingPushes',
    parameters: ['above', 'at', 'clients', 'clients', 'limit'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "attempt_id" > cast($1
as text) and "flow" = 'mfa' and (("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > cast($2 as bigint)) and "authenticated_at" is
null) and (cast($3 as text) is null or client in (select item.value from
jsonb_array_elements_text(cast(cast($4 as text) as jsonb)) as item(value))) order by
"attempt_id" limit cast($5 as bigint)`,
  },
  noteExpired: {
    name: 'noteExpired',
    parameters: ['receivers', 'after', 'until'],
    sql: `insert into "webhook_deliveries" ("delivery_id", "client", "receiver", "event", "attempt_id",
"user_id", "reason", "at", "since", "tries", "next_at", "ended_at", "outcome", "answer") select
"attempts"."attempt_id" || '_' || replace('attempt.expired', '.', '_') || '_' ||
substr(item.value, 1, 16), substr(item.value, 18), substr(item.value, 1, 16), 'attempt.expired',
"attempts"."attempt_id", "attempts"."user_id", "attempts"."end_reason", case when
provider_expires_at < expires_at then provider_expires_at else expires_at end, case when
provider_expires_at < expires_at then provider_expires_at else expires_at end, 0, case when
provider_expires_at < expires_at then provider_expires_at else expires_at end, null, null, null
from jsonb_array_elements_text(cast(cast($1 as text) as jsonb)) as item(value) inner join
attempts on attempts.client = substr(item.value, 18) where case when provider_expires_at <
expires_at then provider_expires_at else expires_at end > cast($2 as bigint) and case when
provider_expires_at < expires_at then provider_expires_at else expires_at end <= cast($3 as
bigint) and authenticated_at is null and rejected_at is null and failed_at is null and not
exists (select 1 from webhooks_off where webhooks_off.receiver = substr(item.value, 1, 16)) on
conflict ("delivery_id") do nothing returning "receiver"`,
  },
  selectDue: {
    name: 'selectDue',
    parameters: ['receiver', 'at'],
    sql: `select "delivery_id" from "webhook_deliveries" where "receiver" = cast($1 as text) and "next_at"
<= cast($2 as bigint) order by "next_at" limit 1`,
  },
  leaseDeliveries: {
    name: 'leaseDeliveries',
    parameters: ['next_at', 'receiver', 'at', 'limit'],
    sql: `update "webhook_deliveries" set "next_at" = cast($1 as bigint), "tries" = tries + 1 where
"delivery_id" = any(array(select "delivery_id" from "webhook_deliveries" where "receiver" =
cast($2 as text) and "next_at" <= cast($3 as bigint) order by "next_at" limit cast($4 as bigint)
for update skip locked)) returning "delivery_id", "client", "receiver", "event", "attempt_id",
"user_id", "reason", "at", "since", "tries", "next_at", "ended_at", "outcome", "answer"`,
  },
  markDelivered: {
    name: 'markDelivered',
    parameters: ['at', 'answer', 'delivery_id'],
    sql: `update "webhook_deliveries" set "next_at" = null, "ended_at" = cast($1 as bigint), "outcome" =
'delivered', "answer" = cast($2 as text) where "delivery_id" = cast($3 as text)`,
  },
  markFailed: {
    name: 'markFailed',
    parameters: ['next_at', 'answer', 'delivery_id', 'tries'],
    sql: `update "webhook_deliveries" set "next_at" = cast($1 as bigint), "answer" = cast($2 as text)
where "delivery_id" = cast($3 as text) and "outcome" is null and "tries" = cast($4 as bigint)`,
  },
  markUntried: {
    name: 'markUntried',
    parameters: ['next_at', 'delivery_id', 'tries'],
    sql: `update "webhook_deliveries" set "next_at" = cast($1 as bigint), "tries" = tries - 1 where
"delivery_id" = cast($2 as text) and "outcome" is null and "tries" = cast($3 as bigint)`,
  },
  markGivenUp: {
    name: 'markGivenUp',
    parameters: ['at', 'answer', 'delivery_id', 'tries'],
    sql: `update "webhook_deliveries" set "next_at" = null, "ended_at" = cast($1 as bigint), "outcome" =
'given_up', "answer" = cast($2 as text) where "delivery_id" = cast($3 as text) and "outcome" is
null and "tries" = cast($4 as bigint)`,
  },
  switchOff: {
    name: 'switchOff',
    parameters: ['receiver', 'client', 'at'],
    sql: `insert into "webhooks_off" ("receiver", "client", "at") select cast($1 as text) as "receiver",
cast($2 as text) as "client", cast($3 as bigint) as "at" on conflict ("receiver") do nothing
returning "receiver"`,
  },
  switchOn: {
    name: 'switchOn',
    parameters: ['receiver'],
    sql: `delete from "webhooks_off" where "receiver" = cast($1 as text) returning "receiver"`,
  },
  giveUpReceiver: {
    name: 'giveUpReceiver',
    parameters: ['at', 'answer', 'receiver', 'limit'],
    sql: `update "webhook_deliveries" set "next_at" = null, "ended_at" = cast($1 as bigint), "outcome" =
'given_up', "answer" = cast($2 as text) where "delivery_id" = any(array(select "delivery_id"
from "webhook_deliveries" where "next_at" is not null and "receiver" = cast($3 as text) order by
"next_at" limit cast($4 as bigint) for update skip locked))`,
  },
  giveUpOldest: {
    name: 'giveUpOldest',
    parameters: ['at', 'answer', 'receiver', 'limit'],
    sql: `update "webhook_deliveries" set "next_at" = null, "ended_at" = cast($1 as bigint), "outcome" =
'given_up', "answer" = cast($2 as text) where "delivery_id" = any(array(select "delivery_id"
from "webhook_deliveries" where "next_at" is not null and receiver || '' = cast($3 as text)
order by "since" limit cast($4 as bigint) for update skip locked))`,
  },
  giveUpOld: {
    name: 'giveUpOld',
    parameters: ['at', 'before', 'limit'],
    sql: `update "webhook_deliveries" set "next_at" = null, "ended_at" = cast($1 as bigint), "outcome" =
'given_up' where "delivery_id" = any(array(select "delivery_id" from "webhook_deliveries" where
"next_at" is not null and "since" < cast($2 as bigint) limit cast($3 as bigint) for update skip
locked)) returning "receiver"`,
  },
  replayDelivery: {
    name: 'replayDelivery',
    parameters: ['at', 'at', 'delivery_id', 'receivers'],
    sql: `update "webhook_deliveries" set "next_at" = cast($1 as bigint), "since" = cast($2 as bigint),
"tries" = 0, "ended_at" = null, "outcome" = null where "delivery_id" = cast($3 as text) and
"outcome" = 'given_up' and receiver in (select item.value from
jsonb_array_elements_text(cast(cast($4 as text) as jsonb)) as item(value))`,
  },
  replayClient: {
    name: 'replayClient',
    parameters: ['at', 'at', 'client', 'receivers', 'limit'],
    sql: `update "webhook_deliveries" set "next_at" = cast($1 as bigint), "since" = cast($2 as bigint),
"tries" = 0, "ended_at" = null, "outcome" = null where "delivery_id" = any(array(select
"delivery_id" from "webhook_deliveries" where "client" = cast($3 as text) and "outcome" =
'given_up' and receiver in (select item.value from jsonb_array_elements_text(cast(cast($4 as
text) as jsonb)) as item(value)) limit cast($5 as bigint) for update skip locked))`,
  },
  bringForward: {
    name: 'bringForward',
    parameters: ['at', 'at', 'at'],
    sql: `update "webhook_deliveries" set "next_at" = cast($1 as bigint), "since" = cast($2 as bigint)
where "next_at" > cast($3 as bigint)`,
  },
  deleteDelivered: {
    name: 'deleteDelivered',
    parameters: ['before', 'limit'],
    sql: `delete from "webhook_deliveries" where "delivery_id" = any(array(select "delivery_id" from
"webhook_deliveries" where "outcome" = 'delivered' and "ended_at" < cast($1 as bigint) limit
cast($2 as bigint) for update skip locked))`,
  },
  deleteGivenUp: {
    name: 'deleteGivenUp',
    parameters: ['before', 'limit'],
    sql: `delete from "webhook_deliveries" where "delivery_id" = any(array(select "delivery_id" from
"webhook_deliveries" where "outcome" = 'given_up' and "ended_at" < cast($1 as bigint) limit
cast($2 as bigint) for update skip locked))`,
  },
  deleteDeliveriesOfUser: {
    name: 'deleteDeliveriesOfUser',
    parameters: ['user_id'],
    sql: `delete from "webhook_deliveries" where "user_id" = cast($1 as bigint)`,
  },
  deleteDeliveriesOfOpen: {
    name: 'deleteDeliveriesOfOpen',
    parameters: ['attempt_id', 'attempt_id'],
    sql: `delete from "webhook_deliveries" where "attempt_id" = cast($1 as text) and exists (select
"attempts"."attempt_id" from "attempts" where "attempts"."attempt_id" = cast($2 as text) and
"attempts"."user_id" is null)`,
  },
  deleteDeliveries: {
    name: 'deleteDeliveries',
    parameters: [],
    sql: `delete from "webhook_deliveries"`,
  },
  deleteSweep: { name: 'deleteSweep', parameters: [], sql: `delete from "webhook_sweep"` },
  selectWaiting: {
    name: 'selectWaiting',
    parameters: ['looked_at', 'receivers', 'receivers', 'limit'],
    sql: `select "receiver", "client", count(*) as "count", min("since") as "since" from (select * from
(select "receiver", "client", "since" from "webhook_deliveries" where "next_at" is not null
order by "since" limit cast($1 as bigint)) as "oldest" where (cast($2 as text) is null or
receiver in (select item.value from jsonb_array_elements_text(cast(cast($3 as text) as jsonb))
as item(value))) limit cast($4 as bigint)) as "longest" group by "receiver", "client"`,
  },
  selectBeyond: {
    name: 'selectBeyond',
    parameters: ['receiver', 'limit'],
    sql: `select "next_at" from "webhook_deliveries" where "receiver" = cast($1 as text) and "next_at" is
not null order by "next_at" limit 1 offset cast($2 as bigint)`,
  },
  selectGivenUp: {
    name: 'selectGivenUp',
    parameters: ['client', 'client', 'limit'],
    sql: `select "delivery_id", "client", "receiver", "event", "attempt_id", "user_id", "reason", "at",
"since", "tries", "next_at", "ended_at", "outcome", "answer" from "webhook_deliveries" where
"outcome" = 'given_up' and (cast($1 as text) is null or client = cast($2 as text)) order by
"ended_at" desc limit cast($3 as bigint)`,
  },
  selectSwitchedOff: {
    name: 'selectSwitchedOff',
    parameters: [],
    sql: `select "receiver", "client", "at" from "webhooks_off"`,
  },
  selectDeliveriesOfAttempt: {
    name: 'selectDeliveriesOfAttempt',
    parameters: ['attempt_id'],
    sql: `select "delivery_id", "client", "receiver", "event", "attempt_id", "user_id", "reason", "at",
"since", "tries", "next_at", "ended_at", "outcome", "answer" from "webhook_deliveries" where
"attempt_id" = cast($1 as text)`,
  },
  selectOldestTried: {
    name: 'selectOldestTried',
    parameters: ['receiver'],
    sql: `select "delivery_id", "client", "receiver", "event", "attempt_id", "user_id", "reason", "at",
"since", "tries", "next_at", "ended_at", "outcome", "answer" from "webhook_deliveries" where
"receiver" = cast($1 as text) and "next_at" is not null and "answer" is not null order by
"since" limit 1`,
  },
  selectGivenUpOne: {
    name: 'selectGivenUpOne',
    parameters: ['delivery_id'],
    sql: `select "delivery_id", "client", "receiver", "event", "attempt_id", "user_id", "reason", "at",
"since", "tries", "next_at", "ended_at", "outcome", "answer" from "webhook_deliveries" where
"delivery_id" = cast($1 as text) and "outcome" = 'given_up'`,
  },
  countGivenUp: {
    name: 'countGivenUp',
    parameters: [],
    sql: `select "receiver", "client", count(*) as "count" from "webhook_deliveries" where "outcome" =
'given_up' group by "receiver", "client"`,
  },
  endOverdueAttempts: {
    name: 'endOverdueAttempts',
    parameters: ['at', 'at', 'until'],
    sql: `update "attempts" set "provider_expires_at" = cast($1 as bigint) where ("rejected_at" is null
and "failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end > cast($2 as bigint)) and case
when "provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end <=
cast($3 as bigint)`,
  },
  endOverdueTokens: {
    name: 'endOverdueTokens',
    parameters: ['at', 'at', 'until'],
    sql: `update "api_tokens" set "expires_at" = cast($1 as bigint) where "expires_at" > cast($2 as
bigint) and "expires_at" <= cast($3 as bigint)`,
  },
  selectAuditHead: {
    name: 'selectAuditHead',
    parameters: [],
    sql: `select "sequence", "hash" from "audit_head" where "id" = 1`,
  },
  insertAudit: {
    name: 'insertAudit',
    parameters: [
      'sequence',
      'at',
      'action',
      'attempt_id',
      'user_id',
      'client',
      'person_digest',
      'detail',
      'count',
      'previous',
      'actor',
      'reason',
      'hash',
    ],
    sql: `insert into "audit_log" ("sequence", "at", "action", "attempt_id", "user_id", "client",
"person_digest", "detail", "count", "previous", "actor", "reason", "hash") values (cast($1 as
bigint), cast($2 as bigint), cast($3 as text), cast($4 as text), cast($5 as bigint), cast($6 as
text), cast($7 as text), cast($8 as text), cast($9 as bigint), cast($10 as text), cast($11 as
text), cast($12 as text), cast($13 as text))`,
  },
  selectAudit: {
    name: 'selectAudit',
    parameters: ['after', 'limit'],
    sql: `select "sequence", "at", "action", "attempt_id", "user_id", "client", "person_digest", "detail",
"count", "previous", "actor", "reason", "hash" from "audit_log" where "sequence" > cast($1 as
bigint) order by "sequence" limit cast($2 as bigint)`,
  },
  selectAuditOfAttempt: {
    name: 'selectAuditOfAttempt',
    parameters: ['after', 'attempt_id', 'limit'],
    sql: `select "sequence", "at", "action", "attempt_id", "user_id", "client", "person_digest", "detail",
"count", "previous", "actor", "reason", "hash" from "audit_log" where "sequence" > cast($1 as
bigint) and "attempt_id" = cast($2 as text) order by "sequence" limit cast($3 as bigint)`,
  },
  selectLastAudit: {
    name: 'selectLastAudit',
    parameters: ['action'],
    sql: `select "sequence", "at", "action", "attempt_id", "user_id", "client", "person_digest", "detail",
"count", "previous", "actor", "reason", "hash" from "audit_log" where "action" = cast($1 as
text) order by "sequence" desc limit 1`,
  },
  selectAuditEnd: {
    name: 'selectAuditEnd',
    parameters: [],
    sql: `select "sequence", "hash", (select max(sequence) from audit_log) as "last" from "audit_head"
where "id" = 1`,
  },
  selectContradiction: {
    name: 'selectContradiction',
    parameters: ['at', 'after'],
    sql: `with "proved" as (select cast($1 as bigint) as "since", cast($2 as bigint) as "after"), "facts"
as materialized (select "sequence", "at", "action", "user_id", "client", "detail" from
"audit_log" where "action" in ('tokens.revoked_all', 'store.restored', 'user.disabled',
'user.enabled') and audit_log.sequence > (select proved.after from proved)), "revocations" as
materialized ( select action, at, user_id, client, min(sequence) as sequence, case when action =
'store.restored' or max(detail) is not null then 1 else 0 end as is_whole from facts where
action in ('tokens.revoked_all', 'store.restored') group by action, at, user_id, client),
"latest" as materialized ( select action, user_id, client, max(sequence) as sequence, max(at) as
at from revocations where is_whole = 1 group by action, user_id, client), "switches" as
materialized ( select action, at, user_id, sequence from facts where action in ('user.disabled',
'user.enabled')), "valid" as materialized ( select token_id, client, expires_at, coalesce((
select max(audit_log.sequence) from audit_log where audit_log.attempt_id = api_tokens.attempt_id
and action = 'token.issued' ), 0) as issued from api_tokens where revoked_at is null and exists
(select 1 from latest where user_id is null)) select * from ( select 'unlogged' as fault,
'token' as kind, token_id as id, 'token.issued' as action from api_tokens where "created_at" >=
(select since from proved) and not exists (select 1 from audit_log where audit_log.attempt_id =
"api_tokens"."attempt_id" and action = 'token.issued' and audit_log.sequence > (select
proved.after from proved) ) union all select 'unlogged', 'token', token_id, 'token.revoked' from
api_tokens where "revoked_at" >= (select since from proved) and not exists (select 1 from
audit_log where audit_log.attempt_id = "api_tokens"."attempt_id" and action = 'token.revoked'
and audit_log.sequence > (select proved.after from proved) ) and not exists (select 1 from
revocations as one where one.at = "api_tokens"."revoked_at" and (one.user_id is null or
one.user_id = "api_tokens"."user_id") and (one.client is null or one.client =
"api_tokens"."client")) union all select 'unlogged', 'attempt', attempt_id,
'attempt.authenticated' from attempts where "authenticated_at" >= (select since from proved) and
not exists (select 1 from audit_log where audit_log.attempt_id = "attempts"."attempt_id" and
action = 'attempt.authenticated' and audit_log.sequence > (select proved.after from proved) )
union all select 'unlogged', 'attempt', attempt_id, 'token.issued' from attempts where
"redeemed_at" >= (select since from proved) and not exists (select 1 from audit_log where
audit_log.attempt_id = "attempts"."attempt_id" and action = 'token.issued' and
audit_log.sequence > (select proved.after from proved) ) and not exists (select 1 from audit_log
where audit_log.attempt_id = "attempts"."attempt_id" and action = 'openid.signed_in' and
audit_log.sequence > (select proved.after from proved) ) union all select 'unlogged', 'attempt',
attempt_id, 'attempt.rejected' from attempts where "rejected_at" >= (select since from proved)
and not exists (select 1 from audit_log where audit_log.attempt_id = "attempts"."attempt_id" and
action = 'attempt.rejected' and audit_log.sequence > (select proved.after from proved) ) union
all select 'unlogged', 'attempt', attempt_id, 'attempt.failed' from attempts where "failed_at"
>= (select since from proved) and not exists (select 1 from audit_log where audit_log.attempt_id
= "attempts"."attempt_id" and action = 'attempt.failed' and audit_log.sequence > (select
proved.after from proved) ) and not exists (select 1 from audit_log where audit_log.attempt_id =
"attempts"."attempt_id" and action = 'attempt.completion_missed' and audit_log.sequence >
(select proved.after from proved) and detail is not null) and not exists (select 1 from
audit_log where audit_log.attempt_id = "attempts"."attempt_id" and action = 'attempt.spoiled'
and audit_log.sequence > (select proved.after from proved) ) and not exists (select 1 from
revocations as one where one.at = "attempts"."failed_at" and (one.user_id is null or one.user_id
= "attempts"."user_id") and (one.client is null or one.client = "attempts"."client")) union all
select 'unlogged', 'user', cast(id as text), 'user.disabled' from users where "disabled_at" >=
(select since from proved) and not exists ( select 1 from switches where action =
'user.disabled' and switches.user_id = users.id and switches.at = users.disabled_at) and not
exists ( select 1 from erased_people where erased_people.identity_digest = users.identity_digest
and erased_people.erased_at = users.disabled_at) union all select 'undone', 'token', token_id,
'token.revoked' from api_tokens where revoked_at is null and exists (select 1 from audit_log
where audit_log.attempt_id = "api_tokens"."attempt_id" and action = 'token.revoked' and
audit_log.sequence > (select proved.after from proved) ) union all select 'undone', 'token',
token_id, action from latest join valid on valid.issued < latest.sequence and valid.expires_at >
latest.at and (latest.client is null or latest.client = valid.client) where latest.user_id is
null union all select 'undone', 'token', token_id, action from latest join api_tokens on
api_tokens.user_id = latest.user_id and api_tokens.expires_at > latest.at where revoked_at is
null and coalesce(( select max(audit_log.sequence) from audit_log where audit_log.attempt_id =
api_tokens.attempt_id and action = 'token.issued' ), 0) < latest.sequence union all select
'undone', 'user', cast(users.id as text), 'user.disabled' from users join ( select user_id,
max(case when action = 'user.disabled' then sequence end) as off_at, max(case when action =
'user.enabled' then sequence end) as on_at from switches group by user_id ) as switched on
switched.user_id = users.id where disabled_at is null and off_at > coalesce(on_at, 0)) as
"contradiction" limit 1`,
  },
  selectAuditAnchor: {
    name: 'selectAuditAnchor',
    parameters: [],
    sql: `select "id", "sequence", "hash", "at", "proof" from "audit_anchor" where "id" = 1`,
  },
  selectNextAnchor: {
    name: 'selectNextAnchor',
    parameters: ['limit', 'before'],
    sql: `select least( (select sequence - 1 from audit_head where id = 1), (select sequence + cast($1 as
bigint) from audit_anchor where id = 1), coalesce( (select sequence - 1 from audit_log where at
>= cast($2 as bigint) order by sequence limit 1), (select sequence - 1 from audit_head where id
= 1))) as "sequence"`,
  },
  selectGivingUp: {
    name: 'selectGivingUp',
    parameters: [],
    sql: `select "sequence", "at", "action", "attempt_id", "user_id", "client", "person_digest", "detail",
"count", "previous", "actor", "reason", "hash" from "audit_log" where "action" =
'people.forgotten' order by "sequence" desc limit 1`,
  },
  moveAuditAnchor: {
    name: 'moveAuditAnchor',
    parameters: ['sequence', 'hash', 'before', 'proof', 'sequence', 'sequence', 'hash'],
    sql: `update "audit_anchor" set "sequence" = cast($1 as bigint), "hash" = cast($2 as text), "at" =
cast($3 as bigint), "proof" = cast($4 as text) where "id" = 1 and "sequence" < cast($5 as
bigint) and exists (select "audit_log"."sequence" from "audit_log" where "audit_log"."sequence"
= cast($6 as bigint) and "audit_log"."hash" = cast($7 as text)) returning "sequence"`,
  },
  deleteAuditFront: {
    name: 'deleteAuditFront',
    parameters: [],
    sql: `delete from "audit_log" where "sequence" <= (select "sequence" from "audit_anchor" where "id" =
1)`,
  },
  selectStoreMark: {
    name: 'selectStoreMark',
    parameters: [],
    sql: `select "sequence", "at", "action", "attempt_id", "user_id", "client", "person_digest", "detail",
"count", "previous", "actor", "reason", "hash" from "audit_log" where "action" in
('store.restored', 'store.behind') order by "sequence" desc limit 1`,
  },
  selectLastOfTasks: {
    name: 'selectLastOfTasks',
    parameters: [],
    sql: `select "sequence", "at", "action", "attempt_id", "user_id", "client", "person_digest", "detail",
"count", "previous", "actor", "reason", "hash" from "audit_log" where "sequence" in (select
max("sequence") as "last" from "audit_log" where "action" in ('store.backed_up',
'audit.verified', 'service.examined') group by "action")`,
  },
  insertCall: {
    name: 'insertCall',
    parameters: [
      'attempt_id',
      'at',
      'operation',
      'query',
      'body',
      'status',
      'answer',
      'reference',
      'refusal',
      'duration_ms',
      'attempt_id',
    ],
    sql: `insert into "provider_calls" ("attempt_id", "at", "operation", "query", "body", "status",
"answer", "reference", "refusal", "duration_ms") select cast($1 as text) as "attempt_id",
cast($2 as bigint) as "at", cast($3 as text) as "operation", cast($4 as text) as "query",
cast($5 as text) as "body", cast($6 as bigint) as "status", cast($7 as text) as "answer",
cast($8 as bigint) as "reference", cast($9 as text) as "refusal", cast($10 as bigint) as
"duration_ms" from "attempts" where "attempt_id" = cast($11 as text) returning "call_id"`,
  },
  deleteOldCalls: {
    name: 'deleteOldCalls',
    parameters: ['attempt_id', 'attempt_id'],
    sql: `delete from "provider_calls" where "attempt_id" = cast($1 as text) and "call_id" <= (select
"call_id" from "provider_calls" where "attempt_id" = cast($2 as text) order by "call_id" desc
limit 1 offset 200)`,
  },
  selectCalls: {
    name: 'selectCalls',
    parameters: ['attempt_id'],
    sql: `select "call_id", "attempt_id", "at", "operation", "query", "body", "status", "answer",
"reference", "refusal", "duration_ms" from "provider_calls" where "attempt_id" = cast($1 as
text) order by "call_id"`,
  },
  countLost: {
    name: 'countLost',
    parameters: ['known_keys'],
    sql: `select count(*) as "lost" from "users" where ("vault_key" is not null and vault_key not in
(select item.value from jsonb_array_elements_text(cast(cast($1 as text) as jsonb)) as
item(value)))`,
  },
  deleteTokensOfLost: {
    name: 'deleteTokensOfLost',
    parameters: ['known_keys'],
    sql: `delete from "api_tokens" where "user_id" in (select "id" from "users" where ("vault_key" is not
null and vault_key not in (select item.value from jsonb_array_elements_text(cast(cast($1 as
text) as jsonb)) as item(value))))`,
  },
  deleteAttempts: { name: 'deleteAttempts', parameters: [], sql: `delete from "attempts"` },
  deleteLost: {
    name: 'deleteLost',
    parameters: ['known_keys'],
    sql: `delete from "users" where ("vault_key" is not null and vault_key not in (select item.value from
jsonb_array_elements_text(cast(cast($1 as text) as jsonb)) as item(value)))`,
  },
  deleteLostOpenid: {
    name: 'deleteLostOpenid',
    parameters: ['known_keys'],
    sql: `delete from "openid_records" where vault_key not in (select item.value from
jsonb_array_elements_text(cast(cast($1 as text) as jsonb)) as item(value))`,
  },
  selectDisabled: {
    name: 'selectDisabled',
    parameters: [],
    sql: `select "id", "identity_digest", "vault_key", "issuer", "document_type", "document_number",
"national_id", "arabic_name", "english_name", "email", "nationality", "gender",
"assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at" from "users" where "disabled_at" is not null order by "id"`,
  },
  eraseLaunchUrls: {
    name: 'eraseLaunchUrls',
    parameters: [],
    sql: `update "provider_transactions" set "launch_url" = null, "kept_tokens" = null where ("launch_url"
is not null or "kept_tokens" is not null)`,
  },
  insertUser: {
    name: 'insertUser',
    parameters: [
      'id',
      'identity_digest',
      'vault_key',
      'issuer',
      'document_type',
      'document_number',
      'national_id',
      'arabic_name',
      'english_name',
      'email',
      'nationality',
      'gender',
      'assurance_level',
      'preferred_locale',
      'last_auth_method',
      'created_at',
      'updated_at',
      'disabled_at',
      'sign_ins_ended_at',
    ],
    sql: `insert into "users" ("id", "identity_digest", "vault_key", "issuer", "document_type",
"document_number", "national_id", "arabic_name", "english_name", "email", "nationality",
"gender", "assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at") select cast($1 as bigint) as "id", cast($2 as text) as
"identity_digest", cast($3 as text) as "vault_key", cast($4 as text) as "issuer", cast($5 as
text) as "document_type", cast($6 as text) as "document_number", cast($7 as text) as
"national_id", cast($8 as text) as "arabic_name", cast($9 as text) as "english_name", cast($10
as text) as "email", cast($11 as text) as "nationality", cast($12 as text) as "gender", cast($13
as bigint) as "assurance_level", cast($14 as text) as "preferred_locale", cast($15 as text) as
"last_auth_method", cast($16 as bigint) as "created_at", cast($17 as bigint) as "updated_at",
cast($18 as bigint) as "disabled_at", cast($19 as bigint) as "sign_ins_ended_at"`,
  },
  selectUserIds: {
    name: 'selectUserIds',
    parameters: ['after', 'limit'],
    sql: `select "id" from "users" where "id" > cast($1 as bigint) order by "id" limit cast($2 as bigint)`,
  },
  selectLastUserId: {
    name: 'selectLastUserId',
    parameters: [],
    sql: `select last_user_id() as "seq"`,
  },
  raiseLastUserId: {
    name: 'raiseLastUserId',
    parameters: ['last'],
    sql: `select raise_last_user_id(cast($1 as bigint)) as "raised"`,
  },
  selectNthAttempt: {
    name: 'selectNthAttempt',
    parameters: ['offset'],
    sql: `select case when "provider_expires_at" < "expires_at" then "provider_expires_at" else
"expires_at" end as "moment" from "attempts" order by case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end desc limit 1 offset cast($1 as
bigint)`,
  },
  selectNthCall: {
    name: 'selectNthCall',
    parameters: ['offset'],
    sql: `select "at" as "moment" from "provider_calls" order by "at" desc limit 1 offset cast($1 as
bigint)`,
  },
  deleteCallsBefore: {
    name: 'deleteCallsBefore',
    parameters: ['before', 'limit'],
    sql: `delete from "provider_calls" where "call_id" = any(array(select "call_id" from "provider_calls"
where "at" < cast($1 as bigint) order by "at" limit cast($2 as bigint) for update skip locked))`,
  },
  selectUsersAfter: {
    name: 'selectUsersAfter',
    parameters: ['after', 'limit'],
    sql: `select "id", "identity_digest", "vault_key", "issuer", "document_type", "document_number",
"national_id", "arabic_name", "english_name", "email", "nationality", "gender",
"assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at" from "users" where "id" > cast($1 as bigint) order by "id"
limit cast($2 as bigint)`,
  },
  selectTokensOfUser: {
    name: 'selectTokensOfUser',
    parameters: ['id'],
    sql: `select "token_id", "token_digest", "attempt_id", "user_id", "client", "device_name",
"created_at", "expires_at", "revoked_at" from "api_tokens" where "user_id" = cast($1 as bigint)
order by "token_id"`,
  },
  selectAttemptsOfUser: {
    name: 'selectAttemptsOfUser',
    parameters: ['id'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "user_id" = cast($1 as
bigint)`,
  },
  selectOpenidOfUser: {
    name: 'selectOpenidOfUser',
    parameters: ['id'],
    sql: `select "record_digest", "model", "body", "vault_key", "grant_digest", "subject", "client",
"attempt_id", "expires_at", "consumed_at", "due_at" from "openid_records" where "subject" =
(select "users"."subject" as "subject" from "users" where "users"."id" = cast($1 as bigint))
order by "record_digest"`,
  },
  selectAttemptsNaming: {
    name: 'selectAttemptsNaming',
    parameters: ['attempt_id', 'limit'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "national_id" is not
null and "attempt_id" > cast($1 as text) order by "attempt_id" limit cast($2 as bigint)`,
  },
  selectPushesOfPerson: {
    name: 'selectPushesOfPerson',
    parameters: ['person_digest'],
    sql: `select "push_id", "attempt_id", "client", "admitted_at", "counts_until" from "pushes" where
"person_digest" = cast($1 as text) order by "push_id"`,
  },
  selectErasable: {
    name: 'selectErasable',
    parameters: ['id', 'decided'],
    sql: `select "id" from "users" where "id" = cast($1 as bigint) and ("disabled_at" is null or cast($2
as bigint) = 1)`,
  },
  deleteAttemptsOfUser: {
    name: 'deleteAttemptsOfUser',
    parameters: ['id'],
    sql: `delete from "attempts" where "user_id" = cast($1 as bigint)`,
  },
  deleteOpenAttempt: {
    name: 'deleteOpenAttempt',
    parameters: ['attempt_id'],
    sql: `delete from "attempts" where "attempt_id" = cast($1 as text) and "user_id" is null`,
  },
  deleteTokensOfUser: {
    name: 'deleteTokensOfUser',
    parameters: ['id'],
    sql: `delete from "api_tokens" where "user_id" = cast($1 as bigint)`,
  },
  deleteUser: {
    name: 'deleteUser',
    parameters: ['id'],
    sql: `delete from "users" where "id" = cast($1 as bigint)`,
  },
  keepOut: {
    name: 'keepOut',
    parameters: ['at', 'id'],
    sql: `insert into "erased_people" ("identity_digest", "vault_key", "erased_at") select
"identity_digest", "vault_key", cast($1 as bigint) as "erased_at" from "users" where "id" =
cast($2 as bigint) on conflict ("identity_digest") do nothing`,
  },
  adoptKeptOut: {
    name: 'adoptKeptOut',
    parameters: ['identity_digest', 'vault_key', 'retired_digest', 'identity_digest'],
    sql: `update "erased_people" set "identity_digest" = cast($1 as text), "vault_key" = cast($2 as text)
where "identity_digest" = cast($3 as text) and not exists (select "known"."identity_digest" from
"erased_people" as "known" where "known"."identity_digest" = cast($4 as text))`,
  },
  insertKeptOut: {
    name: 'insertKeptOut',
    parameters: ['identity_digest', 'vault_key', 'erased_at'],
    sql: `insert into "erased_people" ("identity_digest", "vault_key", "erased_at") select cast($1 as
text) as "identity_digest", cast($2 as text) as "vault_key", cast($3 as bigint) as "erased_at"
where true on conflict ("identity_digest") do nothing`,
  },
  selectKeptOut: {
    name: 'selectKeptOut',
    parameters: [],
    sql: `select "identity_digest", "vault_key", "erased_at" from "erased_people" order by
"identity_digest"`,
  },
  letIn: {
    name: 'letIn',
    parameters: ['identity_digest'],
    sql: `delete from "erased_people" where "identity_digest" = cast($1 as text)`,
  },
  countKeptOutUnder: {
    name: 'countKeptOutUnder',
    parameters: ['vault_key'],
    sql: `select count(*) as "count" from "erased_people" where "vault_key" = cast($1 as text)`,
  },
};

/** The forms for many changes at once. */
export const sets = {
  insertAttempt: {
    name: 'insertAttempt',
    parameters: [
      'attempt_id',
      'flow',
      'client',
      'token_digest',
      'locale',
      'national_id',
      'binding_code',
      'return_address',
      'created_at',
      'expires_at',
      'provider_expires_at',
      'authenticated_at',
      'rejected_at',
      'failed_at',
      'redeemed_at',
      'user_id',
      'end_reason',
      'completion_digest',
      'completion_expires_at',
      'completion_misses',
      'replay_salt',
      'replay_key_digest',
      'replay_body_digest',
      'replay_misses',
      'scenario',
    ],
    sql: `with given as (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
$6::text[], $7::text[], $8::text[], $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[],
$13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::text[], $18::text[],
$19::bigint[], $20::bigint[], $21::text[], $22::text[], $23::text[], $24::bigint[], $25::text[])
as given("v_attempt_id", "v_flow", "v_client", "v_token_digest", "v_locale", "v_national_id",
"v_binding_code", "v_return_address", "v_created_at", "v_expires_at", "v_provider_expires_at",
"v_authenticated_at", "v_rejected_at", "v_failed_at", "v_redeemed_at", "v_user_id",
"v_end_reason", "v_completion_digest", "v_completion_expires_at", "v_completion_misses",
"v_replay_salt", "v_replay_key_digest", "v_replay_body_digest", "v_replay_misses",
"v_scenario")) insert into "attempts" ("attempt_id", "flow", "client", "token_digest", "locale",
"national_id", "binding_code", "return_address", "created_at", "expires_at",
"provider_expires_at", "authenticated_at", "rejected_at", "failed_at", "redeemed_at", "user_id",
"end_reason", "completion_digest", "completion_expires_at", "completion_misses", "replay_salt",
"replay_key_digest", "replay_body_digest", "replay_misses", "scenario") select
"given"."v_attempt_id" as "attempt_id", "given"."v_flow" as "flow", "given"."v_client" as
"client", "given"."v_token_digest" as "token_digest", "given"."v_locale" as "locale",
"given"."v_national_id" as "national_id", "given"."v_binding_code" as "binding_code",
"given"."v_return_address" as "return_address", "given"."v_created_at" as "created_at",
"given"."v_expires_at" as "expires_at", "given"."v_provider_expires_at" as
"provider_expires_at", "given"."v_authenticated_at" as "authenticated_at",
"given"."v_rejected_at" as "rejected_at", "given"."v_failed_at" as "failed_at",
"given"."v_redeemed_at" as "redeemed_at", "given"."v_user_id" as "user_id",
"given"."v_end_reason" as "end_reason", "given"."v_completion_digest" as "completion_digest",
"given"."v_completion_expires_at" as "completion_expires_at", "given"."v_completion_misses" as
"completion_misses", "given"."v_replay_salt" as "replay_salt", "given"."v_replay_key_digest" as
"replay_key_digest", "given"."v_replay_body_digest" as "replay_body_digest",
"given"."v_replay_misses" as "replay_misses", "given"."v_scenario" as "scenario" from "given"`,
  },
  authenticateAttempt: {
    name: 'authenticateAttempt',
    parameters: [
      'at',
      'identity_digest',
      'erase',
      'completion_digest',
      'completion_expires_at',
      'attempt_id',
      'flow',
    ],
    sql: `with given as (select * from unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[],
$5::bigint[], $6::text[], $7::text[]) as given("v_at", "v_identity_digest", "v_erase",
"v_completion_digest", "v_completion_expires_at", "v_attempt_id", "v_flow")) update "attempts"
set "authenticated_at" = "given"."v_at", "provider_expires_at" = null, "user_id" = (select
"users"."id" from "users" where "users"."identity_digest" = "given"."v_identity_digest"),
"national_id" = case when "given"."v_erase" = 1 then null else national_id end,
"completion_digest" = "given"."v_completion_digest", "completion_expires_at" =
"given"."v_completion_expires_at" from "given" where "attempt_id" = "given"."v_attempt_id" and
("flow" = "given"."v_flow" and (("rejected_at" is null and "failed_at" is null and "redeemed_at"
is null and case when "provider_expires_at" < "expires_at" then "provider_expires_at" else
"expires_at" end > "given"."v_at") and "authenticated_at" is null) and not exists (select
"provider_transactions"."attempt_id" from "provider_transactions" where
"provider_transactions"."attempt_id" = "attempts"."attempt_id" and
"provider_transactions"."spoiled_at" is not null)) and not exists (select "users"."id" from
"users" where "users"."identity_digest" = "given"."v_identity_digest" and
"users"."sign_ins_ended_at" >= "attempts"."created_at") returning "attempt_id", "flow",
"client", "token_digest", "locale", "national_id", "binding_code", "return_address",
"created_at", "expires_at", "provider_expires_at", "authenticated_at", "rejected_at",
"failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario"`,
  },
  markRedeemed: {
    name: 'markRedeemed',
    parameters: [
      'at',
      'replay_salt',
      'replay_key_digest',
      'replay_body_digest',
      'replay_misses',
      'attempt_id',
    ],
    sql: `with given as (select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[],
$5::bigint[], $6::text[]) as given("v_at", "v_replay_salt", "v_replay_key_digest",
"v_replay_body_digest", "v_replay_misses", "v_attempt_id")) update "attempts" set "redeemed_at"
= "given"."v_at", "replay_salt" = "given"."v_replay_salt", "replay_key_digest" =
"given"."v_replay_key_digest", "replay_body_digest" = "given"."v_replay_body_digest",
"replay_misses" = "given"."v_replay_misses" from "given" where "attempt_id" =
"given"."v_attempt_id"`,
  },
  upsertUser: {
    name: 'upsertUser',
    parameters: [
      'identity_digest',
      'vault_key',
      'issuer',
      'document_type',
      'document_number',
      'national_id',
      'arabic_name',
      'english_name',
      'email',
      'nationality',
      'gender',
      'assurance_level',
      'preferred_locale',
      'flow',
      'at',
      'attempt_id',
    ],
    sql: `with given as (select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
$6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::bigint[],
$13::text[], $14::text[], $15::bigint[], $16::text[]) as given("v_identity_digest",
"v_vault_key", "v_issuer", "v_document_type", "v_document_number", "v_national_id",
"v_arabic_name", "v_english_name", "v_email", "v_nationality", "v_gender", "v_assurance_level",
"v_preferred_locale", "v_flow", "v_at", "v_attempt_id")) insert into "users" ("identity_digest",
"vault_key", "issuer", "document_type", "document_number", "national_id", "arabic_name",
"english_name", "email", "nationality", "gender", "assurance_level", "preferred_locale",
"last_auth_method", "updated_at", "created_at", "disabled_at") select
"given"."v_identity_digest" as "identity_digest", "given"."v_vault_key" as "vault_key",
"given"."v_issuer" as "issuer", "given"."v_document_type" as "document_type",
"given"."v_document_number" as "document_number", "given"."v_national_id" as "national_id",
"given"."v_arabic_name" as "arabic_name", "given"."v_english_name" as "english_name",
"given"."v_email" as "email", "given"."v_nationality" as "nationality", "given"."v_gender" as
"gender", "given"."v_assurance_level" as "assurance_level", "given"."v_preferred_locale" as
"preferred_locale", "given"."v_flow" as "last_auth_method", "given"."v_at" as "updated_at",
"given"."v_at" as "created_at", (select "erased_at" from "erased_people" where
"erased_people"."identity_digest" = "given"."v_identity_digest") as "disabled_at" from
"attempts" inner join "given" on true where "attempt_id" = "given"."v_attempt_id" and ("flow" =
"given"."v_flow" and (("rejected_at" is null and "failed_at" is null and "redeemed_at" is null
and case when "provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at"
end > "given"."v_at") and "authenticated_at" is null) and not exists (select
"provider_transactions"."attempt_id" from "provider_transactions" where
"provider_transactions"."attempt_id" = "attempts"."attempt_id" and
"provider_transactions"."spoiled_at" is not null)) and not exists (select "users"."id" from
"users" where "users"."identity_digest" = "given"."v_identity_digest" and
"users"."sign_ins_ended_at" >= "attempts"."created_at") on conflict ("identity_digest") do
update set "vault_key" = "excluded"."vault_key", "document_number" =
"excluded"."document_number", "national_id" = "excluded"."national_id", "arabic_name" =
"excluded"."arabic_name", "english_name" = "excluded"."english_name", "email" =
"excluded"."email", "nationality" = "excluded"."nationality", "gender" = "excluded"."gender",
"assurance_level" = "excluded"."assurance_level", "preferred_locale" =
"excluded"."preferred_locale", "last_auth_method" = "excluded"."last_auth_method", "updated_at"
= "excluded"."updated_at" returning "id", "identity_digest", "vault_key", "issuer",
"document_type", "document_number", "national_id", "arabic_name", "english_name", "email",
"nationality", "gender", "assurance_level", "preferred_locale", "last_auth_method",
"created_at", "updated_at", "disabled_at", "sign_ins_ended_at"`,
  },
  insertRedeemedToken: {
    name: 'insertRedeemedToken',
    parameters: [
      'token_id',
      'token_digest',
      'device_name',
      'created_at',
      'expires_at',
      'attempt_id',
      'attempt_token_digest',
      'at',
      'completion_digest',
    ],
    sql: `with given as (select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[],
$5::bigint[], $6::text[], $7::text[], $8::bigint[], $9::text[]) as given("v_token_id",
"v_token_digest", "v_device_name", "v_created_at", "v_expires_at", "v_attempt_id",
"v_attempt_token_digest", "v_at", "v_completion_digest")) insert into "api_tokens" ("token_id",
"token_digest", "attempt_id", "user_id", "client", "device_name", "created_at", "expires_at")
select "given"."v_token_id" as "token_id", "given"."v_token_digest" as "token_digest",
"attempt_id", "user_id" as "user_id", "client", "given"."v_device_name" as "device_name",
"given"."v_created_at" as "created_at", "given"."v_expires_at" as "expires_at" from "attempts"
inner join "given" on true where "attempt_id" = "given"."v_attempt_id" and "token_digest" =
"given"."v_attempt_token_digest" and (("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > "given"."v_at") and "authenticated_at" is not
null) and exists (select "users"."id" from "users" where "users"."id" = "attempts"."user_id" and
"users"."disabled_at" is null and ("users"."sign_ins_ended_at" is null or
"users"."sign_ins_ended_at" < "attempts"."created_at")) and ("given"."v_completion_digest" is
null or ("completion_digest" = "given"."v_completion_digest" and "completion_expires_at" >
"given"."v_at")) returning "attempt_id", "user_id", "client"`,
  },
  eraseLaunchUrl: {
    name: 'eraseLaunchUrl',
    parameters: ['attempt_id'],
    sql: `with given as (select * from unnest($1::text[]) as given("v_attempt_id")) update
"provider_transactions" set "launch_url" = null, "kept_tokens" = null from "given" where
"attempt_id" = "given"."v_attempt_id"`,
  },
  forgetPushes: {
    name: 'forgetPushes',
    parameters: ['person_digest'],
    sql: `with given as (select * from unnest($1::text[]) as given("v_person_digest")) update "pushes" set
"person_digest" = null from "given" where "person_digest" = "given"."v_person_digest"`,
  },
  insertAudit: {
    name: 'insertAudit',
    parameters: [
      'sequence',
      'at',
      'action',
      'attempt_id',
      'user_id',
      'client',
      'person_digest',
      'detail',
      'count',
      'previous',
      'actor',
      'reason',
      'hash',
    ],
    sql: `with given as (select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[],
$5::bigint[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[], $11::text[],
$12::text[], $13::text[]) as given("v_sequence", "v_at", "v_action", "v_attempt_id",
"v_user_id", "v_client", "v_person_digest", "v_detail", "v_count", "v_previous", "v_actor",
"v_reason", "v_hash")) insert into "audit_log" ("sequence", "at", "action", "attempt_id",
"user_id", "client", "person_digest", "detail", "count", "previous", "actor", "reason", "hash")
select "given"."v_sequence" as "sequence", "given"."v_at" as "at", "given"."v_action" as
"action", "given"."v_attempt_id" as "attempt_id", "given"."v_user_id" as "user_id",
"given"."v_client" as "client", "given"."v_person_digest" as "person_digest", "given"."v_detail"
as "detail", "given"."v_count" as "count", "given"."v_previous" as "previous", "given"."v_actor"
as "actor", "given"."v_reason" as "reason", "given"."v_hash" as "hash" from "given"`,
  },
} as const satisfies Record<SetName, SetStatement>;
