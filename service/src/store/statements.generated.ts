// Compiled from queries/ by service/test/store/statements.test.ts: change the queries, not this.
import type { Statements } from './queries/index.ts';

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
    ],
    sql: `insert into "attempts" ("attempt_id", "flow", "client", "token_digest", "locale", "national_id",
"binding_code", "created_at", "expires_at", "provider_expires_at", "authenticated_at",
"rejected_at", "failed_at", "redeemed_at", "user_id", "end_reason", "completion_digest",
"completion_expires_at", "completion_misses", "replay_salt", "replay_key_digest",
"replay_body_digest", "replay_misses") values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
?, ?, ?, ?, ?, ?, ?)`,
  },
  selectAttempt: {
    name: 'selectAttempt',
    parameters: ['attempt_id'],
    sql: `select * from "attempts" where "attempt_id" = ?`,
  },
  selectProvenAttempt: {
    name: 'selectProvenAttempt',
    parameters: ['attempt_id', 'token_digest'],
    sql: `select * from "attempts" where "attempt_id" = ? and "token_digest" = ?`,
  },
  authenticateAttempt: {
    name: 'authenticateAttempt',
    parameters: [
      'at',
      'issuer',
      'document_type',
      'document_number',
      'completion_digest',
      'completion_expires_at',
      'attempt_id',
      'flow',
      'at',
    ],
    sql: `update "attempts" set "authenticated_at" = ?, "user_id" = (select "users"."id" from "users"
where "users"."issuer" = ? and "users"."document_type" = ? and "users"."document_number" = ?),
"completion_digest" = ?, "completion_expires_at" = ? where "attempt_id" = ? and "flow" = ? and
(("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end > ?) and
"authenticated_at" is null) returning *`,
  },
  rejectAttempt: {
    name: 'rejectAttempt',
    parameters: ['at', 'reason', 'attempt_id', 'at'],
    sql: `update "attempts" set "rejected_at" = ?, "end_reason" = ? where "attempt_id" = ? and
(("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end > ?) and
"authenticated_at" is null) returning *`,
  },
  failAttempt: {
    name: 'failAttempt',
    parameters: ['at', 'reason', 'attempt_id', 'at'],
    sql: `update "attempts" set "failed_at" = ?, "end_reason" = ? where "attempt_id" = ? and
("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and case when
"provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end > ?)
returning *`,
  },
  missCompletion: {
    name: 'missCompletion',
    parameters: ['at', 'attempt_id', 'at'],
    sql: `update "attempts" set "completion_misses" = completion_misses + 1, "failed_at" = case when
completion_misses + 1 >= 5 then ? end, "end_reason" = case when completion_misses + 1 >= 5 then
'attempt.failed' end where "attempt_id" = ? and (("rejected_at" is null and "failed_at" is null
and "redeemed_at" is null and case when "provider_expires_at" < "expires_at" then
"provider_expires_at" else "expires_at" end > ?) and "authenticated_at" is not null) returning *`,
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
  upsertUser: {
    name: 'upsertUser',
    parameters: [
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
      'attempt_id',
      'flow',
      'at',
    ],
    sql: `insert into "users" ("issuer", "document_type", "document_number", "national_id", "arabic_name",
"english_name", "email", "nationality", "gender", "assurance_level", "preferred_locale",
"last_auth_method", "updated_at", "created_at") select ? as "issuer", ? as "document_type", ? as
"document_number", ? as "national_id", ? as "arabic_name", ? as "english_name", ? as "email", ?
as "nationality", ? as "gender", ? as "assurance_level", ? as "preferred_locale", ? as
"last_auth_method", ? as "updated_at", ? as "created_at" from "attempts" where "attempt_id" = ?
and "flow" = ? and (("rejected_at" is null and "failed_at" is null and "redeemed_at" is null and
case when "provider_expires_at" < "expires_at" then "provider_expires_at" else "expires_at" end
> ?) and "authenticated_at" is null) on conflict ("issuer", "document_type", "document_number")
do update set "national_id" = "excluded"."national_id", "arabic_name" =
"excluded"."arabic_name", "english_name" = "excluded"."english_name", "email" =
"excluded"."email", "nationality" = "excluded"."nationality", "gender" = "excluded"."gender",
"assurance_level" = "excluded"."assurance_level", "preferred_locale" =
"excluded"."preferred_locale", "last_auth_method" = "excluded"."last_auth_method", "updated_at"
= "excluded"."updated_at" returning *`,
  },
  selectUser: {
    name: 'selectUser',
    parameters: ['id'],
    sql: `select * from "users" where "id" = ?`,
  },
  selectUserOfAttempt: {
    name: 'selectUserOfAttempt',
    parameters: ['attempt_id'],
    sql: `select "users".* from "users" inner join "attempts" on "attempts"."user_id" = "users"."id" where
"attempts"."attempt_id" = ?`,
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
null) and (? is null or ("completion_digest" = ? and "completion_expires_at" > ?)) returning *`,
  },
  selectToken: {
    name: 'selectToken',
    parameters: ['token_digest'],
    sql: `select * from "api_tokens" where "token_digest" = ?`,
  },
  selectTokenOfAttempt: {
    name: 'selectTokenOfAttempt',
    parameters: ['attempt_id'],
    sql: `select * from "api_tokens" where "attempt_id" = ?`,
  },
  selectActiveTokens: {
    name: 'selectActiveTokens',
    parameters: ['user_id', 'at'],
    sql: `select * from "api_tokens" where "user_id" = ? and "revoked_at" is null and "expires_at" > ?
order by "created_at" desc, "token_id" desc`,
  },
  revokeToken: {
    name: 'revokeToken',
    parameters: ['at', 'token_id', 'user_id', 'at'],
    sql: `update "api_tokens" set "revoked_at" = ? where "token_id" = ? and "user_id" = ? and "revoked_at"
is null and "expires_at" > ?`,
  },
  deleteExpiredTokens: {
    name: 'deleteExpiredTokens',
    parameters: ['before', 'limit'],
    sql: `delete from "api_tokens" where "token_id" in (select "token_id" from "api_tokens" where
"expires_at" < ? order by "expires_at" limit ?)`,
  },
};
