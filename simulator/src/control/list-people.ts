import { PeopleAnswer } from './wire.ts';
import { personRow } from '../engine/people.ts';
import type { TypedApp } from '../http/type-provider.ts';
import type { ControlOptions } from '../options.ts';
import { scopeOfCaller } from './scope.ts';

/** GET /simulator/people: the test people, in the form of the people file. */
export function listPeople(app: TypedApp, { engine }: ControlOptions): void {
  const schema = {
    operationId: 'listPeople',
    summary: 'The people who can sign in',
    response: { 200: PeopleAnswer },
  };
  app.get('/people', { schema }, (request) => {
    const { people } = engine.scopes.of(scopeOfCaller(request)).directory;
    return { data: people.all.map((person) => personRow(person, people)) };
  });
}
