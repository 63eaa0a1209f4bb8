// Only one set-up runs at a time: `npm start` and `npm test` may run side by side in one checkout,
// and two installations in one folder would damage each other.

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
/** A lock that was not touched for this long belongs to nobody. A busy machine may need seconds. */
const SILENT_MS = 10_000;
const BEATS = 10;

/**
 * Waits until we hold the lock. The holder touches the lock file regularly, and a waiter takes over
 * a file that is no longer touched. The process number in the file is not used: after the holder's
 * death it may belong to another program, and it means nothing in a container that shares the
 * folder.
 *
 * @param {string} file
 * @param {number} [silentMs]
 * @returns {Promise<() => void>} releases the lock
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
 * Changes whenever the holder touches the file or another one takes it.
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
 * Renames the file before deleting it, so that only one of several waiters takes over an abandoned
 * lock. If the renamed file turns out to be another waiter's new lock, it is put back.
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
