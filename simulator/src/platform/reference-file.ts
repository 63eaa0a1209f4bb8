import { integer, openObject } from '@miftah/schema';
import { checkOf } from '@miftah/schema/check';
import { makeDataFolder } from '@miftah/schema/data-folder';
import { join } from 'node:path';
import { readIfThere, replaceDurably } from './durable-file.ts';
import type { ReferenceBlocks } from '../engine/ports.ts';
import { FIRST_REFERENCE } from '../engine/references.ts';

const FILE_NAME = 'references.json';

/** The highest first number after which there is still room for blocks below 2^53. */
const HIGHEST = Number.MAX_SAFE_INTEGER - 1_000_000;

const Saved = checkOf(openObject({ next: integer({ minimum: 1, maximum: HIGHEST }) }));

export class ReferenceFileError extends Error {
  constructor(path: string) {
    super(
      `${path} does not say which reference comes next. Starting anew could repeat references, ` +
        'so nothing was changed: restore the file, or delete it to start from the beginning.',
    );
    this.name = 'ReferenceFileError';
  }
}

/**
 * References that keep increasing across restarts and crashes. The file contains the next free
 * number. It is replaced as a whole, and is on the disk before a block is used.
 * @throws ReferenceFileError when the file exists and is not valid
 */
export function openReferenceFile(directory: string, first = FIRST_REFERENCE): ReferenceBlocks {
  makeDataFolder(directory);
  const path = join(directory, FILE_NAME);
  readNext(path, first);
  return {
    reserve(count) {
      const next = readNext(path, first);
      replaceDurably(path, `${JSON.stringify({ next: next + count })}\n`);
      return next;
    },
  };
}

function readNext(path: string, first: number): number {
  const text = readIfThere(path);
  if (text === null) return first;
  const next = nextIn(text);
  if (next === null) throw new ReferenceFileError(path);
  return next;
}

function nextIn(text: string): number | null {
  const content = parsed(text);
  return Saved.holds(content) ? content.next : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
