import type { NewNote, Note, NoteRoom, SharedNotes } from './coordination.port.ts';
import { MOST_NOTES } from './coordination.port.ts';

/** Notes in memory. When a room has too many, the one that was written first is forgotten. */
export class MemoryNotes implements SharedNotes {
  readonly #capacity: number;
  readonly #rooms = new Map<NoteRoom, Map<string, Note>>();

  /** @param capacity notes of a room at most */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  async write({ room, name, text, replaces }: NewNote): Promise<boolean> {
    const notes = this.#notesOf(room);
    if ((notes.get(name)?.version ?? 0) !== replaces) return false;
    notes.delete(name);
    notes.set(name, { name, text, version: replaces + 1 });
    const [oldest] = notes.keys();
    if (notes.size > this.#capacity && oldest !== undefined) notes.delete(oldest);
    return true;
  }

  async read(room: NoteRoom, name: string): Promise<Note | null> {
    return this.#notesOf(room).get(name) ?? null;
  }

  async list(room: NoteRoom): Promise<readonly Note[]> {
    return [...this.#notesOf(room).values()].slice(-MOST_NOTES);
  }

  #notesOf(room: NoteRoom): Map<string, Note> {
    const known = this.#rooms.get(room);
    if (known !== undefined) return known;
    const notes = new Map<string, Note>();
    this.#rooms.set(room, notes);
    return notes;
  }
}
