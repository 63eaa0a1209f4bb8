import { InvalidArgumentError } from 'commander';
import { listOf, tableOf, type Column } from '../drive/table.ts';
import type { AddDriveCommand } from '../instance/drive-context.ts';
import {
  DriveFailure,
  EXIT_MISUSED,
  interrupted,
  misused,
  unreached,
} from '../instance/failure.ts';
import { withClient } from '../instance/service-client.ts';
import { driveCommand, onRun, type Session } from '../instance/session.ts';
import { countsOf, failedAt, firstOf, linesOf, type Failed } from './failures.ts';
import { atPace, countOf, type Paced } from './pace.ts';
import { begunProgress, byBrowser, byPhone, type SignIn, type Took } from './sign-ins.ts';

/** So that a mistyped number is no attack. */
const MOST_RATE = 500;
const MOST_SECONDS = 3600;
const MINUTE_SECONDS = 60;
const MOST_AT_ONCE = 2000;
/** Starts that are later than this were delayed by this machine: the figures are not the service's. */
const LATE_MS = 250;

interface Options {
  readonly rate: number;
  readonly for: number;
  readonly phone?: true;
  readonly simulator?: string;
  readonly returnAddress?: string;
}

/** `miftah drill`: sign-ins at a fixed rate against a rehearsal, and how long they took. */
export const drillCommand: AddDriveCommand = (program, context) => {
  const drill = driveCommand(
    program,
    'drill',
    'signs invented people in at a fixed rate, and says how long it took',
  )
    .requiredOption('--rate <number>', 'how many begin in a second, such as 0.5 or 20', readRate)
    .option('--for <seconds>', 'how long, such as 30, 30s or 2m', readSeconds, 30)
    .option('--phone', 'by phone, in place of the browser')
    .option('--simulator <origin>', 'of the provider, where the service is not its own', readOrigin)
    .option('--return-address <address>', 'one of the client’s, by default its first');
  onRun(drill, context, async (session, options: Options) => {
    const simulator = await simulatorOf(session, options);
    await withClient(session, async (client) => {
      const { returnAddress } = options;
      // One more before the first.
      const signIns = countOf({ rate: options.rate, seconds: options.for }) + 1;
      const by = options.phone === true ? byPhone : byBrowser;
      const signIn = await by(session, { client, simulator, returnAddress, signIns });
      // What can't be done once is not done at a rate.
      await signIn(0, begunProgress());
      await run(session, options, signIn);
    });
  });
};

async function run(session: Session, options: Options, signIn: SignIn): Promise<void> {
  const { clock } = session.context;
  const took: Took[] = [];
  const failures: Failed[] = [];
  const beganAt = clock.now();
  const pace = { rate: options.rate, seconds: options.for, most: MOST_AT_ONCE };
  const paced = await atPace(session, pace, async (place) => {
    const progress = begunProgress();
    try {
      took.push(await signIn(place + 1, progress));
    } catch (error) {
      failures.push(failedAt(clock.now(), progress, error));
    }
  });
  // Those that Ctrl-C has ended did not fail.
  if (session.context.stop.aborted) throw interrupted();
  const result = resultOf(paced, took, failures, clock.now() - beganAt);
  session.print(result, () => shown(result, session));
  if (took.length < paced.started + paced.leftOut) throw notAll(result);
}

/**
 * The simulator that the service calls: its own, or the one that is named.
 * @throws DriveFailure unless the people of the service are invented
 */
async function simulatorOf(session: Session, { simulator }: Options): Promise<string> {
  const { context, instance } = session;
  const { origin } = instance;
  const init = { signal: context.stop, redirect: 'manual' } as const;
  const answer = await context.fetch(`${origin}/livez`, init).catch((error: unknown) => {
    throw unreached(origin, error);
  });
  await answer.body?.cancel();
  const mode = answer.status === 200 ? answer.headers.get('x-auth-mode') : null;
  if (mode === 'simulator') return simulator ?? origin;
  if (mode === 'rehearsal') {
    if (simulator !== undefined) return simulator;
    throw misused('Name the simulator that the service calls: --simulator http://….');
  }
  if (mode === null) throw unreached(origin, null, 'what answers there is another program');
  throw new DriveFailure({
    code: 'command.real_people',
    message: 'This service signs real people in, so nothing was sent to it or to its provider.',
    remedy: 'Name a rehearsal with --url or MIFTAH_URL: docs/going-live.md, "Rehearse".',
    exitCode: EXIT_MISUSED,
  });
}

type Spread = {
  readonly middle: number;
  readonly p95: number;
  readonly p99: number;
  readonly longest: number;
};

/** What the command prints as JSON; times are milliseconds. */
interface Result {
  readonly started: number;
  readonly signed_in: number;
  /** How many of each code. */
  readonly failed: Readonly<Record<string, number>>;
  /** The first of them. */
  readonly failures: readonly Failed[];
  readonly left_out: number;
  readonly seconds: number;
  readonly started_late_ms: number;
  readonly start: Spread;
  readonly person: Spread;
  readonly token: Spread;
  readonly whole: Spread;
}

function resultOf(
  { started, leftOut, latestMs }: Paced,
  took: readonly Took[],
  failures: readonly Failed[],
  ms: number,
): Result {
  const of = (part: keyof Took) => spreadOf(took.map((one) => one[part]));
  return {
    started,
    signed_in: took.length,
    failed: countsOf(failures),
    failures: firstOf(failures),
    left_out: leftOut,
    seconds: Math.round(ms / 100) / 10,
    started_late_ms: latestMs,
    start: of('start'),
    person: of('person'),
    token: of('token'),
    whole: of('whole'),
  };
}

/** Zeros where nothing was measured. */
function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number) => sorted[Math.ceil(part * sorted.length) - 1] ?? 0;
  return { middle: at(0.5), p95: at(0.95), p99: at(0.99), longest: at(1) };
}

const PARTS: readonly Column[] = [
  { title: 'MILLISECONDS', of: 'part' },
  { title: 'MIDDLE', of: 'middle' },
  { title: '95 %', of: 'p95' },
  { title: '99 %', of: 'p99' },
  { title: 'LONGEST', of: 'longest' },
];

function shown(result: Result, { context: { out } }: Session): string {
  const { started, left_out, signed_in, seconds, started_late_ms: late } = result;
  const rows = (['start', 'person', 'token', 'whole'] as const).map((part) => ({
    part,
    ...result[part],
  }));
  const counts = {
    started,
    'not begun': left_out,
    'signed in': signed_in,
    ...result.failed,
    seconds,
  };
  const columns = Object.keys(counts).map((name) => ({ title: name, of: name }));
  const busy =
    late < LATE_MS
      ? ''
      : `\nSign-ins began up to ${late} ms late: this machine was busy. Run the drill on another one.\n`;
  return `${listOf(counts, columns, out)}\n${tableOf(rows, PARTS, out)}${busy}`;
}

function notAll({ started, signed_in, left_out, failed, failures }: Result): DriveFailure {
  const [most = ''] = Object.entries(failed).toSorted(([, one], [, other]) => other - one)[0] ?? [];
  return new DriveFailure({
    code: 'command.drill_failed',
    message: `${started - signed_in} of ${started} sign-ins failed, and ${left_out} were not begun.`,
    remedy:
      REMEDIES[most] ??
      'docs/errors.md explains the codes, and the log of the service has more at these times.',
    facts: [
      ...Object.entries(failed).map(([code, times]) => `${code}: ${times}`),
      ...linesOf(failures, started - signed_in),
    ],
  });
}

const REMEDIES: Readonly<Record<string, string>> = {
  'push.budget_spent':
    'A rehearsal has the limits of live mode: 3 pushes in ten minutes for a person, 120 a minute for a ' +
    'client. Lower the rate, or sign in by browser.',
  rate_limited:
    'A rehearsal has the limits of live mode. With the key of a confidential client (MIFTAH_KEY) each ' +
    'sign-in counts for an address of its own.',
};

function readRate(text: string): number {
  const rate = Number(text);
  if (/^\d{1,3}(?:\.\d{1,3})?$/.test(text) && rate > 0 && rate <= MOST_RATE) return rate;
  throw new InvalidArgumentError(`A number above 0, up to ${MOST_RATE}, such as 0.5 or 20.`);
}

function readSeconds(text: string): number {
  const [, digits = '', unit] = /^(\d{1,4})([sm]?)$/.exec(text) ?? [];
  const seconds = Number(digits) * (unit === 'm' ? MINUTE_SECONDS : 1);
  if (seconds > 0 && seconds <= MOST_SECONDS) return seconds;
  throw new InvalidArgumentError(`Whole seconds, 1 to ${MOST_SECONDS}, or minutes, such as 2m.`);
}

function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) {
    return url.origin;
  }
  throw new InvalidArgumentError('An origin, such as http://127.0.0.1:4000.');
}
