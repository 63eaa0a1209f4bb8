import { share } from '../at-end.ts';
import { rehearse, type Rehearsal, type RehearsalOptions } from './rehearsal.ts';

/** One service and one simulator for all the tests of a file. */
export function shareRehearsal(options: RehearsalOptions = {}): () => Rehearsal {
  return share(async (atEnd) => {
    const rehearsal = await rehearse(options);
    atEnd(async () => rehearsal[Symbol.asyncDispose]());
    return rehearsal;
  });
}
