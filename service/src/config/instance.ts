import { environmentWarnings } from '@miftah/schema/misspelt-settings';
import { parseScope } from '../attempt/scenario.ts';
import { secretIn } from './source/secret-files.ts';

/** Which running instance the commands of `miftah` drive, and with what they show who they are. */
export interface InstanceSettings {
  /** The origin of the instance. */
  readonly origin: string;
  /** Null: the scope `default`. */
  readonly scope: string | null;
  /** For the control API; null where none is set. */
  readonly simulatorToken: string | null;
  /** For sign-ins; null: none is sent. */
  readonly clientKey: string | null;
  /** For the person: variables that look like settings of the commands and are none. */
  readonly misspelt: readonly string[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_URL = 'http://127.0.0.1:3000';
/** Public on purpose: it gives access to invented data only. */
const SIMULATOR_KEY = 'mfk_test_simulator';
const TOKEN_FILE = 'SIMULATOR_TOKEN_FILE';
const SHARED_WITH_SERVICE = ['SIMULATOR_TOKEN', TOKEN_FILE];
/** An application has the address of the API, which may name a scope. */
const API_PATH = /^(?:\/scopes\/(?<scope>[^/]*))?(?:\/api\/v1)?\/?$/;

/**
 * Flags have priority over the environment. An address is not repeated in an error: somebody may
 * have put a secret there.
 * @throws Error that says what is allowed
 */
export function readInstance(
  flags: { readonly url?: string | undefined; readonly scope?: string | undefined },
  environment: Environment,
): InstanceSettings {
  const url = readUrl(flags.url ?? presentIn(environment, 'MIFTAH_URL') ?? DEFAULT_URL);
  const named = flags.scope ?? presentIn(environment, 'MIFTAH_SCOPE') ?? url.scope;
  if (named !== null && parseScope(named) === null) {
    throw new Error('A scope is 1 to 64 of a to z, 0 to 9 and "-" (--scope, MIFTAH_SCOPE).');
  }
  return {
    origin: url.origin,
    scope: named,
    simulatorToken: readToken(environment),
    clientKey: readKey(forHeader('MIFTAH_KEY', environment['MIFTAH_KEY'])),
    misspelt: environmentWarnings(environment, SHARED_WITH_SERVICE),
  };
}

function readUrl(text: string): { readonly origin: string; readonly scope: string | null } {
  const url = URL.parse(text);
  const path = API_PATH.exec(url?.pathname ?? 'none');
  const scope = path?.groups?.['scope'] ?? null;
  const isScope = scope === null || parseScope(scope) !== null;
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === '';
  if (url === null || path === null || !isScope || !isPlain || !/^https?:$/.test(url.protocol)) {
    throw new Error(
      'The address of an instance is an origin such as http://127.0.0.1:3000, with or without ' +
        '/api/v1 (--url, MIFTAH_URL).',
    );
  }
  return { origin: url.origin, scope };
}

/** @throws Error when both are set, or the file can't be used */
function readToken(environment: Environment): string | null {
  const token = forHeader('SIMULATOR_TOKEN', presentIn(environment, 'SIMULATOR_TOKEN'));
  const path = presentIn(environment, TOKEN_FILE);
  if (path === undefined) return token ?? null;
  if (token !== undefined) throw new Error(`${TOKEN_FILE} and SIMULATOR_TOKEN are both set`);
  return forHeader(TOKEN_FILE, secretIn(TOKEN_FILE, path));
}

/** @throws Error for a secret that can't be sent, and does not repeat it */
function forHeader<Text extends string | undefined>(name: string, text: Text): Text {
  if (/[^!-~]/.test(text ?? '')) {
    throw new Error(`${name} must be visible ASCII characters, without Bearer and without spaces`);
  }
  return text;
}

/** An empty variable means no key: an instance may have keyless clients of its own. @throws Error */
function readKey(text = SIMULATOR_KEY): string | null {
  if (text === '') return null;
  if (!/^mfk_./.test(text)) throw new Error('MIFTAH_KEY must be the key of a client (mfk_…)');
  return text;
}

function presentIn(environment: Environment, name: string): string | undefined {
  return environment[name] === '' ? undefined : environment[name];
}
