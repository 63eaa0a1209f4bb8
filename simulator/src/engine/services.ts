import type { Ms } from './ports.ts';

const SECOND_MS: Ms = 1000;

/** A service for which a relying party is registered to send pushes. */
export interface Service {
  /** How long the person can answer a push of this service; null for as long as is usual. */
  readonly answerMs: Ms | null;
  /** Whether its push tokens contain no name: only a number and a nationality. */
  readonly thin: boolean;
}

/** By name, or by the beginning of names and a `*`. */
export type Services = ReadonlyMap<string, Service>;

export type KnownService = Service & { readonly answerMs: Ms };

/** A push for `Login` is answered soon or never; for other services people may take longer. */
export function usualService(name: string): KnownService {
  return { answerMs: (name === 'Login' ? 60 : 180) * SECOND_MS, thin: false };
}

/** The service names in use. Names are registered for each account: others are as good. */
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

export const SERVICES_IN_USE: Services = new Map(
  NAMES_IN_USE.map((name) => [name, usualService(name)]),
);

/** The service of this name: its own entry, or else that of the longest beginning. */
export function findService(services: Services, name: string): KnownService | null {
  let service = services.get(name);
  for (let length = name.length; service === undefined && length >= 0; length -= 1) {
    service = services.get(`${name.slice(0, length)}*`);
  }
  if (service === undefined) return null;
  return { ...service, answerMs: service.answerMs ?? usualService(name).answerMs };
}

const ENTRY =
  /^(?<name>\*|[A-Za-z][\w.-]{0,62}[\w.*-]?)(?<thin>:thin)?(?::(?<seconds>[1-9]\d{0,2}))?$/;

/**
 * Reads one service: its name, or the beginning of names and a `*`, then optionally `:thin` and the
 * seconds to answer, for example `ResetPassword:thin:90`. Null for text that is not of this form.
 */
export function parseService(text: string): readonly [string, Service] | null {
  const { name, thin, seconds } = ENTRY.exec(text)?.groups ?? {};
  if (name === undefined) return null;
  const usual = name.endsWith('*') ? null : usualService(name).answerMs;
  const answerMs = seconds === undefined ? usual : Number(seconds) * SECOND_MS;
  return [name, { answerMs, thin: thin !== undefined }];
}
