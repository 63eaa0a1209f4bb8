import { nameOf, ownerOf, placeAt, visit } from '../syntax.ts';
import type { SourceFile } from '../tree.ts';
import { isTestPath, type Place, type TidyRule } from './rule.ts';

/** Programs under test run on a real clock, so the helpers that start them may wait. */
const MAY_WAIT =
  /^(?:service\/test\/support\/(?:programs|faults|attacks\/hostile)|deploy\/test\/support\/prometheus)\//;

const TEST_WORDS = new Set(['describe', 'it', 'suite', 'test']);
const LEAVING_OUT = new Set(['only', 'runIf', 'skip', 'skipIf', 'todo']);

export const TEST_RULES: readonly TidyRule[] = [
  { name: 'left-out-test', covers: isTestPath, find: findLeftOut },
  {
    name: 'sleep',
    covers: (path) => isTestPath(path) && !MAY_WAIT.test(path),
    find: findSleep,
  },
];

function findLeftOut(file: SourceFile): Place[] {
  const places: Place[] = [];
  visit(file, {
    MemberExpression: (node) => {
      const word = nameOf(node);
      if (word === undefined || !LEAVING_OUT.has(word) || !isTestWord(ownerOf(node))) return;
      places.push(placeAt(file, node.start, `.${word} leaves tests out without a word`));
    },
  });
  return places;
}

/** `it`, or `it.each`, `it.concurrent` and so on, before the word that is checked. */
function isTestWord(node: unknown): boolean {
  const owner = ownerOf(node);
  if (owner !== undefined) return isTestWord(owner);
  return TEST_WORDS.has(nameOf(node) ?? '');
}

function findSleep(file: SourceFile): Place[] {
  const places: Place[] = [];
  const message = 'a test waits for an event or moves a fake clock, it does not sleep';
  visit(file, {
    CallExpression: ({ callee, start }) => {
      if (nameOf(callee) === 'setTimeout') places.push(placeAt(file, start, message));
    },
    ImportDeclaration: ({ source, start }) => {
      if (/^(?:node:)?timers\/promises$/.test(source.value)) {
        places.push(placeAt(file, start, message));
      }
    },
  });
  return places;
}
