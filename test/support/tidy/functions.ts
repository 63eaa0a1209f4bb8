import { lineOf, placeAt, visit } from '../syntax.ts';
import type { SourceFile } from '../tree.ts';
import { isProductPath, type Place, type TidyRule } from './rule.ts';

const LONGEST_FUNCTION_LINES = 60;

export const FUNCTION_RULES: readonly TidyRule[] = [
  { name: 'function-length', covers: isProductPath, find: findLongFunctions },
];

function findLongFunctions(file: SourceFile): Place[] {
  const places: Place[] = [];
  const measure = ({ start, end }: { start: number; end: number }) => {
    const lines = lineOf(file, end) - lineOf(file, start) + 1;
    if (lines <= LONGEST_FUNCTION_LINES) return;
    const message = `a function of ${lines} lines, the limit is ${LONGEST_FUNCTION_LINES}`;
    places.push(placeAt(file, start, message));
  };
  visit(file, {
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  });
  return places;
}
