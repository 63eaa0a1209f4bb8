import { cutPower, withoutCommitFlushes } from './power-cuts.ts';
import { recordDisk, type RecordingPlan } from './record-disk.ts';

/** More recordings are worth more than more cuts of the same one. */
const CUTS_OF_RECORDING = 500;
/** Cuts of the same recording without the flush at each commit. */
const WORSE_CUTS = 25;
/** Enough for a log of 16 MiB, which is then moved into the database file under load. */
const MANY_ANSWERS = 2500;
const FEW_ANSWERS = 150;
/** Every such recording is a long one. The first is short. */
const RECORDINGS_FOR_LONG = 10;

export interface PowerCutRunReport {
  readonly cuts: number;
  readonly recordings: number;
  /** Writes, flushes and changed names that were recorded. */
  readonly operations: number;
  readonly attempts: number;
  readonly tokens: number;
  /** Images in which something is lost or wrong. */
  readonly bad: number;
  /** The same for the recordings without the flush at each commit: here there must be losses. */
  readonly worse: { readonly cuts: number; readonly bad: number };
  readonly violations: readonly string[];
}

/**
 * Records services under load, and checks at many points what a power cut would have left of their
 * files.
 * @param library of build-shim.ts
 */
export async function runPowerCuts(
  library: string,
  cuts: number,
  seed: number,
  onRecording: (done: number) => void = () => undefined,
): Promise<PowerCutRunReport> {
  const sum = { cuts: 0, operations: 0, attempts: 0, tokens: 0, bad: 0 };
  const worse = { cuts: 0, bad: 0 };
  const violations: string[] = [];
  let recordings = 0;
  for (let left = cuts; left > 0; left -= CUTS_OF_RECORDING) {
    recordings += 1;
    const recording = await recordDisk(library, planOf(recordings, seed));
    const { attempts, violations: wrong } = recording.history;
    const cut = await cutPower(recording, Math.min(left, CUTS_OF_RECORDING), seed + recordings);
    const compared = await cutPower(withoutCommitFlushes(recording), WORSE_CUTS, seed);
    sum.cuts += cut.cuts;
    sum.operations += recording.operations.length;
    sum.attempts += attempts.length;
    sum.tokens += attempts.filter(({ tokens }) => tokens.size > 0).length;
    sum.bad += cut.bad;
    worse.cuts += compared.cuts;
    worse.bad += compared.bad;
    violations.push(...wrong, ...cut.violations);
    onRecording(sum.cuts);
  }
  return { ...sum, recordings, worse, violations };
}

function planOf(recording: number, seed: number): RecordingPlan {
  const isLong = recording % RECORDINGS_FOR_LONG === 0;
  return {
    seed: seed + recording,
    ends: recording % 2 === 0 ? ['a kill', 'an orderly end'] : ['an orderly end', 'a kill'],
    answers: isLong ? MANY_ANSWERS : FEW_ANSWERS,
  };
}
