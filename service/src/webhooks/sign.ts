import { Webhook } from 'standardwebhooks';
import type { Secret } from '../values/secret.ts';
import { SECOND_MS, type Ms } from '../values/time.ts';

/** The headers of Standard Webhooks, with a signature by each secret. */
export function signedHeaders(
  id: string,
  body: string,
  secrets: readonly Secret[],
  at: Ms,
): [string, string][] {
  const moment = new Date(at);
  const signatures = secrets.map((secret) => new Webhook(secret.reveal()).sign(id, moment, body));
  return [
    ['webhook-id', id],
    ['webhook-timestamp', String(Math.floor(at / SECOND_MS))],
    ['webhook-signature', signatures.join(' ')],
  ];
}
