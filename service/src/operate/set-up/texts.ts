import { join } from 'node:path';
import { hashClientKey } from '../../account/client.ts';
import { QUESTIONS, type Answers } from '../../commands/init/questions.ts';
import { settingLine } from '../../config/describe.ts';
import { defaultOf, SETTINGS } from '../../config/settings.ts';
import { shellWord } from '../../platform/shell-word.ts';

/** Where a set-up is written. */
export interface Place {
  /** The folder of the settings, by its full path. */
  readonly dir: string;
  /** Live mode against the simulator, with invented people. */
  readonly isRehearsal: boolean;
}

/** The clients file with one application, which has this key. */
export function clientsText(answers: Answers, key: string): string {
  const returns = (answers['client.return-address'] ?? '').split(',');
  const client = {
    id: answers['client.id'],
    name: { ar: answers['client.name-ar'], en: answers['client.name-en'] },
    type: answers['client.type'],
    return_addresses: returns.map((address) => address.trim()),
    keys: [hashClientKey(key)],
  };
  return `${JSON.stringify({ clients: [client] }, null, 2)}\n`;
}

/** The file of a secret, by the setting that it is the value of. */
export const secretFile = (dir: string, name: string) =>
  join(dir, 'secrets', name.toLowerCase().replaceAll('_', '-'));

const HEADING = `# Settings of Miftah. docs/configuration.md explains these and all others.
# "miftah start --config FILE --show-config" shows what is in force.
`;

type Line = readonly [name: string, value: string, about: string];

/**
 * The file of settings: each line with a comment that says what it is. What has its default is left
 * out, and so is what is empty.
 */
export function settingsText({ dir, isRehearsal }: Place, answers: Answers): string {
  const asked = QUESTIONS.filter(({ name }) => Object.hasOwn(SETTINGS, name));
  const lines: readonly Line[] = [
    ['PROVIDER', 'live', 'people prove who they are to an identity provider'],
    ['ALLOW_SIMULATOR', isRehearsal ? 'yes' : '', 'a rehearsal: the provider is the simulator'],
    ['CLIENTS_FILE', join(dir, 'clients.json'), SETTINGS.CLIENTS_FILE.help],
    ['SECRET_KEY_FILE', secretFile(dir, 'SECRET_KEY'), 'encrypts people; keep a copy elsewhere'],
    ...asked.map(({ name, about, isSecret }): Line => {
      const value = answers[name] ?? '';
      if (isSecret !== true) return [name, value, about];
      return [`${name}_FILE`, value === '' ? '' : secretFile(dir, name), about];
    }),
  ];
  const written = lines.filter(([name, value]) => value !== '' && value !== defaultOf(name));
  return [
    HEADING,
    ...written.map(([name, value, about]) => `# ${about}\n${settingLine(name, value)}\n`),
  ].join('\n');
}

/**
 * The settings of the simulator that a rehearsal has as its provider, for its environment. A shell
 * reads them, so that nothing in a value may be a command: other readers of such files know single
 * quotes too, but none of a quote's own, which is refused (`simulatorFaults`).
 */
export function simulatorText(dir: string, answers: Answers): string {
  const lines = Object.entries(simulatorSettings(dir, answers)).map(
    ([name, value]) => `${name}=${value === '' ? '' : shellWord(value)}\n`,
  );
  return `# Settings of the simulator, as the provider of this rehearsal.\n${lines.join('')}`;
}

/** Why the simulator of a rehearsal can't have these answers. */
export function simulatorFaults(dir: string, answers: Answers): string[] {
  const quoted = Object.entries(simulatorSettings(dir, answers))
    .filter(([, value]) => value.includes("'"))
    .map(([name, value]) => `${value} has a character that ${name} of the simulator can't have`);
  // Both run on one machine, and a port is taken by the first of them.
  const port = portOf(answers['PROVIDER_URL'] ?? '');
  const shared = (['PORT', 'METRICS_PORT'] as const)
    .filter((name) => (answers[name] ?? '') !== '' && Number(answers[name]) === Number(port))
    .map(
      (name) =>
        `${name} is ${port}, where the simulator of the rehearsal listens: name another port, ` +
        'or give the simulator one with --provider-url http://127.0.0.1:PORT',
    );
  return [...quoted, ...shared];
}

function simulatorSettings(dir: string, answers: Answers): Readonly<Record<string, string>> {
  const { PUBLIC_URL = '', PROVIDER_URL = '', PROVIDER_PATH_PREFIX = '/' } = answers;
  const { PROVIDER_WEB_ISSUER: webIssuer = '', PROVIDER_WEB_PATH_PREFIX = '' } = answers;
  const prefixes = [PROVIDER_PATH_PREFIX, PROVIDER_WEB_PATH_PREFIX];
  return {
    // In the image both have other values.
    HOST: '127.0.0.1',
    ALLOW_SIMULATOR: 'yes',
    PORT: portOf(PROVIDER_URL),
    PUBLIC_URL: PROVIDER_URL,
    PROVIDER_PATH_PREFIX: prefixes.filter((one) => one !== '').join(','),
    DATA_DIR: join(dir, 'simulator'),
    APP_ID_FILE: secretFile(dir, 'PROVIDER_APP_ID'),
    APP_KEY_FILE: secretFile(dir, 'PROVIDER_APP_KEY'),
    ISSUER: answers['PROVIDER_ISSUER'] ?? '',
    ...(webIssuer === '' ? {} : { WEB_ISSUER: webIssuer }),
    CLIENT_ID: answers['PROVIDER_AUDIENCE'] ?? '',
    AUDIENCE: answers['PROVIDER_AUDIENCE'] ?? '',
    RELYING_PARTY_RETURN_URL: `${PUBLIC_URL}/api/v1/callback`,
    RELYING_PARTY_PUSH_URL: `${PUBLIC_URL}/api/v1/provider/mfa-callback`,
  };
}

function portOf(origin: string): string {
  const port = URL.parse(origin)?.port ?? '';
  return port === '' ? '80' : port;
}
