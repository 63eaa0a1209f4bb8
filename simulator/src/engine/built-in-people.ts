import cast from '../../people.json' with { type: 'json' };
import { peopleFrom, type People } from './people.ts';

/** The test people that are part of the simulator. */
export const BUILT_IN_PEOPLE: People = peopleFrom(cast);
