import { expect, it } from 'vitest';
import { codeRows, codesOf, readDocument, sectionOf } from './documents.ts';

it('docs/client.md has each address that the sign-in of a web application serves', () => {
  const source = readDocument('client/src/sign-in/steps.ts');
  const served = [...source.matchAll(/'((?:GET|POST) )(\/[\w.]+)'/g)].map(
    ([, method, step]) => `${method}/sign-in${step}`,
  );
  const section = sectionOf(readDocument('docs/client.md'), 'A back end that signs people in');
  const named = codeRows(section).map(([address = '']) => codesOf(address)[0] ?? '');
  expect(named.filter((address) => /^(?:GET|POST) /.test(address)).toSorted()).toEqual(
    served.toSorted(),
  );
  expect(served).toContain('POST /sign-in/finish');
});
