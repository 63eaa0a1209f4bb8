import { expectTypeOf, test } from 'vitest';
import type * as Wire from '@miftah/contract';
import type * as Own from './index.ts';

/** The types of this package say what the contract says, no more and no less. */

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;

/** A type of the contract, as `fromWire` turns its values around. */
type FromWire<Value> = Value extends object
  ? {
      [Name in keyof Value & string as Camel<Name>]: Name extends `${string}_at`
        ? Date
        : FromWire<Value[Name]>;
    }
  : Value;

/** Without what differs on purpose, and not read-only. */
type Plain<Value> = { -readonly [Name in keyof Value]: Value[Name] };

test('a user', () => {
  expectTypeOf<Own.User>().toEqualTypeOf<Plain<FromWire<Wire.User>>>();
  expectTypeOf<Own.TokenUser>().branded.toEqualTypeOf<Plain<FromWire<Wire.TokenUser>>>();
});

test('a status', () => {
  type Told = Plain<FromWire<Wire.AttemptStatus>>;
  expectTypeOf<keyof Own.AttemptStatus>().toEqualTypeOf<keyof Told>();
  expectTypeOf<Own.AttemptStatus['status']>().toEqualTypeOf<Told['status']>();
  expectTypeOf<Own.AttemptStatus['providerStatus']>().toEqualTypeOf<Told['providerStatus']>();
  expectTypeOf<Own.AttemptStatus['message']>().toEqualTypeOf<Told['message']>();
  expectTypeOf<Own.AttemptStatus>().toExtend<Told>();
});

test('a token, whose type is always Bearer', () => {
  type Issued = Omit<FromWire<Wire.ApiToken>, 'tokenType'>;
  expectTypeOf<keyof Own.ApiToken>().toEqualTypeOf<keyof Issued>();
  expectTypeOf<Plain<Own.ApiToken>>().toExtend<Plain<Issued>>();
});

test('an introspection, whose times have the names of the other times', () => {
  type Found = FromWire<Wire.Introspection>;
  type Renamed = Exclude<keyof Found, 'iat' | 'exp'> | 'issuedAt' | 'expiresAt';
  expectTypeOf<keyof Own.Introspection>().toEqualTypeOf<Renamed>();
  expectTypeOf<Own.Introspection['sub']>().toEqualTypeOf<Found['sub']>();
});

test('a problem', () => {
  type Told = FromWire<Wire.Problem>;
  expectTypeOf<keyof Own.Problem>().toEqualTypeOf<keyof Told>();
  type Same = Exclude<keyof Wire.Problem, 'attempt_id' | 'request_id'>;
  expectTypeOf<Pick<Own.Problem, Same>>().toExtend<Pick<Wire.Problem, Same>>();
});

test('a flow', () => {
  expectTypeOf<Own.Flow>().toEqualTypeOf<(typeof Wire.FLOWS)[number]>();
});
