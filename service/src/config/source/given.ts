import { parseEnv } from 'node:util';
import { misspeltSettings, unknownMiftahVariables } from '@miftah/schema/misspelt-settings';
import { nearestOf } from '@miftah/schema/nearest';
import { readRegularFile } from '@miftah/schema/regular-file';
import { wayOut } from '../../errors/fault-words.ts';
import { mayBeSecret } from '../../values/secret.ts';
import { isText } from '../../values/text.ts';
import { ConfigError } from '../config-error.ts';
import { secretPlaceOf } from './flags.ts';
import { isName, NAMES, type Name, type Read, type Values } from '../names.ts';
import { nameInUse, secretFilesIn, shownPath, type SecretFile } from './secret-files.ts';
import { faultsOfLines } from './settings-lines.ts';

/** Of a file of settings: each of them is short. */
const MOST_BYTES = 1024 * 1024;

/**
 * The settings of a file of NAME=value lines. What can't be used is added to `faults`.
 * @throws ConfigError when nothing of it can be read: what follows from settings that are not known
 * would be no faults of theirs
 */
export function readSettingsFile(path: string, faults: string[]): Values {
  try {
    const text = readRegularFile(path, MOST_BYTES);
    if (!isText(text)) throw new Error('it has the character U+0000');
    faults.push(...faultsOfLines(text).map((fault) => `${path}: ${fault}`));
    const entries = Object.entries(parseEnv(text));
    const unknown = entries.map(([name]) => name).filter((name) => !isName(name));
    if (unknown.length > 0) {
      faults.push(`${path} has unknown settings: ${unknown.map(withMeant).join(', ')}`);
    }
    return Object.fromEntries(entries.filter(([name]) => isName(name)));
  } catch (error) {
    throw new ConfigError([
      ...faults,
      `--config ${path} can't be read: ${messageOf(error)}${wayOut(path, codeOf(error))}`,
    ]);
  }
}

const codeOf = (error: unknown) =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

/** The file that `--config` names. */
export interface SettingsFile {
  readonly path: string;
  readonly hasSecrets: boolean;
  /** The files of secrets that it names. */
  readonly secretFiles: readonly SecretFile[];
  /** For the log: a sentence for what is there now and is read at the next start alone. */
  readonly changes: () => readonly string[];
}

export function settingsFileOf(path: string | undefined, values: Values): SettingsFile | null {
  if (path === undefined) return null;
  const hasSecrets = Object.keys(values).some((name) => secretPlaceOf(name) !== undefined);
  const changes = () => changesIn(path, values);
  return { path, hasSecrets, secretFiles: secretFilesIn(values), changes };
}

function changesIn(path: string, before: Values): readonly string[] {
  const faults: string[] = [];
  try {
    const now = readSettingsFile(path, faults);
    const others = NAMES.filter(isName).filter((name) => now[name] !== before[name]);
    if (others.length === 0 || faults.length > 0) return faults;
    return [`${path} has changed (${others.join(', ')}): it is read at the next start`];
  } catch (error) {
    return error instanceof ConfigError ? error.faults : [messageOf(error)];
  }
}

/** The settings in the environment. An empty variable is not set. */
export function readEnvironment(environment: NodeJS.ProcessEnv, faults: string[]): Values {
  const unknown = unknownMiftahVariables(environment, NAMES);
  if (unknown.length > 0) faults.push(`unknown in the environment: ${unknown.join(', ')}`);
  const known = Object.entries(environment).filter(([name, value]) => isName(name) && value !== '');
  return Object.fromEntries(known);
}

/** For the log: variables of other programs, or settings that are misspelt. */
export const misspeltIn = (environment: NodeJS.ProcessEnv): readonly string[] =>
  misspeltSettings(environment, NAMES);

/** A secret of several lines has lines that look like settings: `d2hhdA==`. */
function withMeant(name: string): string {
  const near = nearestOf(name, NAMES);
  if (near !== undefined) return `${name} (did you mean ${near}?)`;
  return /^[A-Z][A-Z_]*$/.test(name) ? name : 'a name that is not shown, which may be of a secret';
}

/** Reads one setting after the other. What can't be used is added to `faults`. */
export function readerOf(values: Values, faults: string[]): Read {
  return <T>(name: Name, otherwise: T, parse: (text: string) => T): T => {
    const text = values[name];
    if (text === undefined) return otherwise;
    try {
      return parse(text);
    } catch (error) {
      faults.push(faultOf(name, text, values, messageOf(error)));
      return otherwise;
    }
  };
}

/** Shows what is set, but no secret. */
function faultOf(name: Name, text: string, values: Values, reason: string): string {
  const used = nameInUse(name, values);
  if (used !== name) return `${used}${shownPath(values[used] ?? '')}: ${name} ${reason}`;
  const isHidden = secretPlaceOf(name) !== undefined || mayBeSecret(text);
  return `${name} ${reason}${isHidden ? '' : ` (it is ${JSON.stringify(text)})`}`;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
