import { join } from 'node:path';
import type { Answers } from '../../commands/init/set-up.ts';
import { settingLine } from '../../config/describe.ts';

/** The settings of the simulator that a rehearsal has as its provider, for its environment. */
export function simulatorText(dir: string, answers: Answers): string {
  const { PUBLIC_URL = '', PROVIDER_URL = '', PROVIDER_PATH_PREFIX = '/' } = answers;
  const returns = (answers['client.return-address'] ?? '').split(',');
  const origins = [PUBLIC_URL, ...returns.map((address) => originOf(address.trim()))];
  const settings = {
    // In the image both have other values.
    HOST: '127.0.0.1',
    ALLOW_SIMULATOR: 'yes',
    PORT: portOf(PROVIDER_URL),
    PUBLIC_URL: PROVIDER_URL,
    PROVIDER_PATH_PREFIX: PROVIDER_PATH_PREFIX === '/' ? '' : PROVIDER_PATH_PREFIX,
    DATA_DIR: join(dir, 'simulator'),
    APP_ID_FILE: join(dir, 'secrets', 'provider-app-id'),
    APP_KEY_FILE: join(dir, 'secrets', 'provider-app-key'),
    ISSUER: answers['PROVIDER_ISSUER'] ?? '',
    CLIENT_ID: answers['PROVIDER_AUDIENCE'] ?? '',
    AUDIENCE: answers['PROVIDER_AUDIENCE'] ?? '',
    RELYING_PARTY_RETURN_URL: `${PUBLIC_URL}/api/v1/callback`,
    RELYING_PARTY_PUSH_URL: `${PUBLIC_URL}/api/v1/provider/mfa-callback`,
    RELYING_PARTY_ORIGINS: [...new Set(origins)].join(','),
  };
  const lines = Object.entries(settings).map(([name, value]) => settingLine(name, value));
  return ['# Settings of the simulator, as the provider of this rehearsal.', ...lines, ''].join(
    '\n',
  );
}

const originOf = (address: string) => URL.parse(address)?.origin ?? '';

function portOf(origin: string): string {
  const url = URL.parse(origin);
  return url === null || url.port === '' ? '80' : url.port;
}
