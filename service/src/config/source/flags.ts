import { parseArgs } from 'node:util';
import { nearestOf } from '@miftah/schema/nearest';
import { isName, NAMES, type Values } from '../names.ts';
import { aloneOf, defaultOf, SETTINGS, type Setting } from '../settings.ts';

export interface Flags {
  readonly values: Values;
  readonly config?: string | undefined;
  /** What to print instead of running the service; null to run it. */
  readonly show: 'help' | 'config' | null;
  /** Whether simulator mode is opened to the local network. */
  readonly isLan: boolean;
}

const TEXT_FLAG = { type: 'string' } as const;
const SWITCH_FLAG = { type: 'boolean' } as const;
const SWITCH_FLAGS = { help: SWITCH_FLAG, 'show-config': SWITCH_FLAG, lan: SWITCH_FLAG };

const OPTIONS = {
  ...Object.fromEntries(['CONFIG', ...NAMES].map((name) => [flagOf(name), TEXT_FLAG])),
  ...SWITCH_FLAGS,
};

/** The names of all flags, as settings are written. */
export const FLAGS: readonly string[] = Object.keys(OPTIONS).map(nameOf);

/** The argument is not repeated, because it may be a secret whose flag is missing. */
const NO_FLAG =
  'an argument does not begin with --. Through npm, write flags after a -- of its own: ' +
  'npm start -- --port 3001';

/** Reads the flags. Everything that can't be used is added to `faults`. */
export function readFlags(args: readonly string[], faults: string[]): Flags {
  const given = args.map((arg, at) => withValue(arg, args[at + 1]));
  // Node stops at the first fault where it is strict.
  const how = { strict: false, tokens: true, allowPositionals: true } as const;
  const { tokens } = parseArgs({ args: given, options: OPTIONS, ...how });
  const flags = tokens
    .filter((token) => token.kind === 'option')
    .map((token) => ({ ...token, fault: faultOf(token) }));
  const wrong = flags.flatMap(({ fault }) => fault ?? []);
  // The value of a flag that npm kept, which is told already, is left here alone.
  if (hasStray(tokens) && faults.length === 0) wrong.push(NO_FLAG);
  faults.push(...wrong.map((fault) => `${fault}. See --help`));
  const usable = flags.filter(({ fault }) => fault === null);
  const last = (flag: string) => usable.findLast(({ name }) => name === flag);
  const values = usable.flatMap(({ name, value }) =>
    value === undefined || !isName(nameOf(name)) ? [] : [[nameOf(name), value] as const],
  );
  faults.push(...secretFlagFaults(values.map(([name]) => name)));
  return {
    config: last('config')?.value,
    show: last('help') !== undefined ? 'help' : last('show-config') !== undefined ? 'config' : null,
    isLan: last('lan') !== undefined,
    values: Object.fromEntries(values),
  };
}

type Token = NonNullable<ReturnType<typeof parseArgs>['tokens']>[number];

const isKnown = (flag: string) => Object.hasOwn(OPTIONS, flag);

/** Whether an argument has no flag before it. What follows an unknown flag is its value. */
function hasStray(tokens: readonly Token[]): boolean {
  return tokens.some(({ kind, index }) => {
    const before = tokens.find((token) => token.index === index - 1);
    const isValue = before?.kind === 'option' && !isKnown(before.name);
    return kind === 'positional' && !isValue;
  });
}

/** Names the flag only: its value may be a secret. Null for one that can be used. */
function faultOf({ name, value, rawName, inlineValue }: Extract<Token, { kind: 'option' }>) {
  const [flag = 'a flag'] = /^--?[\w-]+/.exec(rawName) ?? [];
  if (!isKnown(name)) return `Unknown flag ${flag}${nearFlag(flag)}`;
  const isSwitch = Object.hasOwn(SWITCH_FLAGS, name);
  if (isSwitch) return value === undefined ? null : `${flag} takes no value`;
  const isAnother = inlineValue !== true && value?.startsWith('-') === true;
  return value === undefined || isAnother ? `${flag} needs a value, as in ${flag}=VALUE` : null;
}

/** `--strict` without a value is `--strict=yes`. */
function withValue(arg: string, next: string | undefined): string {
  const alone = arg.startsWith('--') ? aloneOf(nameOf(arg.slice(2))) : undefined;
  const hasValue = next !== undefined && !next.startsWith('--');
  return alone === undefined || hasValue ? arg : `${arg}=${alone}`;
}

function nearFlag(flag: string): string {
  const name = nearestOf(nameOf(flag.slice(2)), FLAGS);
  return name === undefined ? '' : ` (did you mean --${flagOf(name)}?)`;
}

function secretFlagFaults(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const place = secretPlaceOf(name);
    const fault = `--${flagOf(name)} would be in the list of processes: set ${place}`;
    return place === undefined ? [] : [fault];
  });
}

type Row = readonly [flag: string, name: string, help: string];

const SWITCHES: readonly Row[] = [
  ['--config FILE', '', 'a file of NAME=value lines'],
  ['--lan', '', 'open simulator mode to the local network, for a real phone'],
  ['--show-config', '', 'print the settings in force, with where each is from, and stop'],
  ['--help', '', 'print this list and stop'],
];

/** What is special about a command that takes the settings. */
export interface Help {
  /** How it is called. */
  readonly usage: string;
  /** What it does, in one sentence. */
  readonly about?: string;
  /** Its own flags without a value, with what each does. */
  readonly switches?: readonly (readonly [flag: string, help: string])[];
  /** Names of settings that the command refuses or has no use for. */
  readonly leavesOut?: RegExp;
}

const NPM_START: Help = {
  usage: 'npm start -- [--flag value ...]     or     NAME=value npm start',
};

/** The list of the settings of a command, for `--help`. */
export function usage(command: Help = NPM_START): string {
  const settings = Object.entries(SETTINGS)
    .filter(([name]) => command.leavesOut?.test(name) !== true)
    .map(([name, { help }]): Row => {
      const flag = secretPlaceOf(name) === undefined ? `--${flagOf(name)}` : '';
      const otherwise = defaultOf(name);
      return [flag, name, otherwise === undefined ? help : `${help} (${otherwise})`];
    });
  const own = (command.switches ?? []).map(([flag, text]): Row => [flag, '', text]);
  const rows = [...settings, ...own, ...SWITCHES];
  const [flags, names] = [0, 1].map((column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const lines = rows.map(
    ([flag, name, help]) => `  ${flag.padEnd(flags ?? 0)}  ${name.padEnd(names ?? 0)}  ${help}`,
  );
  return [...headingOf(command), ...lines].join('\n');
}

const headingOf = ({ usage: call, about }: Help) => [
  `Usage: ${call}`,
  ...(about === undefined ? [] : [about]),
  '',
  'Settings, as flags or in the environment:',
];

/** `PUBLIC_URL` is `--public-url`. */
export function flagOf(name: string): string {
  return name.toLowerCase().replaceAll('_', '-');
}

function nameOf(flag: string): string {
  return flag.toUpperCase().replaceAll('-', '_');
}

/** Where a secret is set, since it has no flag; undefined for other settings. */
export const secretPlaceOf = (name: string) => (SETTINGS as Record<string, Setting>)[name]?.secret;
