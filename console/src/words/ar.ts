import { attempt } from './ar/attempt.ts';
import { attempts } from './ar/attempts.ts';
import { common } from './ar/common.ts';
import { failures } from './ar/failures.ts';
import { frame } from './ar/frame.ts';
import { imports } from './ar/imports.ts';
import { clock } from './ar/clock.ts';
import { faults } from './ar/faults.ts';
import { outcomes } from './ar/outcomes.ts';
import { parts } from './ar/parts.ts';
import { people } from './ar/people.ts';
import { phone } from './ar/phone.ts';
import { reference } from './ar/reference.ts';
import { reset } from './ar/reset.ts';

/** The Arabic texts of the console, one file a room. `{name}` is a place that is filled. */
export const ar = {
  attempt,
  attempts,
  common,
  failures,
  frame,
  imports,
  clock,
  faults,
  outcomes,
  parts,
  people,
  phone,
  reference,
  reset,
};
