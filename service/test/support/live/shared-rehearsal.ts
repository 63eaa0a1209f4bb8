import type { Environment } from '../../../../scripts/rehearsal.ts';
import { share } from '../at-end.ts';
import { openListening, type ListeningService } from '../service/listening-service.ts';
import { wireSimulator, type Rehearsed, type RehearsalOptions } from './rehearsal.ts';

/** A rehearsal whose service is in the process of the test. */
export interface OpenedRehearsal extends Rehearsed {
  readonly service: ListeningService;
  /** Opens the service again on the same data, optionally with other settings. */
  openAgain(settings?: Environment): Promise<ListeningService>;
}

/** The service in live mode in this process, and the simulator in its own. */
export async function openRehearsal(options: RehearsalOptions = {}): Promise<OpenedRehearsal> {
  const { settings, end, ...wired } = await wireSimulator(options);
  const port = wired.plan.servicePort;
  const stops: (() => void | Promise<void>)[] = [];
  const open = (own: Parameters<typeof openListening>[0]) =>
    openListening({ port, ...own }, (stop) => void stops.push(stop));
  const service = await open({ settings });
  return {
    ...wired,
    service,
    openAgain: async (changes = {}) =>
      open({ settings: { ...settings, ...changes }, dataDir: service.dataDir }),
    async [Symbol.asyncDispose]() {
      for (const stop of stops) await stop();
      await end();
    },
  };
}

/** One for all the tests of a file. */
export function shareRehearsal(options: RehearsalOptions = {}): () => OpenedRehearsal {
  return share(async (atEnd) => {
    const rehearsal = await openRehearsal(options);
    atEnd(async () => rehearsal[Symbol.asyncDispose]());
    return rehearsal;
  });
}
