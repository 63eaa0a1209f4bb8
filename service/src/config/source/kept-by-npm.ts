import { flagOf, FLAGS, secretPlaceOf } from './flags.ts';

const NPM_SETTING = 'npm_config_';

/**
 * Flags of ours that were written before `--`: npm reads them as settings of its own, and hands them
 * over in the environment only. Without this the service would start as if they were not there.
 * @returns a sentence for each, without its value
 */
export function keptByNpm(environment: NodeJS.ProcessEnv): readonly string[] {
  const script = environment['npm_lifecycle_event'];
  if (script === undefined) return [];
  const names = FLAGS.filter((name) => `${NPM_SETTING}${name.toLowerCase()}` in environment);
  return names.map((name) => {
    const flag = `--${flagOf(name)}`;
    const place = secretPlaceOf(name);
    const instead = place === undefined ? `write ${callOf(script)} ${flag}` : `set ${place}`;
    return `npm keeps ${flag} for itself when no -- stands before it: ${instead}`;
  });
}

/** For npx a flag is its own where it stands before the name of the program. */
function callOf(script: string): string {
  if (script === 'npx') return 'npx miftah COMMAND';
  return script === 'start' ? 'npm start --' : `npm run ${script} --`;
}
