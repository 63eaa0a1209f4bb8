import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runBounded } from './bounded-program.ts';
import type { Workshop } from './checkout-copy.ts';
import { plant } from './plant.ts';
import type { Mistake, NamedTest } from './planted-bug.ts';

/** `red`: an assertion of the test failed. `broken`: the test failed for any other reason. */
export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'red'; readonly reason: string }
  | { readonly kind: 'broken'; readonly reason: string };

/** The parts of vitest's JSON report that are used. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly TestResult[];
  }[];
}

interface TestResult {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
  readonly failureMessages: readonly string[];
}

const VITEST = join('node_modules', 'vitest', 'vitest.mjs');
const LONGEST_REASON = 160;

/** Runs only these tests. The outcomes are in their order. */
export async function runNamedTests(
  workshop: Workshop,
  tests: readonly NamedTest[],
  limitMs: number,
): Promise<readonly Outcome[]> {
  const files = [...new Set(tests.map(({ file }) => file))];
  const names = [...new Set(tests.map(({ name }) => RegExp.escape(name)))];
  const only = ['-t', `^(?:${names.join('|')})$`];
  const report = await runVitest(workshop, ['run', ...files, ...only], limitMs);
  if (typeof report === 'string') return tests.map(() => broken(report));
  return tests.map((test) => outcomeOf(report, workshop.copy, test));
}

/**
 * The fast tests that notice a bug, by their files, of those that import what it changes.
 * @returns why this is not known, where it is not
 */
export async function fastFilesWith(
  workshop: Workshop,
  bug: Mistake,
  limitMs: number,
): Promise<readonly string[] | string> {
  const restore = plant(workshop.copy, bug);
  try {
    const changed = bug.edits.map(({ file }) => join(workshop.copy, file));
    const args = ['related', ...changed, '--run', '--project', 'fast', '--passWithNoTests'];
    const report = await runVitest(workshop, args, limitMs);
    if (typeof report === 'string') return report;
    const failed = report.testResults.filter(({ status }) => status === 'failed');
    return failed.map(({ name }) => relative(workshop.copy, name));
  } finally {
    restore();
  }
}

/** @returns the report, or why there is none */
async function runVitest(
  workshop: Workshop,
  args: readonly string[],
  limitMs: number,
): Promise<Report | string> {
  const file = join(workshop.scratch, 'report.json');
  rmSync(file, { force: true });
  const report = ['--reporter=json', `--outputFile=${file}`];
  const { output, isLate } = await runBounded(workshop, [VITEST, ...args, ...report], limitMs);
  if (isLate) return `not over after ${limitMs / 1000} s`;
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : lastLine(output);
}

function outcomeOf({ testResults }: Report, copy: string, { file, name }: NamedTest): Outcome {
  const results = testResults.filter((one) => one.name === join(copy, file));
  const all = results.flatMap(({ assertionResults }) => assertionResults);
  const named = all.filter(({ status, ancestorTitles, title }) => {
    const isRun = status === 'passed' || status === 'failed';
    return isRun && [...ancestorTitles, title].join(' > ') === name;
  });
  const [test] = named;
  if (test === undefined) {
    const { message = '' } = results[0] ?? {};
    return broken(message === '' ? 'no test of this name was run' : message);
  }
  if (named.length > 1) return broken(`${named.length} tests have this name`);
  return test.status === 'passed' ? { kind: 'passed' } : judge(test.failureMessages[0] ?? '');
}

/** Errors by which a test reports a finding; other errors are accidents. */
const FINDINGS = /^(?:AssertionError|Refusal|Error)\b/;
/** These are named `Error` too, but are no finding, because nothing was checked. */
const ACCIDENTS = /timed out in|did not start|cannot find (?:module|package)/i;

function judge(message: string): Outcome {
  const reason = firstLine(message);
  const isFinding = FINDINGS.test(reason) && !ACCIDENTS.test(message);
  return isFinding ? { kind: 'red', reason } : broken(reason);
}

function broken(reason: string): Outcome {
  return { kind: 'broken', reason: firstLine(reason) };
}

function firstLine(text: string): string {
  return (text.trim().split('\n')[0] ?? '').slice(0, LONGEST_REASON);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? 'no report';
}
