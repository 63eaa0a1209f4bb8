// One set-up at a time: `npm start` and `npm test` may well be called side by side in one checkout,
// and two installations into one folder spoil each other.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_AGAIN_MS = 200;
const GIVE_UP_AFTER_MS = 10 * 60 * 1000;

/**
 * Waits until the lock is ours.
 *
 * @param {string} file
 * @returns {Promise<() => void>} gives the lock back
 */
export async function holdLock(file) {
  mkdirSync(dirname(file), { recursive: true });
  const deadline = Date.now() + GIVE_UP_AFTER_MS;
  while (!takeLock(file)) {
    if (Date.now() > deadline) throw new Error(`another set-up holds ${file}; is it stuck?`);
    dropDeadLock(file);
    await sleep(LOOK_AGAIN_MS);
  }
  return () => rmSync(file, { force: true });
}

/** @param {string} file */
function takeLock(file) {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Clears away the lock of a holder that died. Moving it aside first leaves a single winner when
 * several waiters find it dead at once; the others find nothing to move.
 *
 * @param {string} file
 */
function dropDeadLock(file) {
  const holder = holderOf(file);
  if (holder === undefined || isAlive(holder)) return;
  const aside = `${file}.${process.pid}`;
  try {
    renameSync(file, aside);
    rmSync(aside);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

/** @param {string} file */
function holderOf(file) {
  try {
    // A lock that was made this instant may still be empty: its holder is not known yet.
    return Number(readFileSync(file, 'utf8')) || undefined;
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
