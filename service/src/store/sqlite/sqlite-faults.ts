/** What faults of SQLite are for who calls the store, and for the operator who can't open it. */
import { Refusal } from '../../errors/refusal.ts';
import { StoreOpenError, type OpenFaultCode } from '../store-fault.ts';
import { isResult, RESULT } from './thread/result-codes.ts';
import type { OpenStage, SqlFault, WorkerSettings } from './thread/worker-protocol.ts';

export const RETRY_AFTER_SECONDS = 1;

/** @param reason null where the store is closed */
export function unavailable(reason: string | null): Refusal {
  const cause = new Error(reason ?? 'the store is closed');
  return new Refusal('storage.unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause });
}

export function outcomeUnknown({ message }: SqlFault): Refusal {
  return new Refusal('storage.outcome_unknown', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
    cause: new Error(message),
  });
}

export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

const IN_USE_ADVICE = 'Stop it, or give this one a PORT and a DATA_DIR of its own.';

/** The error for an operator that tells why the writer could not open the file. */
export function openError(
  { file, lockFile, lockWaitMs }: WorkerSettings,
  stage: OpenStage,
  fault: SqlFault,
): StoreOpenError {
  if (stage === 'lock' && lockFile !== null) {
    if (!isResult(fault.code, RESULT.busy, RESULT.locked)) return lockFileError(lockFile, fault);
    const what = `Another Miftah uses ${file}: it kept ${lockFile} for ${lockWaitMs} ms`;
    return describe('store.locked', what, IN_USE_ADVICE, fault);
  }
  if (lockFile === null && isResult(fault.code, RESULT.busy)) {
    const what = `${file} is kept by the service alone, which it does when it was started on a full disk`;
    return describe('store.locked', what, 'Free some space, and restart the service.', fault);
  }
  if (stage === 'verify' || isResult(fault.code, RESULT.corrupt, RESULT.notADatabase)) {
    return corruptError(file, fault);
  }
  if (stage === 'log') return damagedLogError(`${file}-wal`, fault);
  if (stage === 'setting') {
    const what = `${file} can't be used safely: ${fault.message}`;
    return describe('store.unsafe_setting', what, 'Move DATA_DIR to a local disk.', fault);
  }
  const what = `${file} can't be opened: ${fault.message}`;
  return describe(
    'store.unavailable',
    what,
    'Check that DATA_DIR is writable and has space.',
    fault,
  );
}

/** The error for an operator when the lock could not be taken, and nobody holds it. */
export function lockFileError(lock: string, fault: SqlFault): StoreOpenError {
  if (isResult(fault.code, RESULT.corrupt, RESULT.notADatabase)) {
    const what = `${lock} is damaged, or was made by another program: ${fault.message}`;
    const advice =
      'It has no data in it. Make sure that no Miftah runs on this folder, and remove that file ' +
      'alone: the next start makes it anew.';
    return describe('store.unavailable', what, advice, fault);
  }
  const what = `${lock} can't be locked: ${fault.message}`;
  const advice = 'Check that this user may write to it, and that the disk has space.';
  return describe('store.unavailable', what, advice, fault);
}

function corruptError(file: string, fault: SqlFault): StoreOpenError {
  const what = `${file} is damaged, or not a database: ${fault.message}`;
  const advice = 'It was left as it is. Move it away and restore a backup.';
  return describe('store.corrupt', what, advice, fault);
}

function damagedLogError(log: string, fault: SqlFault): StoreOpenError {
  const what = `${log} is damaged: ${fault.message}`;
  const advice =
    'Nothing was changed. Move it and the database away and restore a backup; or copy both, and ' +
    'shorten the log to that byte, which gives up what follows.';
  return describe('store.corrupt', what, advice, fault);
}

function describe(
  code: OpenFaultCode,
  what: string,
  advice: string,
  { message }: SqlFault,
): StoreOpenError {
  return new StoreOpenError(code, `${what}. ${advice}`, { cause: new Error(message) });
}
