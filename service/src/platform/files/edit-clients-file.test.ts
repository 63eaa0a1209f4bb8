import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hashClientKey } from '../../account/client.ts';
import { temporaryFolder } from '../../../test/support/at-end.ts';
import { editClientsFile, type ClientsEdit } from './edit-clients-file.ts';

const SHOP = {
  keys: [hashClientKey('mfk_a_key_for_tests')],
  return_addresses: ['https://shop.example.test/return'],
  name: { en: 'Shop', ar: 'متجر' },
  type: 'confidential',
  id: 'shop',
};
const TEXT = JSON.stringify({ $schema: 'kept', clients: [SHOP] });

function fileWith(text = TEXT): string {
  const path = join(temporaryFolder('clients'), 'clients.json');
  writeFileSync(path, text);
  return path;
}

/** The list of acl(5) that lets user 12345 read, as Linux keeps it. */
const READER =
  '0x02000000' +
  '01000600ffffffff' +
  '0200040039300000' +
  '04000000ffffffff' +
  '10000400ffffffff' +
  '20000000ffffffff';

/** By Python, because Node sets no attributes and setfacl is seldom there. */
function withReader(path: string): boolean {
  const set = `import os, sys
os.setxattr(sys.argv[1], 'system.posix_acl_access', bytes.fromhex('${READER.slice(2)}'))`;
  return spawnSync('python3', ['-c', set, path]).status === 0;
}

const nothing = async () => undefined;
const tooEarly = () => expect.fail('it was told');
const noReader = () => Promise.reject(new Error('no reader'));
const same: ClientsEdit = (entries) => entries;
const twice: ClientsEdit = (entries) => [...entries, { ...SHOP, id: 'two', keys: [] }];
const edit = (path: string, change = same, before: () => Promise<void> = nothing) =>
  editClientsFile(path, change, before, { mayMake: false });

/** Nothing was changed, and nothing is left. */
function expectUntouched(path: string, text = TEXT): void {
  expect(readFileSync(path, 'utf8')).toBe(text);
  expect(existsSync(`${path}.part`)).toBe(false);
}

it('keeps what the edit leaves alone, in its order, and the rights of the file', async () => {
  const path = fileWith();
  chmodSync(path, 0o640);
  await edit(path, ([shop]) => [
    shop,
    { ...SHOP, id: 'two', keys: [hashClientKey('mfk_another')] },
  ]);
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^\{\n {2}"\$schema": "kept",\n {2}"clients": \[\n {4}\{\n {6}"keys"/);
  expect(text).toMatch(/\n\}\n$/);
  expect(statSync(path).mode & 0o777).toBe(0o640);
  const { clients } = JSON.parse(text) as { clients: object[] };
  expect(JSON.stringify(clients[0])).toBe(JSON.stringify(SHOP));
  expect(existsSync(`${path}.part`)).toBe(false);
});

it('replaces the file that a link leads to, and keeps the link', async () => {
  const path = fileWith();
  const link = join(temporaryFolder('link'), 'clients.json');
  symlinkSync(path, link);
  await edit(link);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(path, 'utf8')).not.toBe(TEXT);
});

it('is refused for what a service would not start with, before anything is told', async () => {
  const path = fileWith();
  await expect(edit(path, twice, tooEarly)).rejects.toThrow(
    `${path} with this change can't be used:\n  - clients[1] (two): a confidential client needs a key`,
  );
  await expect(edit(path, () => [], tooEarly)).rejects.toThrow('"clients" is empty');
  expectUntouched(path);
  const broken = fileWith('{"clients": [');
  await expect(edit(broken, same, tooEarly)).rejects.toThrow('it is not JSON');
  expectUntouched(broken, '{"clients": [');
});

it('is refused for a file with an access control list, which would be lost', async () => {
  const path = fileWith();
  chmodSync(path, 0o600);
  if (!withReader(path)) return console.warn('LEFT OUT: this file system has no such lists');
  await expect(edit(path, same, tooEarly)).rejects.toThrow(`${path} has an access control list`);
  expectUntouched(path);
});

it('is refused for a file that somebody else changes meanwhile', async () => {
  const path = fileWith();
  const other = `${TEXT}\n`;
  const before = async () => writeFileSync(path, other);
  await expect(edit(path, same, before)).rejects.toThrow('was changed meanwhile');
  expectUntouched(path, other);
});

it('is done by one command at a time, and a draft that was left is named', async () => {
  const path = fileWith();
  const second = () => expect(edit(path)).rejects.toThrow(`${path}.part is there: another command`);
  await edit(path, same, second);
  expect(existsSync(`${path}.part`)).toBe(false);
});

const first: ClientsEdit = (entries) => {
  expect(entries).toEqual([]);
  return [SHOP];
};
const make = (path: string, before: () => Promise<void> = nothing) =>
  editClientsFile(path, first, before, { mayMake: true });

it('makes the first file for this user alone, or gives one without a client its first', async () => {
  const path = join(temporaryFolder('clients'), 'clients.json');
  await expect(edit(path)).rejects.toThrow('it is not there (ENOENT)');
  await make(path);
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ clients: [SHOP] });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(existsSync(`${path}.part`)).toBe(false);
  const empty = fileWith('{"$schema": "kept", "clients": []}');
  await make(empty);
  expect(JSON.parse(readFileSync(empty, 'utf8'))).toEqual({ $schema: 'kept', clients: [SHOP] });
});

it('makes no first file over one that came meanwhile, or where there is no folder', async () => {
  const path = join(temporaryFolder('clients'), 'clients.json');
  const before = async () => writeFileSync(path, TEXT);
  await expect(make(path, before)).rejects.toThrow('was changed meanwhile');
  expectUntouched(path);
  const nowhere = join(temporaryFolder('clients'), 'nowhere', 'clients.json');
  await expect(make(nowhere, tooEarly)).rejects.toThrow(`${nowhere} can't be made: its folder`);
});

it('leaves the file where what comes before has failed', async () => {
  const path = fileWith();
  await expect(edit(path, same, noReader)).rejects.toThrow('no reader');
  expectUntouched(path);
});

it('says of nothing but its own writing what is wrong with the folder', async () => {
  const path = fileWith();
  const code = { code: 'ENOENT' };
  const foreign = Object.assign(new Error('a file of the caller'), code);
  await expect(edit(path, same, () => Promise.reject(foreign))).rejects.toBe(foreign);
  expectUntouched(path);
  await expect(edit(path, same, async () => rmSync(path))).rejects.toThrow(
    'it is not there (ENOENT)',
  );
  expect(existsSync(`${path}.part`)).toBe(false);
});
