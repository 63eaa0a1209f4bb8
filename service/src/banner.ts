import type { Config } from './config.ts';

export interface BannerPerson {
  readonly nationalId: string;
  readonly englishName: string;
  readonly arabicName: string;
  readonly isDefault: boolean;
}

export interface BannerText {
  readonly config: Config;
  readonly people: readonly BannerPerson[];
  readonly curl: readonly string[];
}

/** What a person at the terminal needs to go on. Not a log line: nothing parses it. */
export function banner({ config, people, curl }: BannerText): string {
  const { publicUrl } = config;
  return [
    '',
    '  Miftah مفتاح - simulator mode: everybody can sign in as anybody, nobody is real',
    '',
    ...addresses(publicUrl),
    '',
    '  Test people (* is the one who signs in when nobody is named)',
    ...people.map(personLine),
    '',
    '  A login by browser and one by phone, in three lines:',
    '',
    ...curl,
    '',
    '  Ctrl-C stops it. Data stays in ' + config.dataDir,
    '',
  ].join('\n');
}

function addresses(origin: string): string[] {
  return [
    `  Home        ${origin}/`,
    `  API         ${origin}/api/v1`,
    `  Reference   ${origin}/docs`,
    `  Provider    ${origin}/stg/api   (the simulated one)`,
  ];
}

function personLine({ nationalId, englishName, arabicName, isDefault }: BannerPerson): string {
  // First-strong isolates keep the Arabic name from reordering the rest of the line.
  return `  ${isDefault ? '*' : ' '} ${nationalId}  ${englishName}  \u2068${arabicName}\u2069`;
}
