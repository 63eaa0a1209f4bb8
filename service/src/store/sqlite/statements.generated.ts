// Compiled from store/sql/queries/ by service/test/store/statements.test.ts.
// Change the queries, not this.
import type { Statements } from '../sql/queries/index.ts';

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
"replay_key_digest", "replay_body_digest", "replay_misses", "scenario") values (?, ?, ?, ?, ?,
?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  },
  selectAttempt: {
    name: 'selectAttempt',
    parameters: ['attempt_id'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "attempt_id" = ?`,
  },
  selectProvenAttempt: {
    name: 'selectProvenAttempt',
    parameters: ['attempt_id', 'token_digest'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "attempt_id" = ? and
"token_digest" = ?`,
  },
  selectPendingAttempts: {
    name: 'selectPendingAttempts',
    parameters: ['first_id', 'at', 'of_scope', 'limit'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "attempt_id" >= ? and
(("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end > ?) and
"authenticated_at" is null) and coalesce(scenario, 'default') || ' ' like ? order by
"attempt_id" desc limit ?`,
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
    sql: `update "attempts" set "authenticated_at" = ?, "provider_expires_at" = null, "user_id" = (select
"users"."id" from "users" where "users"."identity_digest" = ?), "national_id" = case when ? = 1
then null else national_id end, "completion_digest" = ?, "completion_expires_at" = ? where
"attempt_id" = ? and ("flow" = ? and (("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is null) and not exists
(select "provider_transactions"."attempt_id" from "provider_transactions" where
"provider_transactions"."attempt_id" = "attempts"."attempt_id" and
"provider_transactions"."spoiled_at" is not null)) and not exists (select "users"."id" from
"users" where "users"."identity_digest" = ? and "users"."sign_ins_ended_at" >=
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
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "attempt_id" < ? and
coalesce(scenario, 'default') || ' ' like ? order by "attempt_id" desc limit ?`,
  },
  rejectAttempt: {
    name: 'rejectAttempt',
    parameters: ['at', 'reason', 'erase', 'attempt_id', 'at'],
    sql: `update "attempts" set "rejected_at" = ?, "end_reason" = ?, "national_id" = case when ? = 1 then
null else national_id end where "attempt_id" = ? and (("rejected_at" is null and "failed_at" is
null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is null) returning
"attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario"`,
  },
  failAttempt: {
    name: 'failAttempt',
    parameters: ['at', 'reason', 'erase', 'attempt_id', 'at'],
    sql: `update "attempts" set "failed_at" = ?, "end_reason" = ?, "national_id" = case when ? = 1 then
null else national_id end where "attempt_id" = ? and ("rejected_at" is null and "failed_at" is
null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?) returning "attempt_id", "flow", "client",
"token_digest", "locale", "national_id", "binding_code", "return_address", "created_at",
"expires_at", "provider_expires_at", "authenticated_at", "rejected_at", "failed_at",
"redeemed_at", "user_id", "end_reason", "completion_digest", "completion_expires_at",
"completion_misses", "replay_salt", "replay_key_digest", "replay_body_digest", "replay_misses",
"scenario"`,
  },
  cancelAttempt: {
    name: 'cancelAttempt',
    parameters: ['at', 'erase', 'attempt_id', 'at'],
    sql: `update "attempts" set "rejected_at" = ?, "end_reason" = 'attempt.cancelled', "authenticated_at"
= null, "user_id" = null, "completion_digest" = null, "completion_expires_at" = null,
"national_id" = case when ? = 1 then null else national_id end where "attempt_id" = ? and
("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end > ?)
returning "attempt_id", "flow", "client", "token_digest", "locale", "national_id",
"binding_code", "return_address", "created_at", "expires_at", "provider_expires_at",
"authenticated_at", "rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason",
"completion_digest", "completion_expires_at", "completion_misses", "replay_salt",
"replay_key_digest", "replay_body_digest", "replay_misses", "scenario"`,
  },
  failAuthenticated: {
    name: 'failAuthenticated',
    parameters: ['at', 'reason', 'erase', 'attempt_id', 'at'],
    sql: `update "attempts" set "failed_at" = ?, "end_reason" = ?, "national_id" = case when ? = 1 then
null else national_id end where "attempt_id" = ? and (("rejected_at" is null and "failed_at" is
null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is not null) returning
"attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario"`,
  },
  countWrongCode: {
    name: 'countWrongCode',
    parameters: ['at', 'erase', 'attempt_id', 'at'],
    sql: `update "attempts" set "completion_misses" = completion_misses + 1, "failed_at" = case when
completion_misses + 1 >= 5 then ? end, "end_reason" = case when completion_misses + 1 >= 5 then
'attempt.failed' end, "national_id" = case when completion_misses + 1 >= 5 and ? = 1 then null
else national_id end where "attempt_id" = ? and (("rejected_at" is null and "failed_at" is null
and "redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is not null) returning
"attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
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
    sql: `update "attempts" set "redeemed_at" = ?, "replay_salt" = ?, "replay_key_digest" = ?,
"replay_body_digest" = ?, "replay_misses" = ? where "attempt_id" = ?`,
  },
  missReplay: {
    name: 'missReplay',
    parameters: ['attempt_id'],
    sql: `update "attempts" set "replay_misses" = replay_misses + 1 where "attempt_id" = ? and
"replay_salt" is not null`,
  },
  deleteExpiredAttempts: {
    name: 'deleteExpiredAttempts',
    parameters: ['before', 'limit'],
    sql: `delete from "attempts" where "attempt_id" in (select "attempt_id" from "attempts" where case
when "provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end < ?
order by case when "provider_expires_at" < "expires_at" then "provider_expires_at" else
"expires_at" end limit ?)`,
  },
  eraseSeals: {
    name: 'eraseSeals',
    parameters: ['before', 'limit'],
    sql: `update "attempts" set "replay_salt" = null, "replay_key_digest" = null, "replay_body_digest" =
null, "replay_misses" = null where "attempt_id" in (select "attempt_id" from "attempts" where
"replay_salt" is not null and "redeemed_at" < ? order by "redeemed_at" limit ?)`,
  },
  eraseIdentifiers: {
    name: 'eraseIdentifiers',
    parameters: ['before', 'limit'],
    sql: `update "attempts" set "national_id" = null where "attempt_id" in (select "attempt_id" from
"attempts" where "national_id" > 'v' and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end < ? order by case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end limit ?)`,
  },
  rotateCompletion: {
    name: 'rotateCompletion',
    parameters: ['completion_digest', 'completion_expires_at', 'attempt_id', 'at'],
    sql: `update "attempts" set "completion_digest" = ?, "completion_expires_at" = ? where "attempt_id" =
? and (("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end > ?) and
"authenticated_at" is not null) returning "attempt_id", "flow", "client", "token_digest",
"locale", "national_id", "binding_code", "return_address", "created_at", "expires_at",
"provider_expires_at", "authenticated_at", "rejected_at", "failed_at", "redeemed_at", "user_id",
"end_reason", "completion_digest", "completion_expires_at", "completion_misses", "replay_salt",
"replay_key_digest", "replay_body_digest", "replay_misses", "scenario"`,
  },
  selectBegunAfterEnd: {
    name: 'selectBegunAfterEnd',
    parameters: ['attempt_id', 'identity_digest'],
    sql: `select "attempt_id" from "attempts" where "attempt_id" = ? and not exists (select "users"."id"
from "users" where "users"."identity_digest" = ? and "users"."sign_ins_ended_at" >=
"attempts"."created_at")`,
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
    sql: `update "users" set "identity_digest" = ? where "identity_digest" = ? and not exists (select
"known"."id" from "users" as "known" where "known"."identity_digest" = ?) and exists (select
"attempt_id" from "attempts" where "attempt_id" = ? and ("flow" = ? and (("rejected_at" is null
and "failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is
null) and not exists (select "provider_transactions"."attempt_id" from "provider_transactions"
where "provider_transactions"."attempt_id" = "attempts"."attempt_id" and
"provider_transactions"."spoiled_at" is not null)))`,
  },
  endSignIns: {
    name: 'endSignIns',
    parameters: ['at', 'id', 'at'],
    sql: `update "users" set "sign_ins_ended_at" = ? where "id" = ? and ("sign_ins_ended_at" is null or
"sign_ins_ended_at" < ?)`,
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
"disabled_at") select ? as "identity_digest", ? as "vault_key", ? as "issuer", ? as
"document_type", ? as "document_number", ? as "national_id", ? as "arabic_name", ? as
"english_name", ? as "email", ? as "nationality", ? as "gender", ? as "assurance_level", ? as
"preferred_locale", ? as "last_auth_method", ? as "updated_at", ? as "created_at", (select
"erased_at" from "erased_people" where "erased_people"."identity_digest" = ?) as "disabled_at"
from "attempts" where "attempt_id" = ? and ("flow" = ? and (("rejected_at" is null and
"failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at"
then "provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is null) and not
exists (select "provider_transactions"."attempt_id" from "provider_transactions" where
"provider_transactions"."attempt_id" = "attempts"."attempt_id" and
"provider_transactions"."spoiled_at" is not null)) and not exists (select "users"."id" from
"users" where "users"."identity_digest" = ? and "users"."sign_ins_ended_at" >=
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
"disabled_at", "sign_ins_ended_at" from "users" where "vault_key" = ? limit ?`,
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
    sql: `update "users" set "identity_digest" = ?, "vault_key" = ?, "document_number" = ?, "national_id"
= ?, "arabic_name" = ?, "english_name" = ?, "email" = ?, "nationality" = ?, "gender" = ? where
"id" = ? and "national_id" = ?`,
  },
  disableUser: {
    name: 'disableUser',
    parameters: ['at', 'id'],
    sql: `update "users" set "disabled_at" = ? where "id" = ? and "disabled_at" is null returning "id"`,
  },
  enableUser: {
    name: 'enableUser',
    parameters: ['id'],
    sql: `update "users" set "disabled_at" = null where "id" = ? and "disabled_at" is not null returning
"id"`,
  },
  selectUser: {
    name: 'selectUser',
    parameters: ['id'],
    sql: `select "id", "identity_digest", "vault_key", "issuer", "document_type", "document_number",
"national_id", "arabic_name", "english_name", "email", "nationality", "gender",
"assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at", "subject" from "users" where "id" = ?`,
  },
  selectPerson: {
    name: 'selectPerson',
    parameters: ['identity_digest'],
    sql: `select "id", "identity_digest", "vault_key", "issuer", "document_type", "document_number",
"national_id", "arabic_name", "english_name", "email", "nationality", "gender",
"assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at" from "users" where "identity_digest" = ?`,
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
"device_name", "created_at", "expires_at") select ? as "token_id", ? as "token_digest",
"attempt_id", "user_id" as "user_id", "client", ? as "device_name", ? as "created_at", ? as
"expires_at" from "attempts" where "attempt_id" = ? and "token_digest" = ? and (("rejected_at"
is null and "failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is not
null) and exists (select "users"."id" from "users" where "users"."id" = "attempts"."user_id" and
"users"."disabled_at" is null and ("users"."sign_ins_ended_at" is null or
"users"."sign_ins_ended_at" < "attempts"."created_at")) and (? is null or ("completion_digest" =
? and "completion_expires_at" > ?)) returning "attempt_id", "user_id", "client"`,
  },
  selectToken: {
    name: 'selectToken',
    parameters: ['token_digest'],
    sql: `select "token_id", "token_digest", "attempt_id", "user_id", "client", "device_name",
"created_at", "expires_at", "revoked_at" from "api_tokens" where "token_digest" = ?`,
  },
  selectTokenOfAttempt: {
    name: 'selectTokenOfAttempt',
    parameters: ['attempt_id'],
    sql: `select "token_id", "token_digest", "attempt_id", "user_id", "client", "device_name",
"created_at", "expires_at", "revoked_at" from "api_tokens" where "attempt_id" = ?`,
  },
  selectActiveTokens: {
    name: 'selectActiveTokens',
    parameters: ['user_id', 'client', 'below', 'at', 'limit'],
    sql: `select "token_id", "token_digest", "attempt_id", "user_id", "client", "device_name",
"created_at", "expires_at", "revoked_at" from "api_tokens" where "user_id" = ? and "client" = ?
and "revoked_at" is null and "token_id" < coalesce(?, '~') and "expires_at" > ? order by
"token_id" desc limit ?`,
  },
  revokeToken: {
    name: 'revokeToken',
    parameters: ['at', 'token_id', 'user_id', 'client', 'at'],
    sql: `update "api_tokens" set "revoked_at" = ? where "token_id" = ? and "user_id" = ? and "client" = ?
and "revoked_at" is null and "expires_at" > ? returning "attempt_id", "user_id", "client"`,
  },
  deleteExpiredTokens: {
    name: 'deleteExpiredTokens',
    parameters: ['before', 'limit'],
    sql: `delete from "api_tokens" where "token_id" in (select "token_id" from "api_tokens" where
"expires_at" < ? order by "expires_at" limit ?)`,
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
select ? as "attempt_id", ? as "kind", ? as "launch_url", ? as "state_digest", ? as "nonce", ?
as "browser_digest", ? as "transaction_id", ? as "completed_seen_at", ? as "spoiled_at", ? as
"kept_tokens" from "attempts" where "attempt_id" = ? and (("rejected_at" is null and "failed_at"
is null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is null) and not exists
(select "kind" from "provider_transactions" where "attempt_id" = ?) returning "attempt_id"`,
  },
  markOpened: {
    name: 'markOpened',
    parameters: ['binding_code', 'provider_expires_at', 'attempt_id'],
    sql: `update "attempts" set "binding_code" = ?, "provider_expires_at" = ? where "attempt_id" = ?
returning "attempt_id", "flow", "client", "token_digest", "locale", "national_id",
"binding_code", "return_address", "created_at", "expires_at", "provider_expires_at",
"authenticated_at", "rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason",
"completion_digest", "completion_expires_at", "completion_misses", "replay_salt",
"replay_key_digest", "replay_body_digest", "replay_misses", "scenario"`,
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
"attempts"."attempt_id" = "provider_transactions"."attempt_id" where "attempts"."attempt_id" = ?`,
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
"attempts"."attempt_id" = "provider_transactions"."attempt_id" where "state_digest" = ?`,
  },
  bindBrowser: {
    name: 'bindBrowser',
    parameters: ['browser_digest', 'attempt_id', 'browser_digest', 'attempt_id', 'at'],
    sql: `update "provider_transactions" set "browser_digest" = ? where "attempt_id" = ? and "kind" =
'redirect' and ("browser_digest" is null or "browser_digest" = ?) and "spoiled_at" is null and
exists (select "attempt_id" from "attempts" where "attempt_id" = ? and (("rejected_at" is null
and "failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is
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
    sql: `update "provider_transactions" set "launch_url" = ?, "state_digest" = ?, "nonce" = ?,
"browser_digest" = ? where "attempt_id" = ? and "kind" = 'redirect' and "browser_digest" is null
and "spoiled_at" is null and exists (select "attempt_id" from "attempts" where "attempt_id" = ?
and (("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end > ?) and
"authenticated_at" is null)) returning "attempt_id"`,
  },
  eraseLaunchUrl: {
    name: 'eraseLaunchUrl',
    parameters: ['attempt_id'],
    sql: `update "provider_transactions" set "launch_url" = null, "kept_tokens" = null where "attempt_id"
= ?`,
  },
  markSpoiled: {
    name: 'markSpoiled',
    parameters: ['at', 'attempt_id', 'attempt_id', 'at'],
    sql: `update "provider_transactions" set "spoiled_at" = ?, "launch_url" = null, "kept_tokens" = null
where "attempt_id" = ? and "kind" = 'redirect' and "spoiled_at" is null and exists (select
"attempt_id" from "attempts" where "attempt_id" = ? and ("rejected_at" is null and "failed_at"
is null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?)) returning "attempt_id"`,
  },
  expirePush: {
    name: 'expirePush',
    parameters: ['at', 'attempt_id', 'at', 'attempt_id'],
    sql: `update "attempts" set "provider_expires_at" = ? where "attempt_id" = ? and (("rejected_at" is
null and "failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is
null) and exists (select "kind" from "provider_transactions" where "attempt_id" = ? and "kind" =
'push') returning "attempt_id"`,
  },
  recordApprovalSeen: {
    name: 'recordApprovalSeen',
    parameters: ['at', 'attempt_id', 'attempt_id', 'at'],
    sql: `update "provider_transactions" set "completed_seen_at" = coalesce(completed_seen_at, ?) where
"attempt_id" = ? and "kind" = 'push' and exists (select "attempt_id" from "attempts" where
"attempt_id" = ? and (("rejected_at" is null and "failed_at" is null and "redeemed_at" is null
and case when "provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at"
end > ?) and "authenticated_at" is null)) returning "completed_seen_at"`,
  },
  keepTokens: {
    name: 'keepTokens',
    parameters: ['kept_tokens', 'attempt_id', 'attempt_id', 'at'],
    sql: `update "provider_transactions" set "kept_tokens" = ? where "attempt_id" = ? and "spoiled_at" is
null and exists (select "attempt_id" from "attempts" where "attempt_id" = ? and (("rejected_at"
is null and "failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is
null)) returning "attempt_id"`,
  },
  selectKeptPushes: {
    name: 'selectKeptPushes',
    parameters: ['at'],
    sql: `select "attempt_id" from "provider_transactions" where "kept_tokens" is not null and "kind" =
'push' and exists (select "attempts"."attempt_id" from "attempts" where attempts.attempt_id =
provider_transactions.attempt_id and (("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is null)) order by
"attempt_id"`,
  },
  dropLateTokens: {
    name: 'dropLateTokens',
    parameters: ['at'],
    sql: `update "provider_transactions" set "kept_tokens" = null where "kept_tokens" is not null and not
exists (select "attempts"."attempt_id" from "attempts" where attempts.attempt_id =
provider_transactions.attempt_id and (("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is null))`,
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
select ? as "attempt_id", ? as "person_digest", ? as "client", ? as "admitted_at", ? as
"counts_until" where not exists (select "attempt_id" from "attempts" where "attempt_id" in
(select "pushes"."attempt_id" from "pushes" where "person_digest" = ?) and (("rejected_at" > ?
and "end_reason" <> 'attempt.cancelled') or ("attempt_id" <> ? and (("rejected_at" is null and
"failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at"
then "provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is null)))) and not
exists ( select 1 from json_each(?) as item where ( select count(*) from pushes where
person_digest = ? and (item.value ->> 'client' is null or client = item.value ->> 'client') and
admitted_at > ? - cast(item.value ->> 'lengthMs' as bigint) ) >= cast(item.value ->> 'quota' as
bigint) ) and (select count(*) as "spent" from "pushes" where "client" = ? and "admitted_at" >
?) < ? and (select count(*) as "spent" from "pushes" where "admitted_at" > ?) < ? returning
"push_id"`,
  },
  forgetPushes: {
    name: 'forgetPushes',
    parameters: ['person_digest'],
    sql: `update "pushes" set "person_digest" = null where "person_digest" = ?`,
  },
  adoptPushes: {
    name: 'adoptPushes',
    parameters: ['person_digest', 'other_digest'],
    sql: `update "pushes" set "person_digest" = ? where "person_digest" = ?`,
  },
  withdrawPush: {
    name: 'withdrawPush',
    parameters: ['person_digest', 'attempt_id'],
    sql: `delete from "pushes" where "person_digest" = ? and "attempt_id" = ?`,
  },
  countPushes: {
    name: 'countPushes',
    parameters: ['after'],
    sql: `select "client", count(*) as "count" from "pushes" where "admitted_at" > ? group by "client"`,
  },
  deleteOldPushes: {
    name: 'deleteOldPushes',
    parameters: ['before', 'limit'],
    sql: `delete from "pushes" where "push_id" in (select "push_id" from "pushes" where "counts_until" < ?
order by "counts_until" limit ?)`,
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
"subject", "client", "attempt_id", "expires_at", "consumed_at", "due_at") select ? as
"record_digest", ? as "model", ? as "body", ? as "vault_key", ? as "grant_digest", ? as
"subject", ? as "client", ? as "attempt_id", ? as "expires_at", ? as "consumed_at", ? as
"due_at" where (? is null or exists (select "known"."record_digest" from "openid_records" as
"known" where "known"."grant_digest" = ? and "known"."model" != 'ToldAtEnd')) on conflict
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
"subject", "client", "attempt_id", "expires_at", "consumed_at", "due_at") select ? as
"record_digest", ? as "model", ? as "body", ? as "vault_key", ? as "grant_digest", ? as
"subject", ? as "client", ? as "attempt_id", ? as "expires_at", ? as "consumed_at", ? as
"due_at" where exists (select "known"."record_digest" from "openid_records" as "known" where
"known"."record_digest" = ?) on conflict ("record_digest") do update set "body" =
"excluded"."body", "vault_key" = "excluded"."vault_key", "grant_digest" =
"excluded"."grant_digest", "subject" = "excluded"."subject", "client" = "excluded"."client",
"expires_at" = "excluded"."expires_at" returning "record_digest"`,
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
"subject", "client", "attempt_id", "expires_at", "consumed_at", "due_at") values (?, ?, ?, ?, ?,
?, ?, ?, ?, ?, ?) on conflict ("record_digest") do nothing`,
  },
  selectOpenid: {
    name: 'selectOpenid',
    parameters: ['record_digest'],
    sql: `select "record_digest", "model", "body", "vault_key", "grant_digest", "subject", "client",
"attempt_id", "expires_at", "consumed_at", "due_at" from "openid_records" where "record_digest"
= ?`,
  },
  selectOpenidOfAttempt: {
    name: 'selectOpenidOfAttempt',
    parameters: ['attempt_id'],
    sql: `select "record_digest", "model", "body", "vault_key", "grant_digest", "subject", "client",
"attempt_id", "expires_at", "consumed_at", "due_at" from "openid_records" where "attempt_id" = ?`,
  },
  linkOpenid: {
    name: 'linkOpenid',
    parameters: ['attempt_id', 'record_digest', 'linked'],
    sql: `update "openid_records" set "attempt_id" = ? where "record_digest" = ? and attempt_id is not
distinct from ? returning "record_digest"`,
  },
  consumeOpenid: {
    name: 'consumeOpenid',
    parameters: ['at', 'record_digest'],
    sql: `update "openid_records" set "consumed_at" = ? where "record_digest" = ? and "consumed_at" is
null returning "record_digest"`,
  },
  selectOpenidUnderKey: {
    name: 'selectOpenidUnderKey',
    parameters: ['vault_key', 'limit'],
    sql: `select "record_digest", "model", "body", "vault_key", "grant_digest", "subject", "client",
"attempt_id", "expires_at", "consumed_at", "due_at" from "openid_records" where "vault_key" = ?
limit ?`,
  },
  resealOpenid: {
    name: 'resealOpenid',
    parameters: ['body', 'vault_key', 'record_digest', 'sealed_before'],
    sql: `update "openid_records" set "body" = ?, "vault_key" = ? where "record_digest" = ? and "body" = ?
returning "record_digest"`,
  },
  deleteOpenid: {
    name: 'deleteOpenid',
    parameters: ['record_digest'],
    sql: `delete from "openid_records" where "record_digest" = ? returning "record_digest"`,
  },
  deleteOpenidGrant: {
    name: 'deleteOpenidGrant',
    parameters: ['grant_digest'],
    sql: `delete from "openid_records" where "grant_digest" = ? and "model" != 'ToldAtEnd' returning
"client", (select "users"."id" from "users" where "users"."subject" =
"openid_records"."subject") as "user_id"`,
  },
  deleteExpiredOpenid: {
    name: 'deleteExpiredOpenid',
    parameters: ['before', 'limit'],
    sql: `delete from "openid_records" where "record_digest" in (select "record_digest" from
"openid_records" where "expires_at" < ? order by "expires_at" limit ?)`,
  },
  noteEndedOfUser: {
    name: 'noteEndedOfUser',
    parameters: ['at', 'at', 'at', 'user_id'],
    sql: `update "openid_records" set "due_at" = ?, "grant_digest" = null, "subject" = null, "expires_at"
= ? + 86400000 where "model" = 'ToldAtEnd' and "due_at" is null and "expires_at" > ? and
"subject" = (select users.subject from users where users.id = ?)`,
  },
  noteEnded: {
    name: 'noteEnded',
    parameters: ['at', 'at', 'at', 'above', 'up_to', 'user_id', 'user_id', 'client', 'client'],
    sql: `update "openid_records" set "due_at" = ?, "grant_digest" = null, "subject" = null, "expires_at"
= ? + 86400000 where "model" = 'ToldAtEnd' and "due_at" is null and "expires_at" > ? and
record_digest > ? and record_digest <= ? and (? is null or subject = (select users.subject from
users where users.id = ?)) and (? is null or client = ?)`,
  },
  deleteOpenidOfUser: {
    name: 'deleteOpenidOfUser',
    parameters: ['user_id'],
    sql: `delete from "openid_records" where "expires_at" is not null and "due_at" is null and "subject" =
(select users.subject from users where users.id = ?)`,
  },
  deleteOpenidOf: {
    name: 'deleteOpenidOf',
    parameters: ['above', 'up_to', 'user_id', 'user_id', 'client', 'client'],
    sql: `delete from "openid_records" where "expires_at" is not null and "due_at" is null and
record_digest > ? and record_digest <= ? and (? is null or subject = (select users.subject from
users where users.id = ?)) and (? is null or client = ? or model = 'SharedSession')`,
  },
  selectNthToEnd: {
    name: 'selectNthToEnd',
    parameters: ['above', 'user_id', 'user_id', 'client', 'client', 'offset'],
    sql: `select "record_digest" from "openid_records" where "record_digest" > ? and "expires_at" is not
null and "due_at" is null and (? is null or subject = (select users.subject from users where
users.id = ?)) and (? is null or client = ? or model = 'SharedSession') order by "record_digest"
limit 1 offset ?`,
  },
  deleteToldAtEnd: {
    name: 'deleteToldAtEnd',
    parameters: [],
    sql: `delete from "openid_records" where "model" = 'ToldAtEnd'`,
  },
  selectClientsToTell: {
    name: 'selectClientsToTell',
    parameters: ['clients', 'at', 'at'],
    sql: `select item.value as client from json_each(?) as item where exists (select 1 from openid_records
where client = item.value and due_at <= ? and expires_at > ?)`,
  },
  leaseEnded: {
    name: 'leaseEnded',
    parameters: ['until', 'client', 'at', 'at', 'limit'],
    sql: `update "openid_records" set "due_at" = ? where "record_digest" in (select "record_digest" from
"openid_records" where "client" = ? and "due_at" <= ? and "expires_at" > ? order by "due_at"
limit ?) returning "record_digest", "model", "body", "vault_key", "grant_digest", "subject",
"client", "attempt_id", "expires_at", "consumed_at", "due_at"`,
  },
  postponeEnded: {
    name: 'postponeEnded',
    parameters: ['until', 'record_digest'],
    sql: `update "openid_records" set "due_at" = ? where "record_digest" = ? and "due_at" is not null`,
  },
  bringEndedForward: {
    name: 'bringEndedForward',
    parameters: ['at', 'at'],
    sql: `update "openid_records" set "due_at" = ? where "due_at" > ?`,
  },
  consumeAttempt: {
    name: 'consumeAttempt',
    parameters: ['at', 'attempt_id', 'at', 'completion_digest', 'completion_digest', 'at'],
    sql: `update "attempts" set "redeemed_at" = ? where "attempt_id" = ? and (("rejected_at" is null and
"failed_at" is null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at"
then "provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is not null) and
exists (select "users"."id" from "users" where "users"."id" = "attempts"."user_id" and
"users"."disabled_at" is null and ("users"."sign_ins_ended_at" is null or
"users"."sign_ins_ended_at" < "attempts"."created_at")) and (? is null or ("completion_digest" =
? and "completion_expires_at" > ?)) returning "attempt_id", "flow", "client", "token_digest",
"locale", "national_id", "binding_code", "return_address", "created_at", "expires_at",
"provider_expires_at", "authenticated_at", "rejected_at", "failed_at", "redeemed_at", "user_id",
"end_reason", "completion_digest", "completion_expires_at", "completion_misses", "replay_salt",
"replay_key_digest", "replay_body_digest", "replay_misses", "scenario"`,
  },
  nameSubject: {
    name: 'nameSubject',
    parameters: ['subject', 'attempt_id'],
    sql: `update "users" set "subject" = coalesce(subject, ?) where "id" = (select "attempts"."user_id" as
"user_id" from "attempts" where "attempts"."attempt_id" = ?) returning "id", "identity_digest",
"vault_key", "issuer", "document_type", "document_number", "national_id", "arabic_name",
"english_name", "email", "nationality", "gender", "assurance_level", "preferred_locale",
"last_auth_method", "created_at", "updated_at", "disabled_at", "sign_ins_ended_at", "subject"`,
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
"expires_at", "subject", "client") select ? as "record_digest", ? as "model", ? as "body", ? as
"vault_key", ? as "grant_digest", ? as "expires_at", "users"."subject", "attempts"."client" from
"attempts" inner join "users" on "users"."id" = "attempts"."user_id" where
"attempts"."attempt_id" = ?`,
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
"expires_at", "client", "subject") select ? as "record_digest", ? as "model", ? as "body", ? as
"vault_key", ? as "grant_digest", ? as "expires_at", ? as "client", "known"."subject" from
"openid_records" as "known" inner join "users" on "users"."subject" = "known"."subject" where
"known"."record_digest" = ? and "known"."expires_at" > ? and "users"."disabled_at" is null
returning "client", (select "users"."id" from "users" where "users"."subject" =
"openid_records"."subject") as "user_id"`,
  },
  selectSubject: {
    name: 'selectSubject',
    parameters: ['subject'],
    sql: `select "id", "identity_digest", "vault_key", "issuer", "document_type", "document_number",
"national_id", "arabic_name", "english_name", "email", "nationality", "gender",
"assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at" from "users" where "subject" = ?`,
  },
  insertBinding: {
    name: 'insertBinding',
    parameters: ['mode', 'provider_url', 'path_prefix', 'issuer'],
    sql: `insert into "store_seal" ("id", "mode", "provider_url", "path_prefix", "issuer") select 1 as
"id", ? as "mode", ? as "provider_url", ? as "path_prefix", ? as "issuer" where not exists
(select "id" from "store_seal" where "id" = 1) and not exists (select 1 from "attempts" where
"attempt_id" >= '') and not exists (select 1 from "users" where "id" >= 0) and not exists
(select 1 from "api_tokens" where "token_id" >= '') returning "id"`,
  },
  selectBinding: {
    name: 'selectBinding',
    parameters: [],
    sql: `select "id", "mode", "provider_url", "path_prefix", "issuer" from "store_seal" where "id" = 1`,
  },
  insertProviderName: {
    name: 'insertProviderName',
    parameters: ['kind', 'value'],
    sql: `insert into "provider_names" ("kind", "value") select ? as "kind", ? as "value" on conflict
("kind", "value") do nothing returning "kind"`,
  },
  selectProviderNames: {
    name: 'selectProviderNames',
    parameters: [],
    sql: `select "kind", "value" from "provider_names" order by "kind", "value"`,
  },
  failOpen: {
    name: 'failOpen',
    parameters: ['at', 'erase', 'at', 'user_id', 'user_id', 'client', 'client'],
    sql: `update "attempts" set "failed_at" = ?, "end_reason" = 'attempt.failed', "national_id" = case
when ? = 1 then null else national_id end where ("rejected_at" is null and "failed_at" is null
and "redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?) and (? is null or user_id = ?) and (? is null
or client = ?)`,
  },
  dateBack: {
    name: 'dateBack',
    parameters: ['at', 'at', 'at'],
    sql: `update "attempts" set "created_at" = ? where ("rejected_at" is null and "failed_at" is null and
"redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?) and "created_at" > ?`,
  },
  eraseFailedLaunchUrls: {
    name: 'eraseFailedLaunchUrls',
    parameters: ['at', 'at'],
    sql: `update "provider_transactions" set "launch_url" = null, "kept_tokens" = null where ("launch_url"
is not null or "kept_tokens" is not null) and "attempt_id" in (select "attempt_id" from
"attempts" where case when "provider_expires_at" < "expires_at" then "provider_expires_at" else
"expires_at" end > ? and "failed_at" = ?)`,
  },
  revokeTokens: {
    name: 'revokeTokens',
    parameters: ['at', 'at', 'user_id', 'user_id', 'client', 'client'],
    sql: `update "api_tokens" set "revoked_at" = ? where "expires_at" > ? and "revoked_at" is null and (?
is null or user_id = ?) and (? is null or client = ?)`,
  },
  selectNthActiveToken: {
    name: 'selectNthActiveToken',
    parameters: ['above', 'at', 'user_id', 'user_id', 'client', 'client', 'offset'],
    sql: `select "token_id" from "api_tokens" where "token_id" > ? and "expires_at" > ? and "revoked_at"
is null and (? is null or user_id = ?) and (? is null or client = ?) order by "token_id" limit 1
offset ?`,
  },
  revokeTokensBetween: {
    name: 'revokeTokensBetween',
    parameters: ['at', 'above', 'up_to', 'at', 'user_id', 'user_id', 'client', 'client'],
    sql: `update "api_tokens" set "revoked_at" = ? where "token_id" > ? and "token_id" <= ? and
"expires_at" > ? and "revoked_at" is null and (? is null or user_id = ?) and (? is null or
client = ?)`,
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
"attempts"."attempt_id" || '_' || replace(?, '.', '_') || '_' || substr(item.value, 1, 16),
substr(item.value, 18), substr(item.value, 1, 16), ?, "attempts"."attempt_id",
"attempts"."user_id", "attempts"."end_reason", ?, ?, case when ? like '%' || substr(item.value,
1, 16) || '%' then 1 else 0 end, case when ? like '%' || substr(item.value, 1, 16) || '%' then ?
else ? end, null, null, null from json_each(?) as item inner join attempts on attempts.client =
substr(item.value, 18) where attempts.attempt_id = ? and case ? when 'attempt.authenticated'
then authenticated_at when 'attempt.rejected' then rejected_at else failed_at end = ? and not
exists (select 1 from webhooks_off where webhooks_off.receiver = substr(item.value, 1, 16)) on
conflict ("delivery_id") do nothing returning "receiver", "delivery_id", "user_id", "reason",
"tries"`,
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
"attempts"."attempt_id", "attempts"."user_id", "attempts"."end_reason", ?, ?, 0, ?, null, null,
null from json_each(?) as item inner join attempts on attempts.client = substr(item.value, 18)
where case when provider_expires_at < expires_at then provider_expires_at else expires_at end >
? and failed_at = ? and (? is null or "attempts"."user_id" = ?) and (? is null or
"attempts"."client" = ?) and not exists (select 1 from webhooks_off where webhooks_off.receiver
= substr(item.value, 1, 16)) on conflict ("delivery_id") do nothing returning "receiver"`,
  },
  noteDisabled: {
    name: 'noteDisabled',
    parameters: ['user_id', 'at', 'user_id', 'at', 'at', 'at', 'receivers', 'user_id'],
    sql: `insert into "webhook_deliveries" ("delivery_id", "client", "receiver", "event", "attempt_id",
"user_id", "reason", "at", "since", "tries", "next_at", "ended_at", "outcome", "answer") select
'user-' || cast(? as text) || '-' || cast(? as text) || '_' || replace('user.disabled', '.',
'_') || '_' || substr(item.value, 1, 16), substr(item.value, 18), substr(item.value, 1, 16),
'user.disabled', null, ?, null, ?, ?, 0, ?, null, null, null from json_each(?) as item where
exists (select 1 from api_tokens where user_id = ? and client = substr(item.value, 18)) and not
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
'user-' || cast(revoked.user_id as text) || '-' || cast(? as text) || '_' ||
replace('tokens.revoked', '.', '_') || '_' || substr(item.value, 1, 16), substr(item.value, 18),
substr(item.value, 1, 16), 'tokens.revoked', null, revoked.user_id, null, ?, ?, 0, ?, null,
null, null from json_each(?) as item inner join (select distinct user_id, client from api_tokens
where token_id > ? and token_id <= ? and revoked_at = ? and (? is null or "api_tokens"."user_id"
= ?) and (? is null or "api_tokens"."client" = ?)) as revoked on revoked.client =
substr(item.value, 18) where true and not exists (select 1 from webhooks_off where
webhooks_off.receiver = substr(item.value, 1, 16)) on conflict ("delivery_id") do nothing
returning "receiver"`,
  },
  selectSwept: {
    name: 'selectSwept',
    parameters: [],
    sql: `select "swept_to" from "webhook_sweep" where "id" = 1`,
  },
  beginSweep: {
    name: 'beginSweep',
    parameters: ['swept_to'],
    sql: `insert into "webhook_sweep" ("id", "swept_to") select 1 as "id", ? as "swept_to" on conflict
("id") do nothing`,
  },
  moveSweep: {
    name: 'moveSweep',
    parameters: ['swept_to', 'after'],
    sql: `update "webhook_sweep" set "swept_to" = ? where "id" = 1 and "swept_to" = ? returning "id"`,
  },
  selectPendingPushes: {
    name: 'selectPendingPushes',
    parameters: ['above', 'at', 'clients', 'clients', 'limit'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "attempt_id" > ? and
"flow" = 'mfa' and (("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and
case when "provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end
> ?) and "authenticated_at" is null) and (? is null or client in (select item.value from
json_each(?) as item)) order by "attempt_id" limit ?`,
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
from json_each(?) as item inner join attempts on attempts.client = substr(item.value, 18) where
case when provider_expires_at < expires_at then provider_expires_at else expires_at end > ? and
case when provider_expires_at < expires_at then provider_expires_at else expires_at end <= ? and
authenticated_at is null and rejected_at is null and failed_at is null and not exists (select 1
from webhooks_off where webhooks_off.receiver = substr(item.value, 1, 16)) on conflict
("delivery_id") do nothing returning "receiver"`,
  },
  selectDue: {
    name: 'selectDue',
    parameters: ['receiver', 'at'],
    sql: `select "delivery_id" from "webhook_deliveries" where "receiver" = ? and "next_at" <= ? order by
"next_at" limit 1`,
  },
  leaseDeliveries: {
    name: 'leaseDeliveries',
    parameters: ['next_at', 'receiver', 'at', 'limit'],
    sql: `update "webhook_deliveries" set "next_at" = ?, "tries" = tries + 1 where "delivery_id" in
(select "delivery_id" from "webhook_deliveries" where "receiver" = ? and "next_at" <= ? order by
"next_at" limit ?) returning "delivery_id", "client", "receiver", "event", "attempt_id",
"user_id", "reason", "at", "since", "tries", "next_at", "ended_at", "outcome", "answer"`,
  },
  markDelivered: {
    name: 'markDelivered',
    parameters: ['at', 'answer', 'delivery_id'],
    sql: `update "webhook_deliveries" set "next_at" = null, "ended_at" = ?, "outcome" = 'delivered',
"answer" = ? where "delivery_id" = ?`,
  },
  markFailed: {
    name: 'markFailed',
    parameters: ['next_at', 'answer', 'delivery_id', 'tries'],
    sql: `update "webhook_deliveries" set "next_at" = ?, "answer" = ? where "delivery_id" = ? and
"outcome" is null and "tries" = ?`,
  },
  markUntried: {
    name: 'markUntried',
    parameters: ['next_at', 'delivery_id', 'tries'],
    sql: `update "webhook_deliveries" set "next_at" = ?, "tries" = tries - 1 where "delivery_id" = ? and
"outcome" is null and "tries" = ?`,
  },
  markGivenUp: {
    name: 'markGivenUp',
    parameters: ['at', 'answer', 'delivery_id', 'tries'],
    sql: `update "webhook_deliveries" set "next_at" = null, "ended_at" = ?, "outcome" = 'given_up',
"answer" = ? where "delivery_id" = ? and "outcome" is null and "tries" = ?`,
  },
  switchOff: {
    name: 'switchOff',
    parameters: ['receiver', 'client', 'at'],
    sql: `insert into "webhooks_off" ("receiver", "client", "at") select ? as "receiver", ? as "client", ?
as "at" on conflict ("receiver") do nothing returning "receiver"`,
  },
  switchOn: {
    name: 'switchOn',
    parameters: ['receiver'],
    sql: `delete from "webhooks_off" where "receiver" = ? returning "receiver"`,
  },
  giveUpReceiver: {
    name: 'giveUpReceiver',
    parameters: ['at', 'answer', 'receiver', 'limit'],
    sql: `update "webhook_deliveries" set "next_at" = null, "ended_at" = ?, "outcome" = 'given_up',
"answer" = ? where "delivery_id" in (select "delivery_id" from "webhook_deliveries" where
"next_at" is not null and "receiver" = ? order by "next_at" limit ?)`,
  },
  giveUpOldest: {
    name: 'giveUpOldest',
    parameters: ['at', 'answer', 'receiver', 'limit'],
    sql: `update "webhook_deliveries" set "next_at" = null, "ended_at" = ?, "outcome" = 'given_up',
"answer" = ? where "delivery_id" in (select "delivery_id" from "webhook_deliveries" where
"next_at" is not null and receiver || '' = ? order by "since" limit ?)`,
  },
  giveUpOld: {
    name: 'giveUpOld',
    parameters: ['at', 'before', 'limit'],
    sql: `update "webhook_deliveries" set "next_at" = null, "ended_at" = ?, "outcome" = 'given_up' where
"delivery_id" in (select "delivery_id" from "webhook_deliveries" where "next_at" is not null and
"since" < ? limit ?) returning "receiver"`,
  },
  replayDelivery: {
    name: 'replayDelivery',
    parameters: ['at', 'at', 'delivery_id', 'receivers'],
    sql: `update "webhook_deliveries" set "next_at" = ?, "since" = ?, "tries" = 0, "ended_at" = null,
"outcome" = null where "delivery_id" = ? and "outcome" = 'given_up' and receiver in (select
item.value from json_each(?) as item)`,
  },
  replayClient: {
    name: 'replayClient',
    parameters: ['at', 'at', 'client', 'receivers', 'limit'],
    sql: `update "webhook_deliveries" set "next_at" = ?, "since" = ?, "tries" = 0, "ended_at" = null,
"outcome" = null where "delivery_id" in (select "delivery_id" from "webhook_deliveries" where
"client" = ? and "outcome" = 'given_up' and receiver in (select item.value from json_each(?) as
item) limit ?)`,
  },
  bringForward: {
    name: 'bringForward',
    parameters: ['at', 'at', 'at'],
    sql: `update "webhook_deliveries" set "next_at" = ?, "since" = ? where "next_at" > ?`,
  },
  deleteDelivered: {
    name: 'deleteDelivered',
    parameters: ['before', 'limit'],
    sql: `delete from "webhook_deliveries" where "delivery_id" in (select "delivery_id" from
"webhook_deliveries" where "outcome" = 'delivered' and "ended_at" < ? limit ?)`,
  },
  deleteGivenUp: {
    name: 'deleteGivenUp',
    parameters: ['before', 'limit'],
    sql: `delete from "webhook_deliveries" where "delivery_id" in (select "delivery_id" from
"webhook_deliveries" where "outcome" = 'given_up' and "ended_at" < ? limit ?)`,
  },
  deleteDeliveriesOfUser: {
    name: 'deleteDeliveriesOfUser',
    parameters: ['user_id'],
    sql: `delete from "webhook_deliveries" where "user_id" = ?`,
  },
  deleteDeliveriesOfOpen: {
    name: 'deleteDeliveriesOfOpen',
    parameters: ['attempt_id', 'attempt_id'],
    sql: `delete from "webhook_deliveries" where "attempt_id" = ? and exists (select
"attempts"."attempt_id" from "attempts" where "attempts"."attempt_id" = ? and
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
order by "since" limit ?) as "oldest" where (? is null or receiver in (select item.value from
json_each(?) as item)) limit ?) as "longest" group by "receiver", "client"`,
  },
  selectBeyond: {
    name: 'selectBeyond',
    parameters: ['receiver', 'limit'],
    sql: `select "next_at" from "webhook_deliveries" where "receiver" = ? and "next_at" is not null order
by "next_at" limit 1 offset ?`,
  },
  selectGivenUp: {
    name: 'selectGivenUp',
    parameters: ['client', 'client', 'limit'],
    sql: `select "delivery_id", "client", "receiver", "event", "attempt_id", "user_id", "reason", "at",
"since", "tries", "next_at", "ended_at", "outcome", "answer" from "webhook_deliveries" where
"outcome" = 'given_up' and (? is null or client = ?) order by "ended_at" desc limit ?`,
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
"attempt_id" = ?`,
  },
  selectOldestTried: {
    name: 'selectOldestTried',
    parameters: ['receiver'],
    sql: `select "delivery_id", "client", "receiver", "event", "attempt_id", "user_id", "reason", "at",
"since", "tries", "next_at", "ended_at", "outcome", "answer" from "webhook_deliveries" where
"receiver" = ? and "next_at" is not null and "answer" is not null order by "since" limit 1`,
  },
  selectGivenUpOne: {
    name: 'selectGivenUpOne',
    parameters: ['delivery_id'],
    sql: `select "delivery_id", "client", "receiver", "event", "attempt_id", "user_id", "reason", "at",
"since", "tries", "next_at", "ended_at", "outcome", "answer" from "webhook_deliveries" where
"delivery_id" = ? and "outcome" = 'given_up'`,
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
    sql: `update "attempts" set "provider_expires_at" = ? where ("rejected_at" is null and "failed_at" is
null and "redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?) and case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end <= ?`,
  },
  endOverdueTokens: {
    name: 'endOverdueTokens',
    parameters: ['at', 'at', 'until'],
    sql: `update "api_tokens" set "expires_at" = ? where "expires_at" > ? and "expires_at" <= ?`,
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
"person_digest", "detail", "count", "previous", "actor", "reason", "hash") values (?, ?, ?, ?,
?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  },
  selectAudit: {
    name: 'selectAudit',
    parameters: ['after', 'limit'],
    sql: `select "sequence", "at", "action", "attempt_id", "user_id", "client", "person_digest", "detail",
"count", "previous", "actor", "reason", "hash" from "audit_log" where "sequence" > ? order by
"sequence" limit ?`,
  },
  selectAuditOfAttempt: {
    name: 'selectAuditOfAttempt',
    parameters: ['after', 'attempt_id', 'limit'],
    sql: `select "sequence", "at", "action", "attempt_id", "user_id", "client", "person_digest", "detail",
"count", "previous", "actor", "reason", "hash" from "audit_log" where "sequence" > ? and
"attempt_id" = ? order by "sequence" limit ?`,
  },
  selectLastAudit: {
    name: 'selectLastAudit',
    parameters: ['action'],
    sql: `select "sequence", "at", "action", "attempt_id", "user_id", "client", "person_digest", "detail",
"count", "previous", "actor", "reason", "hash" from "audit_log" where "action" = ? order by
"sequence" desc limit 1`,
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
    sql: `with "proved" as (select ? as "since", ? as "after"), "facts" as materialized (select
"sequence", "at", "action", "user_id", "client", "detail" from "audit_log" where "action" in
('tokens.revoked_all', 'store.restored', 'user.disabled', 'user.enabled') and audit_log.sequence
> (select proved.after from proved)), "revocations" as materialized ( select action, at,
user_id, client, min(sequence) as sequence, case when action = 'store.restored' or max(detail)
is not null then 1 else 0 end as is_whole from facts where action in ('tokens.revoked_all',
'store.restored') group by action, at, user_id, client), "latest" as materialized ( select
action, user_id, client, max(sequence) as sequence, max(at) as at from revocations where
is_whole = 1 group by action, user_id, client), "switches" as materialized ( select action, at,
user_id, sequence from facts where action in ('user.disabled', 'user.enabled')), "valid" as
materialized ( select token_id, client, expires_at, coalesce(( select max(audit_log.sequence)
from audit_log where audit_log.attempt_id = api_tokens.attempt_id and action = 'token.issued' ),
0) as issued from api_tokens where revoked_at is null and exists (select 1 from latest where
user_id is null)) select * from ( select 'unlogged' as fault, 'token' as kind, token_id as id,
'token.issued' as action from api_tokens where "created_at" >= (select since from proved) and
not exists (select 1 from audit_log where audit_log.attempt_id = "api_tokens"."attempt_id" and
action = 'token.issued' and audit_log.sequence > (select proved.after from proved) ) union all
select 'unlogged', 'token', token_id, 'token.revoked' from api_tokens where "revoked_at" >=
(select since from proved) and not exists (select 1 from audit_log where audit_log.attempt_id =
"api_tokens"."attempt_id" and action = 'token.revoked' and audit_log.sequence > (select
proved.after from proved) ) and not exists (select 1 from revocations as one where one.at =
"api_tokens"."revoked_at" and (one.user_id is null or one.user_id = "api_tokens"."user_id") and
(one.client is null or one.client = "api_tokens"."client")) union all select 'unlogged',
'attempt', attempt_id, 'attempt.authenticated' from attempts where "authenticated_at" >= (select
since from proved) and not exists (select 1 from audit_log where audit_log.attempt_id =
"attempts"."attempt_id" and action = 'attempt.authenticated' and audit_log.sequence > (select
proved.after from proved) ) union all select 'unlogged', 'attempt', attempt_id, 'token.issued'
from attempts where "redeemed_at" >= (select since from proved) and not exists (select 1 from
audit_log where audit_log.attempt_id = "attempts"."attempt_id" and action = 'token.issued' and
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
    sql: `select min( (select sequence - 1 from audit_head where id = 1), (select sequence + ? from
audit_anchor where id = 1), coalesce( (select sequence - 1 from audit_log where at >= ? order by
sequence limit 1), (select sequence - 1 from audit_head where id = 1))) as "sequence"`,
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
    sql: `update "audit_anchor" set "sequence" = ?, "hash" = ?, "at" = ?, "proof" = ? where "id" = 1 and
"sequence" < ? and exists (select "audit_log"."sequence" from "audit_log" where
"audit_log"."sequence" = ? and "audit_log"."hash" = ?) returning "sequence"`,
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
"answer", "reference", "refusal", "duration_ms") select ? as "attempt_id", ? as "at", ? as
"operation", ? as "query", ? as "body", ? as "status", ? as "answer", ? as "reference", ? as
"refusal", ? as "duration_ms" from "attempts" where "attempt_id" = ? returning "call_id"`,
  },
  deleteOldCalls: {
    name: 'deleteOldCalls',
    parameters: ['attempt_id', 'attempt_id'],
    sql: `delete from "provider_calls" where "attempt_id" = ? and "call_id" <= (select "call_id" from
"provider_calls" where "attempt_id" = ? order by "call_id" desc limit 1 offset 200)`,
  },
  selectCalls: {
    name: 'selectCalls',
    parameters: ['attempt_id'],
    sql: `select "call_id", "attempt_id", "at", "operation", "query", "body", "status", "answer",
"reference", "refusal", "duration_ms" from "provider_calls" where "attempt_id" = ? order by
"call_id"`,
  },
  countLost: {
    name: 'countLost',
    parameters: ['known_keys'],
    sql: `select count(*) as "lost" from "users" where ("vault_key" is not null and vault_key not in
(select item.value from json_each(?) as item))`,
  },
  deleteTokensOfLost: {
    name: 'deleteTokensOfLost',
    parameters: ['known_keys'],
    sql: `delete from "api_tokens" where "user_id" in (select "id" from "users" where ("vault_key" is not
null and vault_key not in (select item.value from json_each(?) as item)))`,
  },
  deleteAttempts: { name: 'deleteAttempts', parameters: [], sql: `delete from "attempts"` },
  deleteLost: {
    name: 'deleteLost',
    parameters: ['known_keys'],
    sql: `delete from "users" where ("vault_key" is not null and vault_key not in (select item.value from
json_each(?) as item))`,
  },
  deleteLostOpenid: {
    name: 'deleteLostOpenid',
    parameters: ['known_keys'],
    sql: `delete from "openid_records" where vault_key not in (select item.value from json_each(?) as
item)`,
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
"disabled_at", "sign_ins_ended_at") select ? as "id", ? as "identity_digest", ? as "vault_key",
? as "issuer", ? as "document_type", ? as "document_number", ? as "national_id", ? as
"arabic_name", ? as "english_name", ? as "email", ? as "nationality", ? as "gender", ? as
"assurance_level", ? as "preferred_locale", ? as "last_auth_method", ? as "created_at", ? as
"updated_at", ? as "disabled_at", ? as "sign_ins_ended_at"`,
  },
  selectUserIds: {
    name: 'selectUserIds',
    parameters: ['after', 'limit'],
    sql: `select "id" from "users" where "id" > ? order by "id" limit ?`,
  },
  selectLastUserId: {
    name: 'selectLastUserId',
    parameters: [],
    sql: `select "seq" from "sqlite_sequence" where "name" = 'users'`,
  },
  raiseLastUserId: {
    name: 'raiseLastUserId',
    parameters: ['last'],
    sql: `update "sqlite_sequence" set "seq" = max(seq, ?) where "name" = 'users'`,
  },
  selectNthAttempt: {
    name: 'selectNthAttempt',
    parameters: ['offset'],
    sql: `select case when "provider_expires_at" < "expires_at" then "provider_expires_at" else
"expires_at" end as "moment" from "attempts" order by case when "provider_expires_at" <
"expires_at" then "provider_expires_at" else "expires_at" end desc limit 1 offset ?`,
  },
  selectNthCall: {
    name: 'selectNthCall',
    parameters: ['offset'],
    sql: `select "at" as "moment" from "provider_calls" order by "at" desc limit 1 offset ?`,
  },
  deleteCallsBefore: {
    name: 'deleteCallsBefore',
    parameters: ['before', 'limit'],
    sql: `delete from "provider_calls" where "call_id" in (select "call_id" from "provider_calls" where
"at" < ? order by "at" limit ?)`,
  },
  selectUsersAfter: {
    name: 'selectUsersAfter',
    parameters: ['after', 'limit'],
    sql: `select "id", "identity_digest", "vault_key", "issuer", "document_type", "document_number",
"national_id", "arabic_name", "english_name", "email", "nationality", "gender",
"assurance_level", "preferred_locale", "last_auth_method", "created_at", "updated_at",
"disabled_at", "sign_ins_ended_at" from "users" where "id" > ? order by "id" limit ?`,
  },
  selectTokensOfUser: {
    name: 'selectTokensOfUser',
    parameters: ['id'],
    sql: `select "token_id", "token_digest", "attempt_id", "user_id", "client", "device_name",
"created_at", "expires_at", "revoked_at" from "api_tokens" where "user_id" = ? order by
"token_id"`,
  },
  selectAttemptsOfUser: {
    name: 'selectAttemptsOfUser',
    parameters: ['id'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "user_id" = ?`,
  },
  selectOpenidOfUser: {
    name: 'selectOpenidOfUser',
    parameters: ['id'],
    sql: `select "record_digest", "model", "body", "vault_key", "grant_digest", "subject", "client",
"attempt_id", "expires_at", "consumed_at", "due_at" from "openid_records" where "subject" =
(select "users"."subject" as "subject" from "users" where "users"."id" = ?) order by
"record_digest"`,
  },
  selectAttemptsNaming: {
    name: 'selectAttemptsNaming',
    parameters: ['attempt_id', 'limit'],
    sql: `select "attempt_id", "flow", "client", "token_digest", "locale", "national_id", "binding_code",
"return_address", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses", "scenario" from "attempts" where "national_id" is not
null and "attempt_id" > ? order by "attempt_id" limit ?`,
  },
  selectPushesOfPerson: {
    name: 'selectPushesOfPerson',
    parameters: ['person_digest'],
    sql: `select "push_id", "attempt_id", "client", "admitted_at", "counts_until" from "pushes" where
"person_digest" = ? order by "push_id"`,
  },
  selectErasable: {
    name: 'selectErasable',
    parameters: ['id', 'decided'],
    sql: `select "id" from "users" where "id" = ? and ("disabled_at" is null or ? = 1)`,
  },
  deleteAttemptsOfUser: {
    name: 'deleteAttemptsOfUser',
    parameters: ['id'],
    sql: `delete from "attempts" where "user_id" = ?`,
  },
  deleteOpenAttempt: {
    name: 'deleteOpenAttempt',
    parameters: ['attempt_id'],
    sql: `delete from "attempts" where "attempt_id" = ? and "user_id" is null`,
  },
  deleteTokensOfUser: {
    name: 'deleteTokensOfUser',
    parameters: ['id'],
    sql: `delete from "api_tokens" where "user_id" = ?`,
  },
  deleteUser: { name: 'deleteUser', parameters: ['id'], sql: `delete from "users" where "id" = ?` },
  keepOut: {
    name: 'keepOut',
    parameters: ['at', 'id'],
    sql: `insert into "erased_people" ("identity_digest", "vault_key", "erased_at") select
"identity_digest", "vault_key", ? as "erased_at" from "users" where "id" = ? on conflict
("identity_digest") do nothing`,
  },
  adoptKeptOut: {
    name: 'adoptKeptOut',
    parameters: ['identity_digest', 'vault_key', 'retired_digest', 'identity_digest'],
    sql: `update "erased_people" set "identity_digest" = ?, "vault_key" = ? where "identity_digest" = ?
and not exists (select "known"."identity_digest" from "erased_people" as "known" where
"known"."identity_digest" = ?)`,
  },
  insertKeptOut: {
    name: 'insertKeptOut',
    parameters: ['identity_digest', 'vault_key', 'erased_at'],
    sql: `insert into "erased_people" ("identity_digest", "vault_key", "erased_at") select ? as
"identity_digest", ? as "vault_key", ? as "erased_at" where true on conflict ("identity_digest")
do nothing`,
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
    sql: `delete from "erased_people" where "identity_digest" = ?`,
  },
  countKeptOutUnder: {
    name: 'countKeptOutUnder',
    parameters: ['vault_key'],
    sql: `select count(*) as "count" from "erased_people" where "vault_key" = ?`,
  },
};
