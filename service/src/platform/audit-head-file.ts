import { readKeptHead, writeKeptHead, type KeptHead } from '../domain/audit-head.ts';
import { readIfThere, replaceDurably } from './durable-file.ts';

/** `AUDIT_HEAD_FILE`: the end of the audit log, kept outside the store and signed with our key. */
export class AuditHeadFile {
  readonly path: string;
  readonly #keys: readonly Uint8Array[];
  #last: KeptHead | null = null;

  /** Signs with the first key, and accepts the signature of any of them. */
  constructor(path: string, keys: readonly Uint8Array[]) {
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
    const head = readKeptHead(this.#keys, text);
    this.#last = head;
    if (head !== null) return head;
    throw new Error(
      `${this.path} (AUDIT_HEAD_FILE) was changed, or written under a key that is neither ` +
        'SECRET_KEY nor one of RETIRED_SECRET_KEYS. After `miftah keys abandon`, keep it elsewhere: ' +
        'the service begins a new one',
    );
  }

  /** Replaces the file completely or not at all, even if the power fails. */
  write(head: KeptHead): void {
    const [key = new Uint8Array()] = this.#keys;
    replaceDurably(this.path, writeKeptHead(key, head));
    this.#last = head;
  }
}
