import type { Config } from '../config/config.ts';
import { DEMO_SECRET, SIMULATOR_KEY } from '../account/client.ts';
import type { Mode } from '../values/store-binding.ts';

export interface BannerPerson {
  readonly nationalId: string;
  readonly englishName: string;
  readonly arabicName: string;
  readonly isDefault: boolean;
}

export interface SimulatorBanner {
  readonly config: Config;
  readonly people: readonly BannerPerson[];
  readonly curl: readonly string[];
  /** What is said of the local network; empty where it is not opened to that. */
  readonly lan: readonly string[];
}

export interface LiveBanner {
  readonly config: Config;
  readonly mode: Mode;
  readonly clients: readonly string[];
}

/** What a person at the terminal needs next. It is not a log line, and no program parses it. */
export function simulatorBanner({ config, people, curl, lan }: SimulatorBanner): string {
  const { publicUrl } = config;
  return [
    '',
    '  Miftah مفتاح - simulator mode: everybody can sign in as anybody, nobody is real',
    '',
    ...lan,
    `  Home        ${publicUrl}/`,
    ...addresses(config),
    ...(lan.length === 0 ? watching(config) : []),
    `  Provider    ${publicUrl}/stg/api   (the simulated one)`,
    '',
    '  Test people (* is the one who signs in when nobody is named)',
    ...people.map(personLine),
    '',
    '  A login by browser and one by phone, in three lines:',
    '',
    ...curl,
    '',
  ].join('\n');
}

/** Live mode has no test people and nothing to try out, so the banner shows the clients. */
export function liveBanner({ config, mode, clients }: LiveBanner): string {
  const title = mode === 'live' ? 'live mode' : 'rehearsal: live mode, against a simulator';
  return [
    '',
    `  Miftah مفتاح - ${title}`,
    '',
    ...addresses(config),
    `  Provider    ${config.live?.url ?? ''}`,
    '',
    `  Clients     ${clients.join(', ')}`,
    '',
  ].join('\n');
}

export interface StrictBanner extends Pick<LiveBanner, 'config' | 'clients'> {
  /** The commands of a login by phone; empty where they would need a secret. */
  readonly lines: readonly string[];
}

/** Strict mode needs a client key. The key of the built-in client is public, so it is shown. */
export function strictBanner({ config, clients, lines }: StrictBanner): string {
  const { publicUrl, simulator } = config;
  const key = simulator?.clientsFile === null ? [`  Key         ${SIMULATOR_KEY}`] : [];
  return [
    '',
    '  Miftah مفتاح - simulator mode, strict: asks for all that live mode asks for, nobody is real',
    '',
    ...addresses(config),
    ...watching(config),
    `  Provider    ${publicUrl}/stg/api   (the simulated one)`,
    `  Decide      ${publicUrl}/simulator/prompts   (people: ${publicUrl}/simulator/people)`,
    '',
    `  Clients     ${clients.join(', ')}`,
    ...key,
    ...(lines.length === 0 ? [] : ['', PHONE_LOGIN, '', ...lines]),
    '',
  ].join('\n');
}

/** Pages of the simulator, for a person. */
function watching({ publicUrl }: Config): string[] {
  return [
    `  Console     ${publicUrl}/console   (what happens in each attempt)`,
    `  Phone       ${publicUrl}/simulator/phone   (of the test people)`,
  ];
}

const PHONE_LOGIN =
  '  A login by phone: start, approve as the person would, ask until it is done, exchange:';

function addresses(config: Config): string[] {
  const { publicUrl, docs } = config;
  const reference = docs ? [`  Reference   ${publicUrl}/docs`] : [];
  return [`  API         ${publicUrl}/api/v1`, ...reference, ...openidLines(config)];
}

/** The built-in clients are those of plain simulator mode without a clients file. */
function openidLines({ openid, publicUrl, simulator }: Config): string[] {
  if (!openid) return [];
  const hasDemo = simulator?.clientsFile === null && !simulator.isStrict;
  const demo = hasDemo ? `   (clients: demo; demo-web, secret ${DEMO_SECRET})` : '';
  return [`  OpenID      ${publicUrl}/.well-known/openid-configuration${demo}`];
}

function personLine({ nationalId, englishName, arabicName, isDefault }: BannerPerson): string {
  // First-strong isolates keep the Arabic name from reordering the rest of the line.
  return `  ${isDefault ? '*' : ' '} ${nationalId}  ${englishName}  \u2068${arabicName}\u2069`;
}

/** The log says it too, but a person at the terminal does not read JSON. */
export function warningNotes(warnings: readonly string[]): string {
  const lines = warnings.map((sentence) => `  WARNING     ${sentence}\n`);
  return lines.length === 0 ? '' : `${lines.join('')}\n`;
}

/** @param keepsData whether the store is there after the stop */
export function stopNote(config: Config, keepsData: boolean): string {
  const place = placeOf(config);
  const note = keepsData ? `. Data stays in ${place}` : `, and deletes its data (${place})`;
  return `  Ctrl-C stops it${note}\n`;
}

/** Where the store is, without user and password. */
function placeOf({ database, dataDir }: Config): string {
  if (database === null) return dataDir;
  const [{ host, port }] = database.servers;
  return `PostgreSQL, ${host}:${port}/${database.database}`;
}
