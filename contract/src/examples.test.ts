import { describe, expect, it } from 'vitest';
import type { Schema } from '@miftah/schema';
import { checkOf } from '@miftah/schema/check';
import { ERROR_STATUS, isErrorCode, problemTypeOf } from './errors.ts';
import { EXAMPLES, PROBLEM_EXAMPLE } from './examples.ts';
import { OPERATIONS, type Operation, type OperationId } from './operations.ts';
import { Problem } from './problem.ts';
import { User } from './user.ts';

const IDS = Object.keys(OPERATIONS) as OperationId[];

/** Replaces the reference by the user's schema, because nothing is registered here. */
function faultsOf(schema: Schema, value: unknown): readonly string[] {
  const whole = JSON.stringify(schema).replaceAll('{"$ref":"User#"}', JSON.stringify(plainUser()));
  return checkOf(JSON.parse(whole) as Schema).faults(value);
}

function plainUser(): Schema {
  const { $id, ...user } = User;
  expect($id).toBe('User');
  return user;
}

describe.each(IDS)('the examples of %s', (id) => {
  const operation: Operation = OPERATIONS[id];

  it('are there for each body', () => {
    const hasBodies = operation.request !== undefined || operation.answer !== undefined;
    expect(EXAMPLES[id].length > 0).toBe(hasBodies);
    for (const example of EXAMPLES[id]) {
      expect(example.request === undefined).toBe(operation.request === undefined);
      expect(example.answer === undefined).toBe(operation.answer === undefined);
    }
  });

  it('fit their schemas', () => {
    for (const { request, answer } of EXAMPLES[id]) {
      if (operation.request !== undefined) expect(faultsOf(operation.request, request)).toEqual([]);
      if (operation.answer !== undefined) expect(faultsOf(operation.answer, answer)).toEqual([]);
    }
  });
});

describe('the example of a problem', () => {
  it('fits its schema', () => {
    expect(checkOf(Problem).faults(PROBLEM_EXAMPLE)).toEqual([]);
    const { code, status, type } = PROBLEM_EXAMPLE;
    if (!isErrorCode(code)) throw new Error(`there is no error ${code}`);
    expect({ status, type }).toEqual({ status: ERROR_STATUS[code], type: problemTypeOf(code) });
  });
});

describe('a schema', () => {
  it('refuses an example with a member more, less or of another type', () => {
    const schema = OPERATIONS.readUser.answer;
    const user = EXAMPLES.readUser[0]?.answer?.data;
    expect(faultsOf(schema, { data: user })).toEqual([]);
    expect(faultsOf(schema, { data: { ...user, more: 1 } })).not.toEqual([]);
    expect(faultsOf(schema, { data: { ...user, id: 'one' } })).not.toEqual([]);
    expect(faultsOf(schema, { data: { ...user, name: undefined } })).not.toEqual([]);
  });
});
