import type { Read } from './live.ts';
import { parseChoice } from './values.ts';

/** What can be set of simulator mode alone. */
export interface SimulatorConfig {
  /** Everything as in live mode, but for the people. */
  readonly isStrict: boolean;
  readonly hasPushBudgets: boolean;
  /** Null: one client that is built in, whose key everybody knows. */
  readonly clientsFile: string | null;
}

export function readSimulator(read: Read): SimulatorConfig {
  return {
    isStrict: read('STRICT', false, (text) => parseChoice(text, ['yes', 'no']) === 'yes'),
    hasPushBudgets: read('BUDGETS', false, (text) => parseChoice(text, ['on', 'off']) === 'on'),
    clientsFile: read<string | null>('CLIENTS_FILE', null, String),
  };
}
