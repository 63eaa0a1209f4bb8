import type { Command } from 'commander';
import type { Comparison, Drift } from '../operate/against/drift.ts';
import type { Finding } from '../operate/doctor/finding.ts';
import { recordSuccess, type AddCommand, type CommandContext } from './command-context.ts';
import { jsonWithoutControls } from './instance/without-controls.ts';

/** The provider can't be asked, or the settings for it are wrong. */
const EXIT_NOT_ASKED = 2;

interface Options {
  readonly json?: boolean;
  readonly against?: string;
  readonly prefix?: string;
  readonly identity?: string;
  readonly signIn?: boolean;
  readonly record?: true;
}

/**
 * `miftah doctor`: looks at everything around the service, and changes nothing. With `--against` it
 * compares a provider with the simulator instead.
 */
export const doctorCommand: AddCommand = (program, context) => {
  const command = program
    .command('doctor')
    .option('--json', 'one JSON object a line')
    .option('--record', 'if there is no fault, writes into the audit log that this was looked at')
    .option('--against <url>', 'compare the provider at this origin with the simulator')
    .option('--prefix <path>', 'with --against: in place of PROVIDER_PATH_PREFIX')
    .option('--identity <number>', 'with --against: a test identity, which gets one push')
    .option('--sign-in', 'with --against: wait for a person to sign in, and compare the token')
    .description(
      'looks for what is wrong with settings, files, store and provider; changes nothing',
    );
  command.action(async (options: Options) => {
    if (options.against !== undefined && options.record === undefined) {
      return compareProvider(context, options);
    }
    requireAgainst(command, options);
    const findings = await context.examine();
    const lines =
      options.json === true ? findings.map((one) => jsonWithoutControls(one)) : textsOf(findings);
    for (const line of lines) context.print(line);
    const faults = countOf(findings, 'fault');
    const warnings = countOf(findings, 'warning');
    const total = `Findings: ${findings.length}, of them faults: ${faults}, warnings: ${warnings}.`;
    if (faults > 0) return context.fail(total);
    if (options.json !== true) context.print(total);
    if (options.record === true) await recordSuccess(context, 'doctor');
    return undefined;
  });
};

const countOf = (findings: readonly Finding[], wanted: Finding['severity']) =>
  findings.filter(({ severity }) => severity === wanted).length;

function requireAgainst(command: Command, options: Options): void {
  const { against, prefix, identity, signIn } = options;
  if (against !== undefined) command.error('error: --record is not for --against');
  if (prefix === undefined && identity === undefined && signIn === undefined) return;
  command.error('error: --prefix, --identity and --sign-in belong to --against');
}

async function compareProvider(context: CommandContext, options: Options): Promise<void> {
  const { json = false, against: url = '', prefix, identity = null, signIn = false } = options;
  const wanted = { url, pathPrefix: prefix, identity, signIn };
  const { fault, drifts } = await context.compare(wanted).catch(notAsked);
  if (fault !== null) return context.fail(fault, EXIT_NOT_ASKED);
  for (const drift of drifts) context.print(json ? jsonWithoutControls(drift) : rowOf(drift));
  const differing = drifts.filter(({ differs }) => differs).length;
  if (differing > 0) return context.fail(`${differing} of ${drifts.length} rows differ.`);
  if (!json) context.print(`The simulator does the same in all ${drifts.length} rows.`);
}

/** Wrong settings of the provider or of the simulator, or no simulator that is installed. */
function notAsked(error: unknown): Comparison {
  return { fault: error instanceof Error ? error.message : String(error), drifts: [] };
}

const LABEL_WIDTH = 10;
const INDENT = ' '.repeat(9 + LABEL_WIDTH + 2);

function rowOf({ differs, label, probe, behaviour, at, simulator, there, set }: Drift): string {
  const mark = (differs ? 'differs' : 'same').padEnd(9);
  const line = `${mark}${label.padEnd(LABEL_WIDTH)}  ${behaviour}`;
  if (!differs) return line;
  return [
    line,
    `${INDENT}asked      ${probe}${at === null ? '' : `: ${at}`}`,
    `${INDENT}simulator  ${simulator}`,
    `${INDENT}there      ${there}`,
    `${INDENT}set        ${set ?? 'nothing: the simulator has no setting for it'}`,
  ].join('\n');
}

/** Findings with one remedy stand together above it, at the place of the first of them. */
function textsOf(findings: readonly Finding[]): string[] {
  const groups = Map.groupBy(findings, (finding) => finding.remedy ?? finding);
  return [...groups.values()].map((group) => {
    const remedy = group[0]?.remedy ?? null;
    const lines = group.map(lineOf);
    if (remedy === null) return lines.join('\n');
    const which = group.length === 1 ? '' : `For each of these ${group.length}: `;
    return [...lines, `${' '.repeat(27)}${which}${remedy}`].join('\n');
  });
}

function lineOf({ check, severity, what }: Finding): string {
  return `${severity.padEnd(7)}  ${check.padEnd(16)}  ${what}`;
}
