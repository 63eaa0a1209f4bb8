import { hash } from 'node:crypto';
import type { UserId } from '../account/user.ts';
import type { ErrorCode } from '../errors/catalogue.ts';
import type { AttemptId } from '../values/ids.ts';
import { FIRST_WAIT_MS } from '../values/pauses.ts';
import type { Secret } from '../values/secret.ts';
import { DAY_MS, HOUR_MS, isoTimestamp, type Ms } from '../values/time.ts';

/** What a back end is told of. Those of an attempt name the attempt, the others the user. */
export const WEBHOOK_EVENTS = [
  'attempt.authenticated',
  'attempt.rejected',
  'attempt.failed',
  'attempt.expired',
  'user.disabled',
  'tokens.revoked',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

/** The ends that a change of the attempt's row writes. An expiry is derived, and swept. */
export type WebhookEnd = Extract<
  WebhookEvent,
  `attempt.${'authenticated' | 'rejected' | 'failed'}`
>;

/** An address of a back end, by the entry of its client. */
export interface WebhookReceiver {
  readonly id: string;
  readonly url: string;
  /** Each signs: while they are changed, a receiver knows one of them. */
  readonly secrets: readonly Secret[];
  /** Digests of the secrets, by which a changed one is noticed. */
  readonly secretIds: readonly string[];
  readonly events: readonly WebhookEvent[];
}

/** Of one receiver: one in use, and one more while it is being changed. */
export const WEBHOOK_SECRETS = 2;
/** Of one client. Each change is written once for each. */
export const MOST_RECEIVERS = 4;

/** For one receiver: about 600 MB in the store, and a day of eleven changes a second. */
export const MOST_WAITING = 1_000_000;

/** How many in all, of numbers by receiver. */
export const sumOf = (counted: readonly { readonly count: number }[]): number =>
  counted.reduce((sum, { count }) => sum + count, 0);

export const RECEIVER_ID_LENGTH = 16;

/**
 * Names a receiver without its address, which may have a secret in its path. In letters alone: ten
 * digits in a row could be the identity number of a person, and would be masked in the simulator.
 */
export function receiverId(client: string, url: string): string {
  const id = hash('sha256', `webhook\0${client}\0${url}`, 'hex').slice(0, RECEIVER_ID_LENGTH);
  return id.replaceAll(/\d/gu, (digit) => 'ghijklmnop'.charAt(Number(digit)));
}

const LISTENER = 'listener:';

/** The address of whoever listens in this process to what a client is told. No file can have it. */
export const listenerAddress = (client: string): string => LISTENER + client;

/** The client of such an address; null for a receiver. */
export function listenerOf(url: string): string | null {
  return url.startsWith(LISTENER) ? url.slice(LISTENER.length) : null;
}

/** One event for one receiver, as it is stored. */
export interface Delivery {
  /** The same at each try, so that a receiver knows what it has had already. */
  readonly deliveryId: string;
  readonly client: string;
  readonly receiver: string;
  readonly event: WebhookEvent;
  readonly attemptId: AttemptId | null;
  /** The user of the attempt too, who is sent with no attempt. */
  readonly userId: UserId | null;
  /** Why the attempt was rejected or failed. */
  readonly reason: ErrorCode | null;
  /** When the change was made. */
  readonly at: Ms;
  /** When it was first due, or was sent again by an operator. */
  readonly since: Ms;
  /** How often it was tried. */
  readonly tries: number;
  /** Null when it is not tried any more. */
  readonly nextAt: Ms | null;
  readonly endedAt: Ms | null;
  /** The status of the last answer, or why there was none. */
  readonly answer: string | null;
}

/** What is needed to send it. */
export type DeliveryToSend = Omit<Delivery, 'client' | 'nextAt' | 'endedAt' | 'answer'>;

/** The body. It proves nothing and names nobody: a receiver asks for the rest. */
export function webhookBody(delivery: DeliveryToSend): string {
  const { event, at, attemptId, userId, reason } = delivery;
  const status = event.slice(event.indexOf('.') + 1);
  const why = reason === null ? {} : { reason };
  const data = attemptId === null ? { user_id: userId } : { attempt_id: attemptId, status, ...why };
  return JSON.stringify({ type: event, timestamp: isoTimestamp(at), data });
}

/** After this a delivery is given up. */
export const DELIVERING_MS = DAY_MS;
/** Of what a receiver refuses, while it takes others. */
export const LONGEST_WAIT_MS = 2 * HOUR_MS;
const GROWTH = 3;

/**
 * The wait after so many failed tries: some 5 s, 15 s, 45 s and so on up to 2 h, between a half and the
 * whole of it, so that what failed together is not tried together.
 * @param chance from 0 to 1
 */
export function waitAfter(tries: number, chance: number): Ms {
  const whole = Math.min(FIRST_WAIT_MS * GROWTH ** Math.max(0, tries - 1), LONGEST_WAIT_MS);
  return Math.round((whole * (1 + chance)) / 2);
}

/** When it is tried again, after `longestMs` at most; null when it is given up. */
export function nextTry(
  { since, tries }: Pick<Delivery, 'since' | 'tries'>,
  { now, chance, longestMs }: { readonly now: Ms; readonly chance: number; readonly longestMs: Ms },
): Ms | null {
  const last = since + DELIVERING_MS;
  return now >= last ? null : Math.min(now + Math.min(waitAfter(tries, chance), longestMs), last);
}

/** What a stored answer means to an operator; those that are not here say it themselves. */
const MEANINGS: readonly (readonly [answer: RegExp, meaning: string])[] = [
  [/^not_https$/, 'its address is no https, which only the simulator does without'],
  [/^address_refused$/, 'a private address, which OUTBOUND_ALLOW does not have'],
  [/^no_address/, 'DNS has no address of it, and /etc/hosts is not read'],
  [/CERT_ALTNAME_INVALID/, 'its certificate is for another name'],
  [/CERT_HAS_EXPIRED/, 'its certificate has ended'],
  [
    /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/,
    'its authority is not trusted here: NODE_EXTRA_CA_CERTS has those of your own',
  ],
  [/ECONNREFUSED/, 'nothing listens there'],
  [/^timeout$/, 'no answer within three seconds'],
];

/** Of the last try of what waits longest. */
export function triedWords({ answer, tries }: Pick<Delivery, 'answer' | 'tries'>): string {
  const times = `after ${tries} ${tries === 1 ? 'try' : 'tries'}`;
  if (answer === null || /^\d+$/.test(answer)) return `answered ${answer} ${times}`;
  const [, meaning] = MEANINGS.find(([form]) => form.test(answer)) ?? [];
  return `no answer ${times}: ${answer}${meaning === undefined ? '' : `, ${meaning}`}`;
}
