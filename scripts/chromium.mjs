// Finds the Chromium for the browser tests, or installs one.

import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { installPackages } from './apt.mjs';
import { machineFolders, root, run } from './run.mjs';
import { stage } from './stage.mjs';

/**
 * The one without windows first: the same engine and network, and half of the processor time for
 * each new context, since a Chromium makes a whole window for it even when nobody sees it.
 */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
/** Stores the path of a Chromium that Playwright downloaded, for later runs. */
const noteFile = join(root, '.cache', 'chromium-path');

const HELP = `
  ----------------------------------------------------------------------
  No Chromium was found and none could be installed. The browser tests
  will fail. Any one of these mends it:
    - set CHROMIUM_PATH to a Chromium or Chrome program
    - put one of these on PATH: chromium-headless-shell, chromium,
      chromium-browser, google-chrome
    - on Debian, as root: apt-get install chromium-headless-shell
    - npx playwright-core install --with-deps chromium
  ----------------------------------------------------------------------
`;

/** @returns {string | undefined} the program's path; undefined when the machine has none */
export function findChromium() {
  const named = process.env['CHROMIUM_PATH'];
  if (named) return named;
  return findOnPath() ?? readNote();
}

function findOnPath() {
  const folders = machineFolders();
  const places = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return places.find(isProgram);
}

function readNote() {
  if (!existsSync(noteFile)) return undefined;
  const path = readFileSync(noteFile, 'utf8');
  return isProgram(path) ? path : undefined;
}

/** @param {string} path */
function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Installs a Chromium if possible; otherwise prints what the reader can do. */
export async function provideChromium() {
  if (process.env['CHROMIUM_PATH'] && !isProgram(process.env['CHROMIUM_PATH'])) {
    throw new Error(`CHROMIUM_PATH is not a program: ${process.env['CHROMIUM_PATH']}`);
  }
  if (findChromium()) return;
  const said = await stage('getting a Chromium for the browser tests', install);
  if (said.length > 0) console.error(said.join('\n'), HELP);
}

/** @returns {Promise<string[]>} why each attempt did not work; empty when one did */
async function install() {
  const said = [];
  for (const attempt of [installWithApt, downloadWithPlaywright]) {
    const failure = await attempt();
    if (failure === undefined) return [];
    said.push(failure);
  }
  return said;
}

/** @returns {Promise<string | undefined>} why it did not work; undefined when it did */
async function installWithApt() {
  const said = [];
  // Not every distribution has the first package.
  for (const name of ['chromium-headless-shell', 'chromium']) {
    const failed = await installPackages([name]);
    // Some distributions have an empty package of this name, so only running the program is proof.
    const failure = failed ?? (await whyNotRunning(findOnPath()));
    if (failure === undefined) return undefined;
    said.push(failure);
  }
  return [...new Set(said)].join('');
}

async function downloadWithPlaywright() {
  const cli = join(root, 'node_modules', 'playwright-core', 'cli.js');
  const result = await run(process.execPath, [cli, 'install', 'chromium']);
  if (result.code !== 0) return result.output;
  const { chromium } = await import('playwright-core');
  const path = chromium.executablePath();
  const failure = await whyNotRunning(path);
  if (failure === undefined) keepNote(path);
  return failure;
}

/** @param {string | undefined} path */
async function whyNotRunning(path) {
  if (path === undefined) return 'the installed package brought no program';
  const result = await run(path, ['--version']);
  return result.code === 0 ? undefined : `${path} does not start: ${result.output}`;
}

/** @param {string} path */
function keepNote(path) {
  mkdirSync(dirname(noteFile), { recursive: true });
  writeFileSync(noteFile, path);
}
