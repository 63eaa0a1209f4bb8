import type { AuditEvent, EventAction } from './audit.ts';
import type { Counted } from '../operate/metrics/meter.port.ts';
import type { Store } from '../store/ports/store.port.ts';
import type { Services } from '../attempt/services.flow.ts';

interface Log extends Pick<Services, 'logRefusedToken' | 'repeated'> {
  readonly store: Pick<Store, 'recordEvent'>;
}

export type ReportServices = Log & Pick<Services, 'meter'>;

const COUNTED_AS: Partial<Record<EventAction, Counted>> = {
  'push.suppressed': 'push_suppressed_total',
  'provider.mismatch': 'push_mismatch_total',
  'browser.mismatch': 'browser_mismatch_total',
};

/**
 * Writes to the audit log an event for an operator that no write of the store records. The first
 * event of its kind is written at once; repetitions within the minute are only counted. Changes of
 * the store are not reported here: the store writes their rows itself.
 */
export async function report(services: ReportServices, event: AuditEvent): Promise<void> {
  count(services, event.action);
  const { store, repeated } = services;
  if (repeated.isDue(event.at)) await writeRepeated(services);
  if (!repeated.isFirst(event)) return;
  await store.recordEvent(event).catch((error: unknown) => {
    repeated.add(event, 1);
    throw error;
  });
  logRefused(services, event);
}

/**
 * Counts the repetition of an event that a write of the store has already recorded. A row with the
 * count is written at the end of the minute. Never waits and never fails.
 */
export function countRepeat(services: ReportServices, event: AuditEvent): void {
  count(services, event.action);
  services.repeated.add(event, 1);
}

/** Writes a row for each kind of event that was repeated since the last call. */
export async function writeRepeated(services: Log): Promise<void> {
  const { store, repeated } = services;
  const writing = repeated.take().map(async (row) => {
    await store.recordEvent(row).catch((error: unknown) => {
      // Counted again, so that the next call tries to write it.
      repeated.add(row, row.count);
      throw error;
    });
    logRefused(services, row);
  });
  await Promise.all(writing);
}

/** Only of these an operator has to read without being asked to. */
function logRefused(services: Log, event: AuditEvent): void {
  const { action } = event;
  if (action === 'provider.token_refused' || action === 'provider.token_unverified') {
    services.logRefusedToken({ ...event, action });
  }
}

function count({ meter }: ReportServices, action: EventAction): void {
  const counted = COUNTED_AS[action];
  if (counted !== undefined) meter.count(counted);
}
