import { ANSWERS } from './fidelity/answers.ts';
import type { Behaviour } from './fidelity/behaviour.ts';
import { PHONE } from './fidelity/phone.ts';
import { WEB } from './fidelity/web.ts';

/** What the simulator does, with how certain it is that a real provider does the same. */
export const BEHAVIOURS: readonly Behaviour[] = [...WEB, ...PHONE, ...ANSWERS];
