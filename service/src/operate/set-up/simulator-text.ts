import { join } from 'node:path';
import type { Answers } from '../../commands/init/set-up.ts';
import { shellWord } from '../../platform/shell-word.ts';

/**
 * The settings of the simulator that a rehearsal has as its provider, for its environment. A shell
 * reads them, so that nothing in a value may be a command: other readers of such files know single
 * quotes too, but none of a quote's own, which is refused (`simulatorFaults`).
 */
export function simulatorText(dir: string, answers: Answers): string {
  const lines = Object.entries(settingsOf(dir, answers)).map(
    ([name, value]) => `${name}=${value === '' ? '' : shellWord(value)}`,
  );
  return ['# Settings of the simulator, as the provider of this rehearsal.', ...lines, ''].join(
    '\n',
  );
}

/** What the file of its settings can't hold. In the image its reader knows no quotes at all. */
export function simulatorFaults(dir: string, answers: Answers, isInImage: boolean): string[] {
  const isHeld = (value: string) => !value.includes("'") && !(isInImage && isQuoted(value));
  return Object.entries(settingsOf(dir, answers))
    .filter(([, value]) => !isHeld(value))
    .map(([name, value]) => `${value} has a character that ${name} of the simulator can't have`);
}

/** Both run on one machine, and a port is taken by the first of them. */
export function sharedPortFaults(answers: Answers): string[] {
  const port = portOf(answers['PROVIDER_URL'] ?? '');
  return (['PORT', 'METRICS_PORT'] as const)
    .filter((name) => (answers[name] ?? '') !== '' && Number(answers[name]) === Number(port))
    .map(
      (name) =>
        `${name} is ${port}, where the simulator of the rehearsal listens: name another port, ` +
        'or give the simulator one with --provider-url http://127.0.0.1:PORT',
    );
}

const isQuoted = (value: string) => value !== '' && shellWord(value) !== value;

function settingsOf(dir: string, answers: Answers): Readonly<Record<string, string>> {
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
    APP_ID_FILE: join(dir, 'secrets', 'provider-app-id'),
    APP_KEY_FILE: join(dir, 'secrets', 'provider-app-key'),
    ISSUER: answers['PROVIDER_ISSUER'] ?? '',
    ...(webIssuer === '' ? {} : { WEB_ISSUER: webIssuer }),
    CLIENT_ID: answers['PROVIDER_AUDIENCE'] ?? '',
    AUDIENCE: answers['PROVIDER_AUDIENCE'] ?? '',
    RELYING_PARTY_RETURN_URL: `${PUBLIC_URL}/api/v1/callback`,
    RELYING_PARTY_PUSH_URL: `${PUBLIC_URL}/api/v1/provider/mfa-callback`,
  };
}

function portOf(origin: string): string {
  const url = URL.parse(origin);
  return url === null || url.port === '' ? '80' : url.port;
}
