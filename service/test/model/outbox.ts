import type { Outbox } from '../../src/store/ports/store.port.ts';

const NOT_MODELLED = () => Promise.reject(new Error('the model has no webhooks'));

/** The model tells nobody: what is told is compared with the changes in store-outbox.ts. */
export const NO_OUTBOX: Outbox = {
  tellTo: () => undefined,
  sweepExpired: NOT_MODELLED,
  pendingPushes: NOT_MODELLED,
  isDue: NOT_MODELLED,
  lease: NOT_MODELLED,
  delivered: NOT_MODELLED,
  failed: NOT_MODELLED,
  untried: NOT_MODELLED,
  switchOff: NOT_MODELLED,
  switchOn: NOT_MODELLED,
  clear: NOT_MODELLED,
  giveUp: NOT_MODELLED,
  isBeyond: NOT_MODELLED,
  replay: NOT_MODELLED,
  givenUpOne: NOT_MODELLED,
  givenUpCounts: NOT_MODELLED,
  waiting: NOT_MODELLED,
  oldestTried: NOT_MODELLED,
  givenUp: NOT_MODELLED,
  switchedOff: NOT_MODELLED,
  ofAttempt: NOT_MODELLED,
};
