import type { Read } from './names.ts';
import { parseChoice } from './values.ts';

/** The settings that only simulator mode has. */
export interface SimulatorConfig {
  /** Whether live mode's rules, flows and routes are used, with invented people. */
  readonly isStrict: boolean;
  readonly hasPushBudgets: boolean;
  /** Null: the built-in client, whose key is public. */
  readonly clientsFile: string | null;
  /** Null: the test people. */
  readonly peopleFile: string | null;
  /** Whether the requests about each attempt are kept, for the console. */
  readonly keepsTimeLines: boolean;
}

export function readSimulator(read: Read): SimulatorConfig {
  return {
    isStrict: read('STRICT', false, (text) => parseChoice(text, ['yes', 'no']) === 'yes'),
    hasPushBudgets: read('BUDGETS', false, (text) => parseChoice(text, ['on', 'off']) === 'on'),
    clientsFile: read<string | null>('CLIENTS_FILE', null, String),
    peopleFile: read<string | null>('PEOPLE_FILE', null, String),
    keepsTimeLines: read('TIME_LINES', true, (text) => parseChoice(text, ['on', 'off']) === 'on'),
  };
}
