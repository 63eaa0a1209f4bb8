import { frame } from './en/frame.ts';
import { list } from './en/list.ts';
import type { Words } from './shape.ts';

/** The English texts of the console, one file a room. */
export const en: Words = { frame, list };
