import { defaultOf, SETTINGS } from '../../config/settings.ts';
import { withoutControls } from '../instance/without-controls.ts';

/** Answers by name: of a setting (`PUBLIC_URL`), or of the first application (`client.id`). */
export type Answers = Readonly<Record<string, string>>;

/** Where the unit and the image have the settings. */
export const SYSTEM_DIR = '/etc/miftah';

/** What `miftah init` was told. */
export interface SetUpRequest {
  readonly dir: string;
  /** Live mode against the simulator, with invented people. */
  readonly isRehearsal: boolean;
  /** Whether a person may be asked what no flag says. */
  readonly mayAsk: boolean;
  /** What flags have said, by the names of the questions. Those of secrets name a file. */
  readonly flags: Answers;
}

type Answer = string | ((answers: Answers) => string);

/** One thing that a set-up has to know. */
export interface Question {
  /** Of a setting, or of a member of the first application: `client.id`. */
  readonly name: string;
  /** Shown before the question, and the comment in the file of settings. */
  readonly about: string;
  /**
   * The answer where none is given, unless one follows from the place: the default of a setting that
   * has one. Undefined: an answer is needed. '': it may be left out.
   */
  readonly usual?: Answer | undefined;
  /** The same in a rehearsal, where it differs. */
  readonly rehearsed?: Answer;
  /** Offered on a terminal in place of `usual`, where that is too much to assume. */
  readonly offer?: Answer;
  /** A secret is not shown, and its flag names a file. */
  readonly isSecret?: boolean;
  /** Not asked: there is only the flag. */
  readonly isFlagOnly?: boolean;
}

const setting = (name: keyof typeof SETTINGS, more: Partial<Question> = {}): Question => ({
  name,
  about: SETTINGS[name].help,
  usual: defaultOf(name),
  ...more,
});

/** Needs its flag where it has no default: `usual: ''` lets it be left out. */
const flagOnly = (name: keyof typeof SETTINGS, more: Partial<Question> = {}) =>
  setting(name, { isFlagOnly: true, ...more });

const sameAs = (name: string) => (answers: Answers) => answers[name] ?? '';
const ofProvider = { rehearsed: sameAs('PROVIDER_URL'), offer: sameAs('PROVIDER_URL') };
const ofService = { rehearsed: sameAs('PUBLIC_URL'), offer: sameAs('PUBLIC_URL') };

const CALLBACK =
  '"registered" where it has registered PUBLIC_URL/api/v1/provider/mfa-callback; without it nobody ' +
  'signs in by phone';

export const QUESTIONS: readonly Question[] = [
  flagOnly('HOST'),
  flagOnly('PORT'),
  setting('PUBLIC_URL', {
    about: 'address under which people and applications reach the service: https://…',
    rehearsed: ({ PORT = '' }) => `http://localhost:${PORT}`,
  }),
  setting('TRUSTED_PROXIES', {
    usual: '127.0.0.1',
    // A rehearsal without TLS has no proxy in front of it.
    rehearsed: ({ PUBLIC_URL = '' }) => (PUBLIC_URL.startsWith('https:') ? '127.0.0.1' : ''),
  }),
  flagOnly('METRICS_PORT', { usual: '9464' }),
  flagOnly('DATA_DIR'),
  flagOnly('AUDIT_HEAD_FILE'),
  setting('DATABASE_URL', { usual: '', isSecret: true }),
  setting('PROVIDER_URL', { rehearsed: 'http://127.0.0.1:4000' }),
  setting('PROVIDER_PATH_PREFIX', { rehearsed: '/stg', offer: '/' }),
  setting('PROVIDER_WEB_PATH_PREFIX', { usual: '' }),
  setting('PROVIDER_APP_ID', { rehearsed: 'rehearsal-app', isSecret: true }),
  setting('PROVIDER_APP_KEY', { isSecret: true }),
  setting('PROVIDER_ISSUER', ofProvider),
  setting('PROVIDER_WEB_ISSUER', { usual: '' }),
  setting('PROVIDER_AUDIENCE', ofService),
  setting('PROVIDER_AUTHORIZE_ORIGIN', ofProvider),
  setting('PROVIDER_OWN_ADDRESS', { usual: '' }),
  setting('PROVIDER_MFA_CALLBACK', { about: CALLBACK, usual: '', rehearsed: 'registered' }),
  flagOnly('PROVIDER_SERVICE'),
  flagOnly('PROVIDER_PUSH_LIFETIME', { rehearsed: '60s' }),
  flagOnly('MINIMUM_ASSURANCE'),
  {
    name: 'client.id',
    about: 'short name of the first application: a-z, 0-9, -',
    rehearsed: 'app',
  },
  {
    name: 'client.name-en',
    about: 'its name in English, as people see it',
    rehearsed: 'Example Application',
  },
  { name: 'client.name-ar', about: 'its name in Arabic', rehearsed: 'تطبيق المثال' },
  {
    name: 'client.return-address',
    about: 'where browsers come back to after a sign-in; several with commas between them',
    // Of the applications in docs/client.md and docs/applications.md.
    rehearsed: 'http://127.0.0.1:8080/sign-in/return, http://127.0.0.1:8080/return',
  },
  {
    name: 'client.type',
    about: 'confidential: it has a back end that keeps a key; public: it is a page or an app',
    usual: 'confidential',
    isFlagOnly: true,
  },
];

/** `--public-url`, `--client-id`; of a secret the file: `--provider-app-key-file`. */
export function flagOf({ name, isSecret = false }: Question): string {
  const flag = name.toLowerCase().replaceAll(/[_.]/g, '-');
  return `--${flag}${isSecret ? '-file' : ''}`;
}

/** Says everything that keeps a set-up from being written, in a line for each. */
export class SetUpError extends Error {
  constructor(faults: readonly string[]) {
    super(`Nothing was written:\n  - ${faults.map(withoutControls).join('\n  - ')}`);
    // The command ends with 2 by it, as after wrong settings.
    this.name = 'SetUpError';
  }
}

/** @throws SetUpError when there are faults */
export function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new SetUpError(faults);
}
