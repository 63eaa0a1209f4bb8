import { ControlError } from './errors.ts';
import { PEOPLE_PAGE_MAX, PeopleAnswer, PeopleQuery } from './wire.ts';
import { personRow } from '../engine/people.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { ControlOptions } from '../options.ts';
import { scopeOfCaller } from './scope.ts';

const LIMIT = `1 to ${PEOPLE_PAGE_MAX}, by default ${PEOPLE_PAGE_MAX}`;
const TAKES = `limit is ${LIMIT}. after is the id of a person. search is a text.`;

/** GET /simulator/people: the test people, in the form of the people file. */
export function listPeople(app: TypedApp, { engine }: ControlOptions): void {
  const schema = {
    operationId: 'listPeople',
    summary: 'The people who can sign in',
    description:
      'The first of those who are asked for. As many as `limit`: there may be more, `after` the last one.',
    querystring: PeopleQuery,
    response: { 200: PeopleAnswer },
  };
  const config = { takes: TAKES, refuses: ['people.not_found'] } as const;
  app.get('/people', { schema, config }, (request) => {
    const { people } = engine.scopes.of(scopeOfCaller(request)).directory;
    const { search = '', after = null, limit = PEOPLE_PAGE_MAX } = request.query;
    const found = people.find({ search, after, limit: Number(limit) });
    if (found === null) throw new ControlError('people.not_found');
    return { data: found.map((person) => personRow(person, people)) };
  });
}
