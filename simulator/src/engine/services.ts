import type { Ms } from './ports.ts';

const SECOND_MS: Ms = 1000;

/** A name that a relying party is registered to ask people for. */
export interface Service {
  /** How long the person may answer a push for it. */
  readonly answerMs: Ms;
  /** Whether the token of its pushes names nobody: a number and a nationality, and no more. */
  readonly thin: boolean;
}

export type Services = ReadonlyMap<string, Service>;

/** `Login` is answered at once or never; a person may take longer over anything else. */
export function usualService(name: string): Service {
  return { answerMs: (name === 'Login' ? 60 : 180) * SECOND_MS, thin: false };
}

/** The names that are in use. Which of them get thin tokens is not known: these are our choice. */
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
 * Reads one service: its name, then `:thin` and the seconds that a person has, both optional, as in
 * `ResetPassword:thin:90`. Null when it is not of this form.
 */
export function parseService(text: string): readonly [string, Service] | null {
  const { name, thin, seconds } = ENTRY.exec(text)?.groups ?? {};
  if (name === undefined) return null;
  const usual = usualService(name);
  const answerMs = seconds === undefined ? usual.answerMs : Number(seconds) * SECOND_MS;
  return [name, { answerMs, thin: thin !== undefined }];
}
