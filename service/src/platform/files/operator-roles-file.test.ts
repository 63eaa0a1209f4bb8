import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../config/config.ts';
import { requireRoles } from '../../operate/require-clients.ts';
import { roleIn } from '../../values/operator-role.ts';
import { operatorRolesFile } from './operator-roles-file.ts';

function fileWith(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'miftah-roles-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'roles.json');
  writeFileSync(path, text);
  return path;
}

const ROLES = {
  subjects: { one: 'viewer' },
  claim: 'groups',
  groups: { helpdesk: 'support', ops: 'admin' },
  scopes: ['groups'],
};

it('gives the highest role of a person, and none to others', () => {
  const roles = operatorRolesFile(fileWith(JSON.stringify(ROLES)))();
  expect(roles.scopes).toEqual(['groups']);
  expect(roleIn(roles, 'one', [])).toBe('viewer');
  expect(roleIn(roles, 'one', ['helpdesk', 'other'])).toBe('support');
  expect(roleIn(roles, 'two', ['ops', 'helpdesk'])).toBe('admin');
  expect(roleIn(roles, 'two', ['other', 'constructor'])).toBeNull();
  expect(roleIn(roles, '__proto__', [])).toBeNull();
});

it('is read again when it has changed, and fails while it has a fault', () => {
  const path = fileWith(JSON.stringify(ROLES));
  const read = operatorRolesFile(path);
  expect(read()).toBe(read());
  writeFileSync(path, '{"subjects": {"one": "admin"}}');
  expect(roleIn(read(), 'one', [])).toBe('admin');
  writeFileSync(path, '{"subjects": ');
  expect(read).toThrow('roles.json');
  rmSync(path);
  expect(read).toThrow('is not there');
});

it.each([
  ['[]', 'it has to be an object'],
  ['{"subject": {}}', 'it has no member "subject"'],
  ['{"subjects": {"one": "owner"}}', '"subjects" has to give each name'],
  ['{"groups": {"ops": "admin"}}', '"groups" needs "claim"'],
  ['{"claim": 7}', '"claim" has to be'],
  ['{"scopes": "groups"}', '"scopes" has to be'],
])('a start with %s is refused: %s', (text, fault) => {
  const { config } = loadConfig([], {
    OPERATOR_PORT: '3010',
    OPERATOR_ISSUER: 'https://login.example',
    OPERATOR_CLIENT_ID: 'miftah',
    OPERATOR_CLIENT_SECRET: 'a-secret-of-ours',
    OPERATOR_ROLES_FILE: fileWith(text),
  });
  expect(() => requireRoles(config)).toThrow(fault);
});
