import { CLOCK, CLOCK_BESIDE } from './clock.ts';
import { DAMAGE } from './damage.ts';
import { DISKS } from './disks.ts';
import { FAILOVERS } from './failovers.ts';
import type { FaultRun } from './fault-run.ts';
import { CALLS_OF_DISK } from './io-faults.ts';
import { KILLS } from './kills.ts';
import { BACKENDS, FROZEN, NETWORK, STANDBY, STOPPED } from './outages.ts';
import { LIVE_KILLS } from './live-kills.ts';
import { LOST_ANSWERS } from './lost-answers.ts';
import { OVERLOAD } from './overload.ts';
import { POSTGRES_KILLS } from './postgres-kills.ts';
import { POWER_CUTS } from './power-cuts.ts';
import { RACERS } from './racers.ts';
import { REQUESTS } from './requests.ts';
import { REVOCATION } from './revocation.ts';
import { ROLL_OUTS } from './roll-outs.ts';
import { SLOW } from './slow.ts';
import { UNREAD } from './unread.ts';
import { WEBHOOKS, WEBHOOKS_POSTGRES, WEBHOOKS_STARTS } from './webhooks.ts';

/** Every fault of `npm run faults`, in the order in which they run and stand on the page. */
export const FAULT_RUNS: readonly FaultRun[] = [
  CLOCK,
  CLOCK_BESIDE,
  DISKS,
  KILLS,
  LIVE_KILLS,
  LOST_ANSWERS,
  POWER_CUTS,
  CALLS_OF_DISK,
  DAMAGE,
  POSTGRES_KILLS,
  FAILOVERS,
  STANDBY,
  BACKENDS,
  STOPPED,
  FROZEN,
  NETWORK,
  ROLL_OUTS,
  RACERS,
  REVOCATION,
  WEBHOOKS,
  WEBHOOKS_POSTGRES,
  WEBHOOKS_STARTS,
  REQUESTS,
  UNREAD,
  SLOW,
  OVERLOAD,
];
