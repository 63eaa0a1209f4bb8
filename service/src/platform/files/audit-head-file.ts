import { existsSync, renameSync } from 'node:fs';
import { readKeptHead, writeKeptHead, type KeptHead } from '../../audit/audit-head.ts';
import type { AuditKeys } from '../keys/server-keys.port.ts';
import { readIfThere, replaceDurably, tryReplacing } from './durable-file.ts';

const MORE_THAN_A_HEAD = 512;

/** `AUDIT_HEAD_FILE`: the end of the audit log, kept outside the store and signed with our key. */
export class AuditHeadFile {
  readonly path: string;
  readonly #keys: AuditKeys;
  #last: KeptHead | null = null;

  /** Signs with the first key, and accepts the signature of any of them. */
  constructor(path: string, keys: AuditKeys) {
    this.path = path;
    this.#keys = keys;
  }

  /** What was read or written last, without looking at the file. */
  get last(): KeptHead | null {
    return this.#last;
  }

  /**
   * Null when the file does not exist yet.
   * @throws Error when none of the keys has signed it
   */
  read(): KeptHead | null {
    const text = readIfThere(this.path);
    if (text === null) return null;
    const head = readKeptHead(this.#keys(), text);
    this.#last = head;
    if (head !== null) return head;
    throw new Error(
      `${this.path} (AUDIT_HEAD_FILE) was changed, or written under a key that is neither ` +
        'SECRET_KEY nor one of RETIRED_SECRET_KEYS. After `miftah keys abandon`, keep it elsewhere: ' +
        'the service begins a new one',
    );
  }

  /**
   * Keeps what a write would replace, whoever has signed it.
   * @returns its new path; null where there is none
   */
  setAside(): string | null {
    if (!existsSync(this.path)) return null;
    const path = `${this.path}.abandoned`;
    renameSync(this.path, path);
    return path;
  }

  /**
   * For a command that writes the head after a change: tries it before. The file is not touched.
   * @throws Error that says what to do
   */
  requireWritable(): void {
    this.#orSay(() => tryReplacing(this.path, ' '.repeat(MORE_THAN_A_HEAD)));
  }

  /**
   * Replaces the file completely or not at all, even if the power fails.
   * @throws Error that says what to do
   */
  write(head: KeptHead): void {
    const [key = new Uint8Array()] = this.#keys();
    this.#orSay(() => replaceDurably(this.path, writeKeptHead(key, head)));
    this.#last = head;
  }

  #orSay(write: () => void): void {
    try {
      write();
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `${this.path} (AUDIT_HEAD_FILE) can't be written: ${reason}. Its folder has to be there, ` +
          'with space, and this user has to be allowed to write into it',
        { cause: error },
      );
    }
  }
}
