import type { Answers } from './set-up.ts';

/** One thing that a set-up has to know. */
export interface Question {
  /** Of a setting, or of a member of the first application: `client.id`. */
  readonly name: string;
  /** What it is: shown before the question, and the comment in the file of settings. */
  readonly about: string;
  /** An answer that is offered on a terminal. */
  readonly example?: string;
  /** The answer where none is given; null: one is needed, and '': it may be left out. */
  readonly otherwise: (answers: Answers, isRehearsal: boolean) => string | null;
  /** Offered on a terminal in place of `otherwise`, where that is too much to assume. */
  readonly offer?: (answers: Answers) => string;
  /** A secret is not shown, and its flag names a file. */
  readonly isSecret?: boolean;
  /** Not asked: there is only the flag. */
  readonly isFlagOnly?: boolean;
}

type Otherwise = Question['otherwise'];

const needed: Otherwise = () => null;
const optional: Otherwise = () => '';
const always = (text: string) => () => text;
const inRehearsal =
  (text: string, live: string | null = null): Otherwise =>
  (_, isRehearsal) =>
    isRehearsal ? text : live;

const SERVICE: readonly Question[] = [
  {
    name: 'HOST',
    about: 'The address on which the service listens.',
    otherwise: always('127.0.0.1'),
    isFlagOnly: true,
  },
  {
    name: 'PORT',
    about: 'The port on which the service listens.',
    otherwise: always('3000'),
    isFlagOnly: true,
  },
  {
    name: 'PUBLIC_URL',
    about: 'The address under which people and applications reach the service.',
    example: 'https://login.example.com',
    otherwise: ({ PORT = '' }, isRehearsal) => (isRehearsal ? `http://localhost:${PORT}` : null),
  },
  {
    name: 'TRUSTED_PROXIES',
    about: 'The addresses of the reverse proxies, which say from where a request comes.',
    // A rehearsal without TLS has no proxy in front of it.
    otherwise: ({ PUBLIC_URL = '' }, isRehearsal) =>
      isRehearsal && !PUBLIC_URL.startsWith('https:') ? '' : '127.0.0.1',
  },
  {
    name: 'METRICS_PORT',
    about: 'The port of the numbers for monitoring, on this machine only.',
    otherwise: always('9464'),
    isFlagOnly: true,
  },
  {
    name: 'DATA_DIR',
    about: 'The folder of the database.',
    otherwise: needed,
    isFlagOnly: true,
  },
  {
    name: 'AUDIT_HEAD_FILE',
    about: 'Where the end of the audit log is kept outside the database; better on another disk.',
    otherwise: needed,
    isFlagOnly: true,
  },
  {
    name: 'DATABASE_URL',
    about: 'The address of a PostgreSQL database, for several instances; empty for a file.',
    otherwise: optional,
    isSecret: true,
  },
];

const PROVIDER: readonly Question[] = [
  {
    name: 'PROVIDER_URL',
    about: 'The origin of the identity provider: scheme and host, no path.',
    example: 'https://api.provider.example',
    otherwise: inRehearsal('http://127.0.0.1:4000'),
  },
  {
    name: 'PROVIDER_PATH_PREFIX',
    about: "What stands before the provider's paths; / for nothing.",
    otherwise: inRehearsal('/stg'),
    offer: always('/'),
  },
  {
    name: 'PROVIDER_WEB_PATH_PREFIX',
    about: 'The same for sign-ins by browser, where it is another one than for pushes.',
    otherwise: optional,
  },
  {
    name: 'PROVIDER_APP_ID',
    about: 'The application id that the provider has given you.',
    otherwise: inRehearsal('rehearsal-app'),
    isSecret: true,
  },
  {
    name: 'PROVIDER_APP_KEY',
    about: 'The key that goes with the application id.',
    otherwise: needed,
    isSecret: true,
  },
  {
    name: 'PROVIDER_ISSUER',
    about: "The issuer of the provider's tokens, character by character.",
    otherwise: ({ PROVIDER_URL = '' }, isRehearsal) => (isRehearsal ? PROVIDER_URL : null),
    offer: ({ PROVIDER_URL = '' }) => PROVIDER_URL,
  },
  {
    name: 'PROVIDER_WEB_ISSUER',
    about: 'The issuer of tokens of sign-ins by browser, where pushes have another one.',
    otherwise: optional,
  },
  {
    name: 'PROVIDER_AUDIENCE',
    about: 'Your own address as the provider has registered it, character by character.',
    otherwise: ({ PUBLIC_URL = '' }, isRehearsal) => (isRehearsal ? PUBLIC_URL : null),
    offer: ({ PUBLIC_URL = '' }) => PUBLIC_URL,
  },
  {
    name: 'PROVIDER_AUTHORIZE_ORIGIN',
    about: 'The origin of the page where people sign in.',
    otherwise: ({ PROVIDER_URL = '' }, isRehearsal) => (isRehearsal ? PROVIDER_URL : null),
    offer: ({ PROVIDER_URL = '' }) => PROVIDER_URL,
  },
  {
    name: 'PROVIDER_OWN_ADDRESS',
    about: 'Your own IP address as the provider has registered it; empty where it has none.',
    otherwise: optional,
  },
  {
    name: 'PROVIDER_MFA_CALLBACK',
    about:
      'The word "registered" where the provider has registered ' +
      'PUBLIC_URL/api/v1/provider/mfa-callback; empty where it has not: nobody signs in by phone then.',
    otherwise: inRehearsal('registered', ''),
  },
  {
    name: 'PROVIDER_SERVICE',
    about: 'The registered name of your service, for pushes.',
    otherwise: always('Login'),
    isFlagOnly: true,
  },
  {
    name: 'PROVIDER_PUSH_LIFETIME',
    about: 'How long a push to a phone can be answered.',
    otherwise: inRehearsal('60s', ''),
    isFlagOnly: true,
  },
  {
    name: 'MINIMUM_ASSURANCE',
    about: 'The lowest level of assurance that may sign in.',
    otherwise: always('0'),
    isFlagOnly: true,
  },
];

const CLIENT: readonly Question[] = [
  {
    name: 'client.id',
    about: 'A short name of the first application: lower-case letters, digits and "-".',
    example: 'bank',
    otherwise: inRehearsal('app'),
  },
  {
    name: 'client.name-en',
    about: 'Its name in English, as people see it.',
    example: 'Example Bank',
    otherwise: inRehearsal('Example Application'),
  },
  {
    name: 'client.name-ar',
    about: 'Its name in Arabic.',
    otherwise: inRehearsal('تطبيق المثال'),
  },
  {
    name: 'client.return-address',
    about: 'Where browsers come back to after a sign-in; several with commas between them.',
    example: 'https://bank.example.com/signed-in',
    otherwise: inRehearsal('http://localhost:8080/signed-in'),
  },
  {
    name: 'client.type',
    about: 'confidential: it has a back end that keeps a key. public: it is a page or an app.',
    otherwise: always('confidential'),
    isFlagOnly: true,
  },
];

export const QUESTIONS: readonly Question[] = [...SERVICE, ...PROVIDER, ...CLIENT];

/** `--public-url`, `--client-id`; of a secret the file: `--provider-app-key-file`. */
export function flagOf({ name, isSecret = false }: Question): string {
  const flag = name.toLowerCase().replaceAll(/[_.]/g, '-');
  return `--${flag}${isSecret ? '-file' : ''}`;
}
