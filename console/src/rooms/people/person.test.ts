import { expect, it } from 'vitest';
import { personFrom } from './person.ts';

function saved(name: string, text: string) {
  const fields = new FormData();
  fields.set(name, text);
  return personFrom(fields);
}

it.each([
  ['113', 113],
  ['۱۱۳', 113],
  ['\u200f١١٣ ', 113],
  ['', Number.NaN],
  ['1.5', Number.NaN],
  ['SA', Number.NaN],
])('the number of a country that is typed as %j is %d', (typed, number) => {
  expect(saved('number', typed).nationality.number).toBe(number);
});

it('the level of assurance is read alike', () => {
  expect(saved('assurance_level', '٣').assurance_level).toBe(3);
});
