/** Every setting that live mode needs, with reserved names (RFC 2606). */
export const LIVE_SETTINGS: Readonly<Record<string, string>> = {
  PROVIDER: 'live',
  PUBLIC_URL: 'https://login.example.test',
  SECRET_KEY: 'ab'.repeat(32),
  CLIENTS_FILE: 'clients.json',
  PROVIDER_URL: 'https://provider.example.test',
  PROVIDER_PATH_PREFIX: '/',
  PROVIDER_APP_ID: 'the-app-id',
  PROVIDER_APP_KEY: 'the-app-key',
  PROVIDER_ISSUER: 'https://issuer.example.test',
  PROVIDER_AUDIENCE: 'https://login.example.test',
  PROVIDER_AUTHORIZE_ORIGIN: 'https://auth.example.test',
};
