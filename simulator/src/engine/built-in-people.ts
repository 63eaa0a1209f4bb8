import cast from '../../people.json' with { type: 'json' };
import { peopleFrom, type People } from './people.ts';

/** The cast that ships with the simulator. */
export const BUILT_IN_PEOPLE: People = peopleFrom(cast);
