import { nearestOf } from './nearest.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'MIFTAH_';

/** Up to this length a name with a wrong letter in it is often that of another program: COST and HOST. */
const OF_OTHERS = 5;
/** What many programs have, and is as near to a setting: APP_KEY. */
const USUAL = 'API_KEY';

/**
 * Variables of those who call the service: of `npx miftah`, and of the applications that the
 * documentation shows. A developer of both has them in the environment of the service too.
 */
const CALLERS = ['MIFTAH_URL', 'MIFTAH_KEY', 'MIFTAH_SCOPE'];

/**
 * The variables that begin with `MIFTAH_` and that no program reads, each with the name that was
 * probably meant: `MIFTAH_PORT (did you mean PORT?)`.
 */
export function unknownMiftahVariables(
  environment: Environment,
  settings: readonly string[],
): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !CALLERS.includes(name))
    .map((name) => {
      const rest = name.slice(PREFIX.length);
      const setting = settings.includes(rest) ? rest : nearestOf(rest, settings);
      const meant = nearestOf(name, CALLERS) ?? setting;
      return meant === undefined ? name : `${name} (did you mean ${meant}?)`;
    });
}

/**
 * A sentence for each variable that has nearly the name of a setting. It is a warning and no fault,
 * because the environment is shared with other programs. An empty variable counts as not set.
 */
export function misspeltSettings(environment: Environment, settings: readonly string[]): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    const isOther = value === '' || name === USUAL;
    const meant = isOther ? undefined : nearestOf(name, settings, OF_OTHERS);
    if (meant === undefined) return [];
    return [`${name} in the environment is no setting: did you mean ${meant}?`];
  });
}

/** Both of them as sentences, for a program that starts all the same. */
export function environmentWarnings(
  environment: Environment,
  settings: readonly string[],
): string[] {
  const unknown = unknownMiftahVariables(environment, settings);
  return [
    ...unknown.map((name) => `unknown in the environment: ${name}`),
    ...misspeltSettings(environment, settings),
  ];
}
