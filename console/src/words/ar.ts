import { frame } from './ar/frame.ts';
import { list } from './ar/list.ts';

/** The Arabic texts of the console, one file a room. `{name}` is a place that is filled. */
export const ar = { frame, list };
