import { typedDigits } from '@miftah/contract/typed-digits';
import { ControlError, scopesFull } from '../errors.ts';
import { PEOPLE_PAGE_MAX, PeopleAnswer, PeopleQuery, PersonAnswer, PersonParams } from '../wire.ts';
import {
  personRow,
  PeopleError,
  PersonRow,
  withoutPerson,
  withPerson,
} from '../../engine/people/people-file.ts';
import type { TypedApp } from '../../http/type-provider.ts';
import type { ControlOptions } from '../../options.ts';
import { scopeOfCaller } from '../scope.ts';
import { Directory } from '../../engine/people/directory.ts';
import type { Engine } from '../../engine/engine.ts';
import type { People } from '../../engine/people/people.ts';

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

const ID_TAKES = 'The id in the address has at most 40 characters.';
const ROW_TAKES =
  'The body is a row of the people file, as GET /simulator/people and miftah people show ID give it; ' +
  'its id may be left out.';
const REMOVAL = ['people.not_found', 'people.default', 'scopes.full'] as const;
const ADDRESS = '/people/:id';
const response = { 200: PersonAnswer };

/** GET, PUT and DELETE /simulator/people/{id}: the people of the caller's scope, one by one. */
export function changePeople(app: TypedApp, { engine }: ControlOptions): void {
  readPerson(app, engine);
  putPerson(app, engine);
  removePerson(app, engine);
}

function readPerson(app: TypedApp, engine: Engine): void {
  const summary = 'One person, in the form of the people file';
  const schema = { operationId: 'readPerson', summary, params: PersonParams, response };
  const config = { takes: ID_TAKES, refuses: ['people.not_found'] } as const;
  app.get(ADDRESS, { schema, config }, (request) => {
    const people = peopleOf(engine, scopeOfCaller(request));
    return { data: rowOf(people, request.params.id) };
  });
}

function putPerson(app: TypedApp, engine: Engine): void {
  const schema = {
    operationId: 'putPerson',
    summary: 'Add a person, or change one',
    description: 'The row of the people file, of which `id` may be left out.',
    params: PersonParams,
    body: PersonRow,
    response,
  };
  // The body is checked as the people file is, which tells each fault.
  const config = { takes: ROW_TAKES, refuses: ['scopes.full'] } as const;
  app.put(ADDRESS, { schema, attachValidation: true, config }, (request) => {
    const { id } = request.params;
    const scope = scopeOfCaller(request);
    const row = withDigits(request.body);
    const next = changed(() => withPerson(peopleOf(engine, scope), id, row));
    keep(engine, scope, next);
    return { data: rowOf(next, id) };
  });
}

/** With the national id in ASCII, as everybody is known by: it may have been typed in other digits. */
function withDigits(row: unknown): unknown {
  if (typeof row !== 'object' || row === null || !('national_id' in row)) return row;
  const { national_id: typed } = row;
  return typeof typed === 'string' ? { ...row, national_id: typedDigits(typed) ?? typed } : row;
}

function removePerson(app: TypedApp, engine: Engine): void {
  const schema = {
    operationId: 'removePerson',
    summary: 'Remove a person',
    params: PersonParams,
    response,
  };
  const config = { takes: ID_TAKES, refuses: REMOVAL } as const;
  app.delete(ADDRESS, { schema, config }, (request) => {
    const { id } = request.params;
    const scope = scopeOfCaller(request);
    const people = peopleOf(engine, scope);
    const data = rowOf(people, id);
    if (data.default) throw new ControlError('people.default');
    keep(engine, scope, withoutPerson(people, id));
    return { data };
  });
}

function peopleOf(engine: Engine, scope: string): People {
  return engine.scopes.of(scope).directory.people;
}

/** @throws ControlError */
function rowOf(people: People, id: string): PersonRow {
  const person = people.byId(id);
  if (person === null) throw new ControlError('people.not_found');
  return personRow(person, people);
}

/** @throws ControlError that tells each fault */
function changed(change: () => People): People {
  try {
    return change();
  } catch (error) {
    if (!(error instanceof PeopleError)) throw error;
    throw new ControlError('validation.failed', { faults: error.faults });
  }
}

/** @throws ControlError */
function keep(engine: Engine, scope: string, people: People): void {
  const directory = new Directory(people, engine.scopes.of(scope).directory);
  if (!engine.scopes.change(scope, { directory })) throw scopesFull(engine.scopes);
}
