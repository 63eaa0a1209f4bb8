// The service with a store that does not come to the end of its close.

import { runService } from '../../../src/main.ts';
import { openServiceStore } from '../../../src/program/open-store.ts';
import type { Store } from '../../../src/store/ports/store.port.ts';

/** A write that a disk does not answer keeps the process running in the same way. */
function hang(): Promise<never> {
  setInterval(() => undefined, 1000);
  return new Promise(() => undefined);
}

function withoutClose(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === 'close') return hang;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}

await runService({
  partsOf: () => ({
    openStore: async (needs) => withoutClose((await openServiceStore(needs)).store),
  }),
});
