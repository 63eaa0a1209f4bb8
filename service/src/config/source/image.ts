import { IN_IMAGE } from '@miftah/schema/misspelt-settings';

/** What the image sets in its environment, which has priority over a file of settings. */
const NAMES = ['HOST', 'PORT', 'METRICS_PORT', 'DATA_DIR'] as const;

/** The settings of the image, by their names. */
export type ImageSettings = Readonly<Record<string, string>>;

/** @returns null where this program does not run in the image */
export function readImage(
  environment: Readonly<Record<string, string | undefined>>,
): ImageSettings | null {
  if (environment[IN_IMAGE] !== 'yes') return null;
  return Object.fromEntries(NAMES.map((name) => [name, environment[name] ?? '']));
}
