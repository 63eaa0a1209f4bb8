/**
 * Names, forms and limits that callers of the attempt API can see. The service's domain uses them
 * too. This file has only constants and no imports, so that importing it costs nothing. A pattern
 * is the source of a regular expression that must match the whole text.
 */

/** The languages of pages and messages. */
export const LOCALES = ['ar', 'en'] as const;

/** `oidc`: by browser redirect. `mfa`: by a push to the person's phone. */
export const FLOWS = ['oidc', 'mfa'] as const;

/**
 * Language tags (BCP 47) in Arabic or English: `ar`, `ar-SA`, `en-GB`. The language decides; script,
 * region, variants and extensions are passed over. `_` counts as `-`, as in names of ICU and POSIX.
 */
export const LOCALE_PATTERN = '^([aA][rR]|[eE][nN])([-_][A-Za-z0-9]{1,8})*$';

/** Visible ASCII characters; 22 of base64url hold 128 random bits. */
export const IDEMPOTENCY_KEY_PATTERN = '^[\\x21-\\x7e]{22,255}$';

/** `X`: the provider does not say. */
export const GENDERS = ['M', 'F', 'X'] as const;

/** What a service is, as each answer says in `X-Auth-Mode`. */
export const MODES = ['simulator', 'live', 'rehearsal'] as const;

/** The name of a scope of simulator mode. */
export const SCOPE_PATTERN = '^[a-z0-9-]{1,64}$';

/** Characters. 48 random bytes are exactly 64 characters of base64url. */
export const ATTEMPT_TOKEN_LENGTH = 64;

/** Characters. */
export const DEVICE_NAME_MAX_LENGTH = 255;

/** Devices on one page of `GET /tokens`. */
export const MOST_DEVICES = 100;

/** Seconds from the start of an attempt to its end. */
export const ATTEMPT_LIFETIME_SECONDS = 5 * 60;

/** Seconds from the browser's return to the end of its completion code. */
export const COMPLETION_CODE_LIFETIME_SECONDS = 120;

/** Seconds in which a redemption can be repeated with the same `Idempotency-Key`. */
export const REPLAY_WINDOW_SECONDS = 60;

/** Seconds for which one request for a status waits at the longest. */
export const LONGEST_WAIT_SECONDS = 25;

/** Seconds to wait before asking again whether a person has decided. */
export const POLL_SECONDS = 2;

/** The largest request body that is accepted: its bytes, nesting depth and number of keys. */
export const BODY_LIMITS = { bytes: 16 * 1024, depth: 8, keys: 32 } as const;
