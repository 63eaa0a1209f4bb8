import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { StartRequest } from '@miftah/contract';
import { OPERATIONS, type Operation } from '@miftah/contract/operations';
import { object, optional, string } from '@miftah/schema';
import { AJV_OPTIONS, fieldRefusal, validationRefusal } from './validation.ts';

const ajv = new Ajv(AJV_OPTIONS);

function faultsOf(schema: object, body: unknown): string[] {
  const validate = ajv.compile(schema);
  if (validate(body)) return [];
  const faults = (validate.errors ?? []).map((error) => ({
    ...error,
    message: error.message ?? '',
  }));
  const { details } = validationRefusal(faults);
  return (details.faults ?? []).map(({ field, pointer, rule }) => `${pointer} ${field} ${rule}`);
}

describe('Ajv', () => {
  it('looks and does not touch', () => {
    const body = { locale: 'ar', extra: 1, national_id: 1_000_001_101 };
    const before = structuredClone(body);
    expect(faultsOf(StartRequest, body)).not.toEqual([]);
    expect(body).toEqual(before);
  });

  it('need not check the schemas themselves: they are JSON Schema', () => {
    for (const [name, operation] of Object.entries<Operation>(OPERATIONS)) {
      for (const schema of [
        operation.params,
        operation.query,
        operation.request,
        operation.answer,
      ]) {
        expect(ajv.validateSchema(schema ?? {}), name).toBe(true);
      }
    }
  });

  it('can compile all of them that it checks requests by, which it does at their first use', () => {
    for (const { params, query, request } of Object.values<Operation>(OPERATIONS)) {
      for (const schema of [params, query, request]) ajv.compile(schema ?? {});
    }
  });
});

describe('a body with several forms', () => {
  it.each([
    ['the phone flow when it has a number', { national_id: '12', locale: 'ar' }, '/national_id'],
    ['the redirect flow when it has none', { locale: 'fr' }, '/locale'],
    ['the phone flow when both fit as badly', { national_id: '12' }, '/national_id'],
    ['the redirect flow when it has a stranger', { locale: 'ar', nationalId: '1' }, '/nationalId'],
  ])('is judged as %s', (_, body, pointer) => {
    expect(faultsOf(StartRequest, body)[0]).toMatch(new RegExp(`^${pointer} `));
  });

  it('names nothing of the form that it does not resemble', () => {
    expect(faultsOf(StartRequest, { locale: 'ar', a: 1 })).toEqual(['/a a unknown']);
    expect(faultsOf(StartRequest, {})).toEqual(['/locale locale required']);
  });
});

describe('a fault', () => {
  it.each<[unknown, string]>([
    [{}, '/text text required'],
    [{ text: 5 }, '/text text type'],
    [{ text: '' }, '/text text too_short'],
    [{ text: 'x'.repeat(9) }, '/text text too_long'],
    [{ text: 'abc' }, '/text text format'],
    [{ text: '123', more: 1 }, '/more more unknown'],
    [[], ' body object'],
    [null, ' body object'],
    [{ text: '123', kind: 'c' }, '/kind kind format'],
    [{ text: '123', deep: { in: 5 } }, '/deep/in in type'],
    [{ text: '123', '~/': 1 }, '/~0~1 ~/ unknown'],
  ])('of %j is %s', (body, fault) => {
    const schema = object({
      text: string({ minLength: 1, maxLength: 8, pattern: '^[0-9]*$' }),
      kind: optional(string({ enum: ['a', 'b'] })),
      deep: optional(object({ in: string() })),
    });
    expect(faultsOf(schema, body)).toEqual([fault]);
  });

  it('is told once for each member', () => {
    const schema = object({ text: string({ minLength: 3, pattern: '^[0-9]+$' }) });
    expect(faultsOf(schema, { text: 'x' })).toHaveLength(1);
  });

  it('of a header has no pointer', () => {
    expect(fieldRefusal('Idempotency-Key', 'format').details.faults).toEqual([
      { field: 'Idempotency-Key', pointer: '', rule: 'format' },
    ]);
  });
});
