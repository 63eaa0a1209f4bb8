import type { AuditHead } from '../../audit/audit.ts';
import { parseDigest } from '../../values/secret.ts';
import { readIfThere, replaceDurably, tryReplacing } from './durable-file.ts';

/** The number and the hash of a row of the audit log. */
const FORM = /^([1-9]\d{0,14}) (\S{43})\n$/;

const ANY_PLACE = ' '.repeat(60);

/** Where a reader of the audit log has got to, in a file of one line. */
export function cursorFile(path: string) {
  return {
    /** The same for those who only watch it. @throws Error when it is something else, or closed */
    look(): AuditHead | null {
      const text = readIfThere(path);
      return text === null ? null : placeIn(text, path);
    },
    /**
     * Null when the file does not exist yet.
     * @throws Error when it is something else, or could not be written
     */
    read(): AuditHead | null {
      const text = readIfThere(path);
      // Before anything is printed: the same rows would be printed at each try.
      if (text === null) {
        tryReplacing(path, ANY_PLACE);
        return null;
      }
      const place = placeIn(text, path);
      tryReplacing(path, text);
      return place;
    },
    /** @throws Error of the file system */
    write({ count, hash }: AuditHead): void {
      replaceDurably(path, `${count} ${hash}\n`);
    },
  };
}

function placeIn(text: string, path: string): AuditHead {
  const [, count, hashText = ''] = FORM.exec(text) ?? [];
  const hash = parseDigest(hashText);
  if (hash !== null) return { count: Number(count), hash };
  throw new Error(`${path} is no file of --cursor. It was not changed: name another one`);
}
