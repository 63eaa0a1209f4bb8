import { parseAttemptId } from '../domain/attempt-id.ts';
import { attemptAt, type AttemptRecord } from '../domain/attempt.ts';
import {
  browserDigest,
  BROWSER_SECRET_BYTES,
  makeBrowserSecret,
} from '../domain/browser-secret.ts';
import type { Client } from '../domain/client.ts';
import { Refusal } from '../domain/errors/refusal.ts';
import type { Secret } from '../domain/secret.ts';
import type { Ms } from '../domain/time.ts';
import { report } from './report.ts';
import type { LiveTools } from './tools.ts';

export interface Launchable {
  readonly record: AttemptRecord;
  /** What the person signs in to. */
  readonly client: Client;
  readonly launchUrl: string;
}

/**
 * What the launch page shows. Looking has no effect: programs that scan links look too.
 * @throws Refusal `attempt.not_found` for everything that can't be launched, whatever the reason
 */
export async function openLaunch(
  tools: LiveTools,
  attemptId: string,
  now: Ms,
): Promise<Launchable> {
  const id = parseAttemptId(attemptId);
  const known = id === null ? null : await tools.store.findTransaction(id);
  if (known?.transaction.kind !== 'redirect') throw notFound();
  const { attempt: record, transaction } = known;
  const { launchUrl } = transaction;
  const client = tools.clients.find(record.client);
  const isPending = attemptAt(record, now).state === 'pending';
  if (!isPending || client === null || launchUrl === null) throw notFound();
  return { record, client, launchUrl };
}

/** What a browser is known by, from the press of the button until it has come back. */
export function newBrowserSecret({ random }: LiveTools): Secret {
  return makeBrowserSecret(random.bytes(BROWSER_SECRET_BYTES));
}

export interface Launched {
  readonly launchUrl: string;
  readonly record: AttemptRecord;
}

/**
 * The person pressed the button: from now on the sign-in belongs to this browser.
 * @param browser the secret by which the browser will be known, which it is given as a cookie
 * @throws Refusal `attempt.not_found`, or `callback.browser_mismatch` for a second browser
 */
export async function launch(
  tools: LiveTools,
  { attemptId, browser }: { attemptId: string; browser: string },
  now: Ms,
): Promise<Launched> {
  const { record, launchUrl } = await openLaunch(tools, attemptId, now);
  const bound = await tools.store.bindBrowser(record.attemptId, browserDigest(browser), now);
  if (!bound) {
    const { attemptId: id, client } = record;
    await report(tools, { at: now, action: 'browser.mismatch', attemptId: id, client });
    throw new Refusal('callback.browser_mismatch');
  }
  return { launchUrl, record };
}

function notFound(): Refusal {
  return new Refusal('attempt.not_found');
}
