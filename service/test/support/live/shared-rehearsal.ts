import type { Environment } from '../../../../scripts/rehearsal.ts';
import type { Parts } from '../../../src/program/program.ts';
import { share } from '../at-end.ts';
import { openListening, type ListeningService } from '../service/listening-service.ts';
import { openListeningSimulator, type ListeningSimulator } from './opened-simulator.ts';
import { planRehearsal, type Rehearsed, type RehearsalOptions } from './rehearsal.ts';

/** A rehearsal in the process of the test. */
export interface OpenedRehearsal extends Rehearsed {
  readonly service: ListeningService;
  readonly simulator: ListeningSimulator;
  /** Opens the service again on the same data, optionally with other settings. */
  openAgain(settings?: Environment): Promise<ListeningService>;
}

/** The service in live mode and the simulator, both in this process. The parts are the service's. */
export async function openRehearsal(
  options: RehearsalOptions = {},
  parts: Partial<Parts> = {},
): Promise<OpenedRehearsal> {
  const { settings, ofSimulator, end, ...planned } = await planRehearsal(options);
  const port = planned.plan.servicePort;
  const simulator = await openListeningSimulator(ofSimulator);
  const stops: (() => void | Promise<void>)[] = [];
  const open = (own: Parameters<typeof openListening>[0]) =>
    openListening({ port, parts, ...own }, (stop) => void stops.push(stop));
  const service = await open({ settings });
  return {
    ...planned,
    service,
    simulator,
    openAgain: async (changes = {}) =>
      open({ settings: { ...settings, ...changes }, dataDir: service.dataDir }),
    async [Symbol.asyncDispose]() {
      for (const stop of stops) await stop();
      await simulator.stop();
      end();
    },
  };
}

/** One for all the tests of a file. */
export function shareRehearsal(
  options: RehearsalOptions = {},
  parts: Partial<Parts> = {},
): () => OpenedRehearsal {
  return share(async (atEnd) => {
    const rehearsal = await openRehearsal(options, parts);
    atEnd(async () => rehearsal[Symbol.asyncDispose]());
    return rehearsal;
  });
}
