// One set-up at a time: `npm start` and `npm test` may well be called side by side in one checkout,
// and two installations into one folder spoil each other.

import { randomUUID } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_AGAIN_MS = 200;
const GIVE_UP_AFTER_MS = 10 * 60 * 1000;
/** A lock whose holder has not touched it for so long is nobody's. A busy machine needs seconds. */
const SILENT_MS = 10_000;
const BEATS = 10;

/**
 * Waits until the lock is ours. Whoever has it touches its file now and then, and a waiter takes a
 * file that is not touched any more. What the file says does not matter: the process number of a
 * holder that died is soon another program's, or means nothing in a container that shares the folder.
 *
 * @param {string} file
 * @param {number} [silentMs]
 * @returns {Promise<() => void>} gives the lock back
 */
export async function holdLock(file, silentMs = SILENT_MS) {
  mkdirSync(dirname(file), { recursive: true });
  const mark = `${process.pid} ${randomUUID()}`;
  const started = performance.now();
  let seen = { state: '', since: started };
  while (!takeLock(file, mark)) {
    const now = performance.now();
    if (now - started > GIVE_UP_AFTER_MS) {
      throw new Error(`another set-up holds ${file}; is it stuck?`);
    }
    const state = stateOf(file);
    if (state !== seen.state) seen = { state, since: now };
    else if (now - seen.since > silentMs) dropDeadLock(file, state);
    await sleep(Math.min(LOOK_AGAIN_MS, silentMs / BEATS));
  }
  const beating = setInterval(() => beat(file, mark), silentMs / BEATS);
  beating.unref();
  return () => {
    clearInterval(beating);
    if (isOurs(file, mark)) rmSync(file, { force: true });
  };
}

/**
 * @param {string} file
 * @param {string} mark
 */
function takeLock(file, mark) {
  try {
    writeFileSync(file, mark, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * @param {string} file
 * @param {string} mark
 */
function beat(file, mark) {
  const now = new Date();
  if (isOurs(file, mark)) utimesSync(file, now, now);
}

/**
 * @param {string} file
 * @param {string} mark
 */
function isOurs(file, mark) {
  try {
    return readFileSync(file, 'utf8') === mark;
  } catch {
    return false;
  }
}

/**
 * Another text or another time of change is a sign of life.
 *
 * @param {string} file
 */
function stateOf(file) {
  try {
    return `${statSync(file).mtimeMs} ${readFileSync(file, 'utf8')}`;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/**
 * Moving the file aside first leaves a single winner when several waiters find it dead at once. One
 * that has just become another waiter's is put back.
 *
 * @param {string} file
 * @param {string} state
 */
function dropDeadLock(file, state) {
  if (stateOf(file) !== state) return;
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
    if (stateOf(aside) !== state) linkSync(aside, file);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
