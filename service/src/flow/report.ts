import type { AuditEvent, EventAction } from '../domain/audit.ts';
import type { Counted } from '../ports/runtime.ts';
import type { Tools } from './tools.ts';

const COUNTED_AS: Partial<Record<EventAction, Counted>> = {
  'push.suppressed': 'push_suppressed_total',
  'provider.mismatch': 'push_mismatch_total',
  'browser.mismatch': 'browser_mismatch_total',
};

/** What an operator should know of, and no write of the store says: into the audit log. */
export async function report({ store, meter }: Tools, event: AuditEvent): Promise<void> {
  const counted = COUNTED_AS[event.action];
  if (counted !== undefined) meter.count(counted);
  await store.recordEvent(event);
}
