import {
  runWebhooks,
  type WebhookReport,
  type WebhookRun,
} from '../../support/faults/webhooks/run.ts';
import { slowerBeside, type Compared } from '../../support/faults/webhooks/starts.ts';
import { startPostgres } from '../../support/postgres/server.ts';
import type { FaultOutcome, FaultRun, FaultTask } from './fault-run.ts';

const MANNERS = 'fail, hang, redirect, flood, or answer just in time';
const PROMISE =
  'each committed end is told, or waits, or is given up; none is told before its commit, and none with two bodies';
const PLANTED = ['a failure of a receiver counts as delivered'];
const CHANGES_BETWEEN_KILLS = 5_000;
const MOST_KILLS = 30;
/** A million of them would take hours. */
const MOST_BY_REQUESTS = 50_000;
const MEASURED = { rounds: 6, count: 300, unmeasured: 50, perSecond: 25 };
/** A start and a cancel each, so that a machine with two cores has time to spare. */
const STARTS = { count: 180, unmeasured: 60, perSecond: 60 };
/** So that something waits for each receiver that does not work. */
const CHANGES_BEFORE = 2_000;

export const WEBHOOKS: FaultRun<'webhook-changes'> = {
  name: 'webhooks',
  fault: `\`kill -9\` of the instance, with a file, while most receivers of webhooks ${MANNERS}`,
  promise: PROMISE,
  options: { 'webhook-changes': 50_000 },
  planted: PLANTED,
  async run({ options, ...task }) {
    return outcomeOf(await runWebhooks(runOf(options['webhook-changes'], task, null)));
  },
};

export const WEBHOOKS_POSTGRES: FaultRun<'webhook-postgres-changes'> = {
  name: 'webhooks-postgres',
  fault: `the same of one of two instances on PostgreSQL`,
  promise: PROMISE,
  options: { 'webhook-postgres-changes': 50_000 },
  planted: PLANTED,
  async run({ options, ...task }) {
    const server = await startPostgres({ isDurable: true });
    try {
      const run = runOf(options['webhook-postgres-changes'], task, server.url);
      return outcomeOf(await runWebhooks(run));
    } finally {
      await server.close();
    }
  },
};

export const WEBHOOKS_STARTS: FaultRun<'webhook-rounds'> = {
  name: 'webhooks-starts',
  fault: `most receivers of webhooks ${MANNERS}, and in turn the service has none`,
  promise: 'starts take as long beside them as on a machine that they load alike',
  options: { 'webhook-rounds': 28 },
  planted: PLANTED,
  async run({ options, seed, say }) {
    const measured = { ...STARTS, rounds: options['webhook-rounds'] };
    const changes = CHANGES_BEFORE;
    const run = { changes, byRequests: changes, kills: 0, measured, url: null, seed, say };
    const { started, faults, ...figures } = await runWebhooks(run);
    const { beside, loaded, alone, ratio, bare, control } = figures.p99;
    const alike = `${loaded} ms where another process calls them alike`;
    const chance = `${timesOf(control)} between two times of that`;
    return {
      cycles: measured.rounds,
      kinds: `p99 of starts ${beside} ms beside them, ${alike}: ${timesOf(ratio)}, ${chance}; ${alone} ms without them: ${timesOf(bare)}`,
      acknowledged: started,
      tokens: null,
      recoveryMs: null,
      faults: [...faults, ...slowerBeside(figures.p99)],
      figures,
    };
  },
};

const timesOf = ({ is, from, to }: Compared) => `${is} times (${from} to ${to})`;

function runOf(
  changes: number,
  { seed, say }: Omit<FaultTask, 'options'>,
  url: string | null,
): WebhookRun {
  const wanted = Math.max(1, Math.floor(changes / CHANGES_BETWEEN_KILLS));
  const kills = Math.min(wanted, MOST_KILLS);
  const byRequests = Math.min(changes, MOST_BY_REQUESTS);
  return { changes, byRequests, kills, measured: MEASURED, url, seed, say };
}

function outcomeOf({
  kills,
  started,
  slowestRecoveryMs,
  faults,
  ...figures
}: WebhookReport): FaultOutcome {
  const { told, repeated, waiting, givenUp, p99 } = figures;
  const left = givenUp > 0 ? `${givenUp} given up` : `${waiting} wait`;
  const slow = `p99 of starts beside them ${p99.ratio.is} times that on a machine loaded alike`;
  return {
    cycles: kills,
    kinds: `${told} webhooks told, ${repeated} came again, ${left}; ${slow}`,
    acknowledged: started,
    tokens: null,
    recoveryMs: slowestRecoveryMs,
    faults,
    figures,
  };
}
