const LINE = /^\s*(?:export\s+)?([\w.-]+)\s*=/;
const NOTHING = /^\s*(?:#|$)/;

/**
 * What is wrong with the lines of a settings file. Node's reader passes over a line such as
 * `RATE_LIMITS: off` without a word, and takes the last of two lines with one name.
 * @returns a sentence for each, with the line's number, and without its content, which may be secret
 */
export function faultsOfLines(text: string): readonly string[] {
  const faults: string[] = [];
  const seen = new Map<string, number>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (NOTHING.test(line)) continue;
    const number = index + 1;
    const name = LINE.exec(line)?.[1];
    const earlier = name === undefined ? undefined : seen.get(name);
    if (name === undefined) faults.push(`line ${number} is not NAME=value`);
    else if (earlier === undefined) seen.set(name, number);
    else faults.push(`line ${number} sets ${name} again, which line ${earlier} has set`);
  }
  return faults;
}
