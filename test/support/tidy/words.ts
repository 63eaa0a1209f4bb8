// Names that must not be used, or only in one place.

import { nameOf, ownerOf, placeAt, visit } from '../syntax.ts';
import type { SourceFile } from '../tree.ts';
import { isCodePath, isProductPath, type Place, type TidyRule } from './rule.ts';

/** Where the real clock and the real randomness may be used. A page's script is one text, without such a place. */
const PLATFORM =
  /^(?:(?:service|simulator|schema|client|kit|console)\/src\/platform(?:\/|\.ts$|-)|pages\/browser\/)/;
const MAY_PRINT = /^(?:service|simulator)\/src\/(?:.*\/)?(?:main|banner)\.ts$/;
const PRINTERS = /^(?:service|simulator|client|kit|console)\/src\//;

/** The names of clock, randomness and timers in Node and JavaScript. */
const GROUND_NAMES = new Set([
  'randomUUID',
  'randomUUIDv7',
  'randomBytes',
  'randomInt',
  'randomFill',
  'randomFillSync',
  'getRandomValues',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'hrtime',
]);
const GROUND_MEMBERS = new Set(['Date.now', 'Math.random', 'performance.now']);
const GROUND_MODULES = /^(?:node:)?timers(?:\/promises)?$/;

export const WORD_RULES: readonly TidyRule[] = [
  {
    name: 'platform-only',
    covers: (path) => isProductPath(path) && !PLATFORM.test(path),
    find: findGround,
  },
  { name: 'any', covers: isCodePath, find: findAny },
  {
    name: 'console',
    covers: (path) => isProductPath(path) && PRINTERS.test(path) && !MAY_PRINT.test(path),
    find: findConsole,
  },
];

function findGround(file: SourceFile): Place[] {
  const places: Place[] = [];
  const add = (offset: number, word: string) =>
    places.push(placeAt(file, offset, `${word} belongs to the platform: take it as a parameter`));
  visit(file, {
    Identifier: ({ name, start }) => {
      if (GROUND_NAMES.has(name)) add(start, name);
    },
    MemberExpression: (node) => {
      const word = `${nameOf(ownerOf(node))}.${nameOf(node)}`;
      if (GROUND_MEMBERS.has(word)) add(node.start, word);
    },
    NewExpression: ({ callee, arguments: given, start }) => {
      if (nameOf(callee) === 'Date' && given.length === 0) add(start, 'new Date()');
    },
    CallExpression: ({ callee, start }) => {
      // Without `new`, Date ignores its arguments and gives the current time.
      if (callee.type === 'Identifier' && callee.name === 'Date') add(start, 'Date()');
    },
    ImportDeclaration: ({ source, start }) => {
      if (GROUND_MODULES.test(source.value)) add(start, source.value);
    },
  });
  return places;
}

function findAny(file: SourceFile): Place[] {
  const places: Place[] = [];
  const message = 'name the type, or take unknown and look';
  visit(file, { TSAnyKeyword: ({ start }) => places.push(placeAt(file, start, message)) });
  return places;
}

function findConsole(file: SourceFile): Place[] {
  const places: Place[] = [];
  visit(file, {
    MemberExpression: (node) => {
      if (nameOf(ownerOf(node)) !== 'console') return;
      places.push(placeAt(file, node.start, 'the log is handed in; only main and banner print'));
    },
  });
  return places;
}
