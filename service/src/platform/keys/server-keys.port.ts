/** The server's secret, 32 bytes, and others that this service knows. They may change while it runs. */
export interface ServerKeys {
  /** What is written, is written with it. */
  readonly current: Uint8Array;
  /** Every other known key: earlier ones, and the next one. */
  readonly retired: readonly Uint8Array[];
}

/** The keys of the audit log as they are now, the current one first. */
export type AuditKeys = () => readonly Uint8Array[];

/** What instances with one store show each other, and commands, of their keys. */
export interface KeysAmongInstances {
  /**
   * Null where no other instance uses the store.
   * @throws Error that says which step is missing, when another one does not fit to these keys
   */
  readonly requireFit: ((keys: ServerKeys) => Promise<void>) | null;
  /**
   * Resolves when every session that can still write shows the keys.
   * @param writes the keys that this instance writes with meanwhile
   * @throws Error when another one does not fit; it is shown what was shown before
   */
  show(writes: readonly Uint8Array[], keys: ServerKeys): Promise<void>;
  /** Resolves when the writes that have begun are done. */
  settled(): Promise<void>;
}
