import type { Ms } from './ports.ts';

const SECOND_MS: Ms = 1000;

/** A service for which a relying party is registered to send pushes. */
export interface Service {
  /** How long the person can answer a push of this service. */
  readonly answerMs: Ms;
  /** Whether its push tokens contain no name: only a number and a nationality. */
  readonly thin: boolean;
}

export type Services = ReadonlyMap<string, Service>;

/** A push for `Login` is answered soon or never; for other services people may take longer. */
export function usualService(name: string): Service {
  return { answerMs: (name === 'Login' ? 60 : 180) * SECOND_MS, thin: false };
}

/**
 * The service names in use. It is not known which have thin tokens: the list below is our choice.
 */
const NAMES_IN_USE = [
  'Login',
  'OpenAccount',
  'OpenAccountWithoutBio',
  'ResetPassword',
  'DigitalServiceEnrollmentWithoutBio',
  'RequestDigitalServicesEnrollment',
  'MoneyTransfer',
  'RecipientApprovalWithoutBio',
] as const;

const THIN: ReadonlySet<string> = new Set([
  'ResetPassword',
  'MoneyTransfer',
  'RecipientApprovalWithoutBio',
]);

export const SERVICES_IN_USE: Services = new Map(
  NAMES_IN_USE.map((name) => [name, { ...usualService(name), thin: THIN.has(name) }]),
);

const ENTRY = /^(?<name>[A-Za-z][\w.-]{0,63})(?<thin>:thin)?(?::(?<seconds>[1-9]\d{0,2}))?$/;

/**
 * Reads one service: its name, then optionally `:thin` and the seconds to answer, for example
 * `ResetPassword:thin:90`. Null for text that is not of this form.
 */
export function parseService(text: string): readonly [string, Service] | null {
  const { name, thin, seconds } = ENTRY.exec(text)?.groups ?? {};
  if (name === undefined) return null;
  const usual = usualService(name);
  const answerMs = seconds === undefined ? usual.answerMs : Number(seconds) * SECOND_MS;
  return [name, { answerMs, thin: thin !== undefined }];
}
