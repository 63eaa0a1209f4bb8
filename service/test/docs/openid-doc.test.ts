import { expect, it } from 'vitest';
import { OPENID_MEMBERS } from '../../src/platform/files/clients-file.ts';
import { codeRows, codesOf, readDocument, sectionOf } from './documents.ts';

it('docs/openid.md explains each member of an OpenID client, and no other', () => {
  const rows = codeRows(sectionOf(readDocument('docs/openid.md'), 'Clients'));
  const explained = rows.flatMap(([member = '']) => codesOf(member));
  expect(explained.toSorted()).toEqual(OPENID_MEMBERS.toSorted());
});
