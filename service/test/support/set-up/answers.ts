/** Answers to all questions of `miftah init` that have no default in live mode. */
export const LIVE_ANSWERS = {
  PUBLIC_URL: 'https://login.example.test',
  PROVIDER_URL: 'https://api.provider.test',
  PROVIDER_PATH_PREFIX: '/',
  PROVIDER_APP_ID: 'id',
  PROVIDER_APP_KEY: 'key',
  PROVIDER_ISSUER: 'https://provider.test',
  PROVIDER_AUDIENCE: 'https://login.example.test',
  PROVIDER_AUTHORIZE_ORIGIN: 'https://sign-in.provider.test',
  'client.id': 'bank',
  'client.name-en': 'Example Bank',
  'client.name-ar': 'مصرف المثال',
  'client.return-address': 'https://bank.example.test/return',
};
