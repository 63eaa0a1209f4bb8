import { endWithNpm } from '@miftah/schema/parent-process';
import { npmScript } from './config/config.ts';
import { runService } from './main.ts';
import type { StartSignals } from './platform/start-signals.ts';

const HELP = { usage: 'miftah start [--flag value ...]     or     NAME=value miftah start' };

/** `miftah start`: the service, as `npm start` runs it, until a signal ends it. */
export async function startByCommand(
  args: readonly string[],
  startSignals: StartSignals,
): Promise<void> {
  endWithNpm(npmScript());
  await runService({ args, help: HELP, startSignals });
}
