import { faultOfJson } from '@miftah/schema/json-place';
import { misused } from './failure.ts';
import { rowOf, textOf } from './rows.ts';

/**
 * @param path `-` is standard input
 * @throws DriveFailure for a file that can't be read, or is no JSON
 */
export function jsonIn(path: string, readFile: (path: string) => string): unknown {
  const what = path === '-' ? 'Standard input' : `The file ${path}`;
  let text = '';
  try {
    text = readFile(path);
    return JSON.parse(text) as unknown;
  } catch (error) {
    // The message of the parser would repeat the content of the file.
    if (error instanceof SyntaxError) throw misused(`${what} is no JSON: ${faultOfJson(text)}.`);
    const code = textOf(rowOf(error), 'code');
    throw misused(`${what} can not be read${code === '' ? '' : `: ${code}`}.`);
  }
}
