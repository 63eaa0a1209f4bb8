import { nearestOf } from './nearest.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const OURS = 'MIFTAH_';

/**
 * Variables of those who call the service: of `npx miftah`, and of the applications that the
 * documentation shows. Whoever develops both has them in the environment of the service too.
 */
const CALLERS = ['MIFTAH_URL', 'MIFTAH_KEY', 'MIFTAH_SCOPE'];

/** With this variable the image says that a program runs in it (deploy/image/Containerfile). */
export const IN_IMAGE = 'MIFTAH_IN_IMAGE';

/** Variables that begin as ours do and mean nothing, each with the name that was probably meant. */
export function unknownOurs(environment: Environment, settings: readonly string[]): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(OURS) && ![...CALLERS, IN_IMAGE].includes(name))
    .map((name) => {
      const rest = name.slice(OURS.length);
      const isSetting = settings.includes(rest) ? rest : nearestOf(rest, settings);
      const meant = nearestOf(name, CALLERS) ?? isSetting;
      return meant === undefined ? name : `${name} (did you mean ${meant}?)`;
    });
}

/**
 * A sentence for each variable that has nearly the name of a setting. It is a warning and no fault:
 * the environment is shared with other programs. An empty variable is not set.
 */
export function misspeltSettings(environment: Environment, settings: readonly string[]): string[] {
  return Object.entries(environment).flatMap(([name, value]) => {
    const meant = value === '' ? undefined : nearestOf(name, settings);
    if (meant === undefined) return [];
    return [`${name} in the environment is no setting: did you mean ${meant}?`];
  });
}
