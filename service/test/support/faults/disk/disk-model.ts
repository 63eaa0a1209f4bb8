import { dirname } from 'node:path';
import type { SeededRandom } from '../seeded-random.ts';
import type { DiskOperation } from './disk-log.ts';

/** What a disk writes whole or not at all. */
const SECTOR_BYTES = 512;

/** What a power cut leaves of the changes that were not flushed. */
export type Remainder = 'nothing' | 'everything' | 'some writes' | 'some sectors' | 'a torn end';

export const REMAINDERS: readonly Remainder[] = [
  'nothing',
  'everything',
  'some writes',
  'some sectors',
  'a torn end',
];

/** The content of each file by its name. */
export type DiskImage = ReadonlyMap<string, Buffer>;

type Change =
  | { readonly offset: number; readonly data: Buffer }
  /** The file's new length. */
  | { readonly length: number };

/** Null: the name is removed. */
interface NameChange {
  readonly name: string;
  readonly file: ModelFile | null;
}

interface Folder {
  readonly folder: string;
}

/**
 * A disk as POSIX promises it: what was flushed is there after a power cut; of everything else any
 * part may be there, sector by sector, and any directory entry may be the old one.
 */
export class DiskModel {
  readonly #open = new Map<string, ModelFile | Folder>();
  /** As programs see it now. */
  readonly #names = new Map<string, ModelFile>();
  readonly #safeNames = new Map<string, ModelFile>();
  /** Directory entries that were changed together: a rename is two that can't be parted. */
  #nameChanges: (readonly NameChange[])[] = [];

  apply(operation: DiskOperation): void {
    switch (operation.kind) {
      case 'open':
        return this.#opened(operation);
      case 'close':
        this.#open.delete(operation.file);
        return;
      case 'write':
        this.#fileOf(operation.file).change({ offset: operation.offset, data: operation.data });
        return;
      case 'truncate':
        this.#fileOf(operation.file).change({ length: operation.length });
        return;
      case 'sync':
        return this.#synced(operation.file);
      case 'unlink':
        return this.#rename([{ name: operation.name, file: null }]);
      case 'link':
        return this.#rename([{ name: operation.to, file: this.#named(operation.from) }]);
      case 'rename':
        return this.#rename([
          { name: operation.from, file: null },
          { name: operation.to, file: this.#named(operation.from) },
        ]);
    }
  }

  /** The files that a power cut may leave now. */
  cut(remainder: Remainder, random: SeededRandom): DiskImage {
    const names = new Map(this.#safeNames);
    for (const changes of this.#nameChanges) {
      const isKept = remainder === 'everything' || (remainder !== 'nothing' && random.chance(0.5));
      if (isKept) applyNames(names, changes);
    }
    const left = [...names].map(([name, file]) => [name, file.cut(remainder, random)] as const);
    return new Map(left);
  }

  #opened({ file, name, what }: DiskOperation & { readonly kind: 'open' }): void {
    if (what === 'a new file') this.#rename([{ name, file: new ModelFile() }]);
    this.#open.set(file, what === 'a folder' ? { folder: name || '.' } : this.#named(name));
  }

  #synced(descriptor: string): void {
    const open = this.#open.get(descriptor);
    if (open === undefined || open instanceof ModelFile) return this.#fileOf(descriptor).sync();
    const isHere = (changes: readonly NameChange[]) =>
      changes.some(({ name }) => dirname(name) === open.folder);
    for (const changes of this.#nameChanges.filter(isHere)) applyNames(this.#safeNames, changes);
    this.#nameChanges = this.#nameChanges.filter((changes) => !isHere(changes));
  }

  #rename(changes: readonly NameChange[]): void {
    applyNames(this.#names, changes);
    this.#nameChanges.push(changes);
  }

  #named(name: string): ModelFile {
    const file = this.#names.get(name);
    if (file === undefined) throw new Error(`the log of the disk never made ${name}`);
    return file;
  }

  #fileOf(descriptor: string): ModelFile {
    const file = this.#open.get(descriptor);
    if (file instanceof ModelFile) return file;
    throw new Error(`the log of the disk never opened ${descriptor}`);
  }
}

function applyNames(names: Map<string, ModelFile>, changes: readonly NameChange[]): void {
  for (const { name, file } of changes) {
    if (file === null) names.delete(name);
    else names.set(name, file);
  }
}

class ModelFile {
  #safe = new Content();
  #changes: Change[] = [];

  change(change: Change): void {
    this.#changes.push(change);
  }

  sync(): void {
    for (const change of this.#changes.splice(0)) this.#safe.apply(change);
  }

  cut(remainder: Remainder, random: SeededRandom): Buffer {
    const left = this.#safe.copy();
    for (const change of keptOf(this.#changes, remainder, random)) left.apply(change);
    return left.bytes;
  }
}

function keptOf(
  changes: readonly Change[],
  remainder: Remainder,
  random: SeededRandom,
): readonly Change[] {
  switch (remainder) {
    case 'nothing':
      return [];
    case 'everything':
      return changes;
    case 'some writes':
      return changes.filter(() => random.chance(0.5));
    case 'some sectors':
      return changes.flatMap((change) => sectorsOf(change).filter(() => random.chance(0.5)));
    case 'a torn end': {
      const whole = random.between(0, changes.length);
      const torn = changes.slice(whole, whole + 1).flatMap(sectorsOf);
      return [...changes.slice(0, whole), ...torn.slice(0, random.between(0, torn.length))];
    }
  }
}

function sectorsOf(change: Change): readonly Change[] {
  if ('length' in change) return [change];
  const { offset, data } = change;
  const parts: Change[] = [];
  for (let from = 0; from < data.length;) {
    const to = Math.min(data.length, from + SECTOR_BYTES - ((offset + from) % SECTOR_BYTES));
    parts.push({ offset: offset + from, data: data.subarray(from, to) });
    from = to;
  }
  return parts;
}

/** The bytes of a file, which grow without being copied each time. */
class Content {
  #room = Buffer.alloc(0);
  #length = 0;

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  copy(): Content {
    const copy = new Content();
    copy.#room = Buffer.from(this.bytes);
    copy.#length = this.#length;
    return copy;
  }

  apply(change: Change): void {
    if ('length' in change) return this.#resize(change.length);
    const { offset, data } = change;
    if (offset + data.length > this.#length) this.#resize(offset + data.length);
    data.copy(this.#room, offset);
  }

  #resize(length: number): void {
    if (length > this.#room.length) {
      const room = Buffer.alloc(Math.max(length, 2 * this.#room.length));
      this.bytes.copy(room);
      this.#room = room;
    }
    this.#room.fill(0, Math.min(length, this.#length), Math.max(length, this.#length));
    this.#length = length;
  }
}
