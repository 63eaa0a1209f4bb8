import { parseAttemptId } from '../../values/ids.ts';
import { attemptAt, type AttemptRecord } from '../attempt.ts';
import { browserDigest, BROWSER_SECRET_BYTES, makeBrowserSecret } from './browser-secret.ts';
import type { Client } from '../../account/client.ts';
import { Refusal } from '../../errors/refusal.ts';
import type { Locale } from '../../values/locale.ts';
import type { Secret } from '../../values/secret.ts';
import type { Ms } from '../../values/time.ts';
import type { ProviderSession } from '../../store/ports/store.port.ts';
import { report, type ReportServices } from '../../audit/report.flow.ts';
import { requireReturnTarget } from './return-target.flow.ts';
import type { LiveServices } from '../services.flow.ts';

type Needs = ReportServices &
  Pick<LiveServices, 'attemptLock' | 'clients' | 'openidReturn' | 'provider' | 'store'>;

export interface Launchable {
  readonly record: AttemptRecord;
  /** The application that the person signs in to. */
  readonly client: Client;
  readonly launchUrl: string;
  /** Whether a browser has already pressed the button. */
  readonly isLaunched: boolean;
}

/**
 * What the launch page shows. Opening the page changes nothing, because link scanners open it too.
 * @throws Refusal `attempt.not_found` for everything that can't be launched, whatever the reason
 */
export async function openLaunch(services: Needs, attemptId: string, now: Ms): Promise<Launchable> {
  const id = parseAttemptId(attemptId);
  const known = id === null ? null : await services.store.findTransaction(id);
  if (known?.transaction.kind !== 'redirect') throw notFound();
  const { attempt: record, transaction } = known;
  const { launchUrl } = transaction;
  const isPending = attemptAt(record, now).state === 'pending';
  if (!isPending || launchUrl === null) throw notFound();
  const { client } = requireReturnTarget(services, record);
  return { record, client, launchUrl, isLaunched: transaction.browserDigest !== null };
}

/** The secret that identifies a browser from the press of the button until its return. */
export function newBrowserSecret({ random }: Pick<LiveServices, 'random'>): Secret {
  return makeBrowserSecret(random.bytes(BROWSER_SECRET_BYTES));
}

/** A press of the launch page's button. */
export interface Press {
  readonly attemptId: string;
  /** The secret that identifies the browser, which gets it as a cookie. */
  readonly browser: string;
  /** The language of the page with the button; null when the form does not state it. */
  readonly locale: Locale | null;
  /** The browser's network address, which the provider is told. */
  readonly address: string | null;
  /**
   * Counts a press for an existing attempt. Unknown ids are not counted, because invented ids would
   * fill the rate limiter's table.
   * @throws Refusal `rate_limited`
   */
  readonly admit: () => Promise<void>;
}

export interface Launched {
  readonly launchUrl: string;
  readonly record: AttemptRecord;
}

/**
 * The person pressed the button: from now on only this browser can finish the sign-in.
 * @throws Refusal `attempt.not_found`, or `callback.browser_mismatch` for a second browser
 */
export async function launch(services: Needs, press: Press, now: Ms): Promise<Launched> {
  const launchable = await openLaunch(services, press.attemptId, now);
  await press.admit();
  if (!isOtherLanguage(launchable, press)) return bind(services, launchable, press, now);
  // The lock prevents two simultaneous presses from opening two sessions.
  const { attemptId } = launchable.record;
  return services.attemptLock.run(attemptId, () => launchInLanguage(services, press, now));
}

/**
 * The provider's session has the language of the attempt, and its address must be used unmodified.
 * Another language therefore needs another session. Only the first launch may open one: later the
 * browser may already be at the provider, with the state of the session it was given.
 */
function isOtherLanguage({ record, isLaunched }: Launchable, { locale }: Press): boolean {
  return !isLaunched && locale !== null && locale !== record.locale;
}

async function launchInLanguage(services: Needs, press: Press, now: Ms): Promise<Launched> {
  const launchable = await openLaunch(services, press.attemptId, now);
  if (!isOtherLanguage(launchable, press)) return bind(services, launchable, press, now);
  const { record } = launchable;
  const session = await openSession(services, record, press);
  if (session === null) return bind(services, launchable, press, now);
  const isReplaced = await services.store.replaceSession({
    attemptId: record.attemptId,
    at: now,
    session,
    browserDigest: browserDigest(press.browser),
  });
  if (!isReplaced) return bind(services, launchable, press, now);
  return { launchUrl: session.launchUrl, record };
}

/**
 * @returns null when the provider opens no session: the sign-in then continues in the attempt's
 * language
 */
async function openSession(
  { provider }: Needs,
  record: AttemptRecord,
  { locale, address }: Press,
): Promise<ProviderSession | null> {
  const inLanguage = { ...record, locale: locale ?? record.locale };
  try {
    const { transaction } = await provider.openRedirect(inLanguage, { address });
    const { launchUrl, stateDigest, nonce } = transaction;
    return { launchUrl, stateDigest, nonce };
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

async function bind(
  services: Needs,
  { record, launchUrl }: Launchable,
  { browser }: Press,
  now: Ms,
): Promise<Launched> {
  const bound = await services.store.bindBrowser(record.attemptId, browserDigest(browser), now);
  if (!bound) {
    const { attemptId: id, client } = record;
    await report(services, { at: now, action: 'browser.mismatch', attemptId: id, client });
    throw new Refusal('callback.browser_mismatch');
  }
  return { launchUrl, record };
}

function notFound(): Refusal {
  return new Refusal('attempt.not_found');
}
