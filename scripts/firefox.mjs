// Finds the Firefox for a few of the browser tests, or installs one.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { installPackages } from './apt.mjs';
import { machineFolders, run } from './run.mjs';
import { stage } from './stage.mjs';

const NAMES = ['firefox-esr', 'firefox'];

export const FIREFOX_HELP = `
  ----------------------------------------------------------------------
  NOT RUN: the phone and the console in Firefox. None was found and none
  could be installed. Any one of these mends it:
    - set FIREFOX_PATH to a Firefox program
    - put firefox or firefox-esr on PATH
    - on Debian, as root: apt-get install firefox-esr
  ----------------------------------------------------------------------
`;

/** @returns {string | undefined} the program's path; undefined when the machine has none */
export function findFirefox() {
  const named = process.env['FIREFOX_PATH'];
  if (named) return named;
  const folders = machineFolders();
  const places = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return places.find((place) => existsSync(place));
}

/** Installs one if there is none; if it can't, prints what the reader can do. */
export async function provideFirefox() {
  if (findFirefox()) return;
  const failure = await stage('getting a Firefox for the browser tests', installWithApt);
  if (failure !== undefined) console.error(failure, FIREFOX_HELP);
}

/** @returns {Promise<string | undefined>} why it did not work; undefined when it did */
async function installWithApt() {
  const failure = await installPackages(['firefox-esr']);
  if (failure !== undefined) return failure;
  const program = findFirefox();
  if (program === undefined) return 'the installed package brought no program';
  const started = await run(program, ['--version']);
  return started.code === 0 ? undefined : `${program} does not start: ${started.output}`;
}
