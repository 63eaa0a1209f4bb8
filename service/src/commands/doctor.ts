import type { Finding } from '../domain/finding.ts';
import type { AddCommand } from './command-context.ts';

/** `miftah doctor`: looks at everything around the service, and changes nothing. */
export const doctorCommand: AddCommand = (program, context) => {
  program
    .command('doctor')
    .option('--json', 'one JSON object a line')
    .description(
      'looks for what is wrong with settings, files, store and provider; changes nothing',
    )
    .action(async ({ json = false }: { json?: boolean }) => {
      const findings = await context.examine();
      for (const finding of findings) {
        context.print(json ? JSON.stringify(finding) : textOf(finding));
      }
      const faults = findings.filter(({ severity }) => severity === 'fault').length;
      if (faults > 0) context.fail(`${faults} of ${findings.length} are faults.`);
    });
};

function textOf({ check, severity, what, remedy }: Finding): string {
  const line = `${severity.padEnd(7)}  ${check.padEnd(16)}  ${what}`;
  return remedy === null ? line : `${line}\n${' '.repeat(27)}${remedy}`;
}
