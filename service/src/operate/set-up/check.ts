import type { Answers } from '../../commands/init/questions.ts';
import { ConfigError, loadConfig } from '../../config/config.ts';
import { settingLine } from '../../config/describe.ts';
import { SETTINGS } from '../../config/settings.ts';
import { readClients } from '../../platform/files/clients-file.ts';
import { clientsText } from './texts.ts';

/** Settings of which one alone is looked at, so that others are not missing. */
const COMPLETE: Answers = {
  PUBLIC_URL: 'https://login.example.com',
  PROVIDER_URL: 'https://provider.example.com',
  PROVIDER_PATH_PREFIX: '/',
  PROVIDER_APP_ID: 'id',
  PROVIDER_APP_KEY: 'key',
  PROVIDER_ISSUER: 'https://provider.example.com',
  PROVIDER_AUDIENCE: 'https://login.example.com',
  PROVIDER_AUTHORIZE_ORIGIN: 'https://provider.example.com',
  'client.id': 'app',
  'client.name-en': 'App',
  'client.name-ar': 'تطبيق',
  'client.return-address': 'https://app.example.com/',
  'client.type': 'confidential',
};

const ANY_KEY = '0'.repeat(64);

/** Why one answer can't be used, without the name of its setting; null when it can. */
export function faultOf(name: string, text: string): string | null {
  const [fault] = allFaults({ ...COMPLETE, [name]: text }, false, ANY_KEY);
  if (fault === undefined) return null;
  return fault.replace(new RegExp(`^${name}:? `), '');
}

/**
 * Everything that would keep the service from starting with these answers, as its start reads them.
 * @param secretKey 32 bytes in hex
 */
export function allFaults(answers: Answers, isRehearsal: boolean, secretKey: string): string[] {
  const settings = Object.entries(answers).filter(([name]) => !name.includes('.'));
  const environment = {
    ...Object.fromEntries(settings),
    PROVIDER: 'live',
    SECRET_KEY: secretKey,
    CLIENTS_FILE: 'clients.json',
    ...(isRehearsal ? { ALLOW_SIMULATOR: 'yes' } : {}),
  };
  return [
    ...formFaults(answers),
    ...portFaults(answers),
    ...faultsIn(() => loadConfig([], environment)),
    ...clientFaults(answers),
  ];
}

/** Where nothing has no meaning. An empty path would be the folder from which the command is called. */
const NEVER_EMPTY = new Set(['HOST', 'PORT', 'DATA_DIR', 'AUDIT_HEAD_FILE']);

/** What no file can hold, and no terminal should show. A secret is alone in its file. */
function formFaults(answers: Answers): string[] {
  return Object.entries(answers)
    .filter(([name]) => !Object.hasOwn(SETTINGS, `${name}_FILE`))
    .flatMap(([name, text]) => {
      if (NEVER_EMPTY.has(name) && text.trim() === '') {
        return [`${name} is empty: give it a value, or leave the flag out for the usual one`];
      }
      if (/\p{Cc}/u.test(text)) return [`${name} must have no control characters`];
      const isHeld = name.includes('.') || settingLine(name, text) !== null;
      return isHeld ? [] : [`${name} has quotation marks of every kind: use fewer`];
    });
}

/** A start takes 0 for any free port. Nothing that is set up for this one could find it then. */
function portFaults({ PORT = '' }: Answers): string[] {
  if (!/^0+$/.test(PORT)) return [];
  return [
    'PORT must be the same at each start, and 0 is a free port, another one each time: ' +
      'name one from 1 to 65535, or leave the flag out for 3000',
  ];
}

function clientFaults(answers: Answers): string[] {
  const text = clientsText(answers, `mfk_${ANY_KEY}`);
  const content: unknown = JSON.parse(text);
  // The flag is named before it, so neither the place nor the member of the file helps.
  return faultsIn(() => readClients(content, 'the first application')).map((fault) =>
    fault.replace(/^clients\[0\] \(.*?\): (?:"\w+(?:\[\d+\])?",? )+(?:of "\w+" )?/u, ''),
  );
}

function faultsIn(read: () => unknown): string[] {
  try {
    read();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return [...error.faults];
    const message = error instanceof Error ? error.message : String(error);
    // Of a clients file: the place, then a line for each fault.
    return message.includes('\n  - ') ? message.split('\n  - ').slice(1) : [message];
  }
}
