import { readFileSync } from 'node:fs';

type Opened = 'a file' | 'a new file' | 'a folder';

/** One change of the folder, or one flush. Names are relative to the folder; its own is empty. */
export type DiskOperation =
  | { readonly kind: 'open'; readonly file: string; readonly name: string; readonly what: Opened }
  | { readonly kind: 'close' | 'sync'; readonly file: string }
  | {
      readonly kind: 'write';
      readonly file: string;
      readonly offset: number;
      readonly data: Buffer;
    }
  | { readonly kind: 'truncate'; readonly file: string; readonly length: number }
  | { readonly kind: 'unlink'; readonly name: string }
  | { readonly kind: 'rename' | 'link'; readonly from: string; readonly to: string };

export interface LoggedOperation {
  readonly operation: DiskOperation;
  /** Where its record ends in the log. What was acknowledged at or after it, may rely on it. */
  readonly end: number;
}

const HEAD_BYTES = 48;
const NUMBER_BYTES = 8;
/** The kinds of records, as disk-shim.c numbers them. */
const KIND = {
  open: 1,
  close: 2,
  write: 3,
  truncate: 4,
  sync: 5,
  unlink: 6,
  rename: 7,
  link: 8,
};

/** The states of an opened file, as disk-shim.c numbers them. */
const OPENED: readonly Opened[] = ['a file', 'a new file', 'a folder'];

/** @throws Error at a record for which there is no rule */
export function readDiskLog(log: string, folder: string): readonly LoggedOperation[] {
  const bytes = readFileSync(log);
  const operations: LoggedOperation[] = [];
  for (let at = 0; at < bytes.length;) {
    const [kind = 0, process, descriptor, offset = 0, textBytes = 0, dataBytes = 0] = Array.from(
      { length: HEAD_BYTES / NUMBER_BYTES },
      (_, place) => Number(bytes.readBigInt64LE(at + place * NUMBER_BYTES)),
    );
    const textAt = at + HEAD_BYTES;
    const text = bytes.toString('utf8', textAt, textAt + textBytes);
    const end = textAt + textBytes + dataBytes;
    const data = bytes.subarray(textAt + textBytes, end);
    const file = `${process} ${descriptor}`;
    const names = text.split('\0').map((path) => path.slice(folder.length + 1));
    operations.push({ operation: operationOf({ kind, file, offset, names, data, text }), end });
    at = end;
  }
  return operations;
}

interface LogEntry {
  readonly kind: number;
  readonly file: string;
  readonly offset: number;
  readonly names: readonly string[];
  readonly data: Buffer;
  readonly text: string;
}

function operationOf({ kind, file, offset, names, data, text }: LogEntry): DiskOperation {
  const [name = '', to = ''] = names;
  if (kind === KIND.open) return { kind: 'open', file, name, what: OPENED[offset] ?? 'a file' };
  if (kind === KIND.close) return { kind: 'close', file };
  if (kind === KIND.write) return { kind: 'write', file, offset, data };
  if (kind === KIND.truncate) return { kind: 'truncate', file, length: offset };
  if (kind === KIND.sync) return { kind: 'sync', file };
  if (kind === KIND.unlink) return { kind: 'unlink', name };
  if (kind === KIND.rename) return { kind: 'rename', from: name, to };
  if (kind === KIND.link) return { kind: 'link', from: name, to };
  throw new Error(`the log of the disk has a record without a rule: ${kind} ${text}`);
}
