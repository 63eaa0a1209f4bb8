import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runBounded } from './bounded-program.ts';
import type { Workshop } from './checkout-copy.ts';
import type { NamedTest } from './planted-bug.ts';

/** `red`: the test itself found fault. `broken`: anything else that keeps it from being green. */
export type Outcome =
  | { readonly kind: 'passed' }
  | { readonly kind: 'red'; readonly reason: string }
  | { readonly kind: 'broken'; readonly reason: string };

/** What vitest's JSON report says, as far as it is used. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
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

/** Runs these tests and no others. The outcomes are in the order of the tests. */
export async function runNamedTests(
  workshop: Workshop,
  tests: readonly NamedTest[],
  limitMs: number,
): Promise<readonly Outcome[]> {
  const reportFile = join(workshop.scratch, 'report.json');
  rmSync(reportFile, { force: true });
  const files = [...new Set(tests.map(({ file }) => file))];
  const names = [...new Set(tests.map(({ name }) => RegExp.escape(name)))];
  const only = ['-t', `^(?:${names.join('|')})$`];
  const report = ['--reporter=json', `--outputFile=${reportFile}`];
  const args = [VITEST, 'run', ...files, ...only, ...report];
  const { output, isLate } = await runBounded(workshop, args, limitMs);
  if (isLate) return tests.map(() => broken(`not over after ${limitMs / 1000} s`));
  if (!existsSync(reportFile)) return tests.map(() => broken(lastLine(output)));
  const read = JSON.parse(readFileSync(reportFile, 'utf8')) as Report;
  return tests.map((test) => outcomeOf(read, workshop.copy, test));
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

/** By these a test says that something is not as it should be; other errors are accidents. */
const FINDINGS = /^(?:AssertionError|Refusal|Error)\b/;
/** Also an `Error` by its name, and no finding: nothing was looked at. */
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
