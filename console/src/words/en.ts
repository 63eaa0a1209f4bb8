import { attempt } from './en/attempt.ts';
import { attempts } from './en/attempts.ts';
import { common } from './en/common.ts';
import { failures } from './en/failures.ts';
import { frame } from './en/frame.ts';
import { imports } from './en/imports.ts';
import { clock } from './en/clock.ts';
import { faults } from './en/faults.ts';
import { outcomes } from './en/outcomes.ts';
import { parts } from './en/parts.ts';
import { people } from './en/people.ts';
import { phone } from './en/phone.ts';
import { reference } from './en/reference.ts';
import { reset } from './en/reset.ts';
import type { Words } from './shape.ts';

/** The English texts of the console, one file a room. */
export const en: Words = {
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
