// Applies the import rules of rooms.ts and finds the imports that break them.

import { posix } from 'node:path';
import { findCircles } from './circles.ts';
import { readsEnvironment } from './environment.ts';
import type { Finding } from './finding.ts';
import { readImports, type Import } from './imports.ts';
import { ANY_LIBRARY, roomOf, ROOMS, type Room } from './rooms.ts';
import { isCode, type SourceFile } from './tree.ts';

export const HOUSE_RULES: readonly string[] = [
  ...ROOMS.map((room) => room.name),
  'room',
  'computed-import',
  'circle',
  'environment',
  'folder',
];

/** As many as one look takes in. Tests are not counted. */
const FULL_FOLDER = 15;
/** A table has a file of queries, and each migration is one. */
const COUNTED =
  /^(?:service|simulator)\/src\/(?!store\/(?:sql\/queries|\w+\/migrations)\/).*(?<!\.test)\.ts$/;
/** `attempt/start`: a folder, and one level of folders in it; in the store two, for each database. */
const deepestAt = (path: string) => (path.startsWith('service/src/store/') ? 5 : 4);

export function checkHouse(files: readonly SourceFile[]): Finding[] {
  const code = files.filter(isCode);
  return [...code.flatMap(checkFile), ...checkCircles(code), ...checkFolders(code)];
}

function checkFile(file: SourceFile): Finding[] {
  const room = roomOf(file.path);
  if (room === undefined) return [homeless(file)];
  const imports = readImports(file);
  return [...imports.flatMap((one) => checkImport(file, room, one)), ...readsEnvironment(file)];
}

function homeless({ path }: SourceFile): Finding {
  const message = 'no room holds this file: give it one in test/support/rooms.ts';
  return { rule: 'room', path, line: 1, message };
}

function checkImport({ path }: SourceFile, room: Room, one: Import): Finding[] {
  const { target, line, isPath } = one;
  if (target === undefined) {
    const message = 'an import by a computed name cannot be checked: write the name out';
    return [{ rule: 'computed-import', path, line, message }];
  }
  if (isListed(target, room.may)) return [];
  if (!isPath && room.may.includes(ANY_LIBRARY) && isLibrary(target)) return [];
  const isTypesTarget = isListed(target, room.mayNameTypesOf ?? []);
  if (isTypesTarget && one.typeOnly) return [];
  const how = isTypesTarget ? 'may import only the types of' : 'may not import';
  return [{ rule: room.name, path, line, message: `${how} ${target}: ${room.because}` }];
}

function isListed(target: string, list: Room['may']): boolean {
  return list.some((entry) => {
    if (typeof entry !== 'string') return entry.test(target);
    return /[/:]$/.test(entry) ? target.startsWith(entry) : target === entry;
  });
}

function isLibrary(target: string): boolean {
  return !target.startsWith('node:') && !target.startsWith('@miftah/');
}

function checkFolders(files: readonly SourceFile[]): Finding[] {
  const counted = files.filter(({ path }) => COUNTED.test(path));
  const folders = Map.groupBy(counted, ({ path }) => posix.dirname(path));
  return [...folders].flatMap(([path, { length }]) => {
    const messages = [];
    if (length > FULL_FOLDER) messages.push(`${length} files, the limit is ${FULL_FOLDER}`);
    if (path.split('/').length > deepestAt(path)) messages.push('it is in a folder of a folder');
    return messages.map((message) => ({ rule: 'folder', path, line: 1, message }));
  });
}

function checkCircles(files: readonly SourceFile[]): Finding[] {
  const paths = new Set(files.map((file) => file.path));
  const graph = new Map(
    files.map((file) => {
      const targets = readImports(file).map((one) => one.target ?? '');
      return [file.path, targets.filter((target) => paths.has(target))] as const;
    }),
  );
  return findCircles(graph).map((circle) => {
    const message = `these import each other in a circle: ${circle.join(' -> ')}`;
    return { rule: 'circle', path: circle[0] ?? '', line: 1, message };
  });
}
