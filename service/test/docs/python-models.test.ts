import { ApiToken, AttemptStatus, Introspection, TokenUser, User } from '@miftah/contract';
import { expect, it } from 'vitest';
import { readDocument } from './documents.ts';

/** The data classes of the package of Python, each with the names of its own fields. */
const CLASSES: ReadonlyMap<string, readonly string[]> = new Map(
  readDocument('clients/python/src/miftah/_models.py')
    .split('@dataclass(frozen=True)\n')
    .map((text) => {
      const [, name = '', base = ''] = /^class (\w+)(?:\((\w+)\))?:/.exec(text) ?? [];
      const fields = [...text.matchAll(/^ {4}(\w+): /gm)].map(([, field = '']) => field);
      return [name, base === '' ? fields : [base, ...fields]];
    }),
);

const fieldsOf = (name: string): readonly string[] =>
  (CLASSES.get(name) ?? []).flatMap((one) => (CLASSES.has(one) ? fieldsOf(one) : [one]));

type Renamed = Readonly<Record<string, string | null>>;

/** What has another name there, or is left out because it is always the same. */
const OTHERWISE: Renamed = { iat: 'issued_at', exp: 'expires_at' };

const MODELS: readonly (readonly [name: string, schema: object, otherwise: Renamed])[] = [
  ['User', User, OTHERWISE],
  ['TokenUser', TokenUser, OTHERWISE],
  ['AttemptStatus', AttemptStatus, OTHERWISE],
  ['ApiToken', ApiToken, { ...OTHERWISE, token_type: null }],
  ['Introspection', Introspection, OTHERWISE],
];

it.each(MODELS)(
  '%s of Python has the members of the contract, and no other',
  (name, schema, others) => {
    const { properties } = schema as { properties: Readonly<Record<string, unknown>> };
    const members = Object.keys(properties).flatMap((member) => {
      const other = others[member];
      return other === null ? [] : [other ?? member];
    });
    expect(fieldsOf(name).toSorted()).toEqual(members.toSorted());
  },
);
