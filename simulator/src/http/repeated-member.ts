/** Texts, and the signs that give a text of JSON its form. */
const PARTS = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;

/** Its code distinguishes it from an error of the program. */
class RepeatedMember extends Error {
  readonly code = 'FST_ERR_CTP_REPEATED_MEMBER';
  readonly statusCode = 400;

  constructor() {
    super('an object has two members with one name');
    this.name = 'RepeatedMember';
  }
}

/**
 * RFC 8259, section 4, leaves open which of two members with one name counts: a reader of the file
 * could see one of them, and this program the other.
 * @param text valid JSON
 * @throws RepeatedMember
 */
export function refuseRepeatedMembers(text: string): void {
  /** The names of each open object; null for a list. */
  const open: (Set<string> | null)[] = [];
  let isName = false;
  for (const [part] of text.matchAll(PARTS)) {
    const names = open.at(-1) ?? null;
    if (part === '{' || part === '[') open.push(part === '{' ? new Set() : null);
    else if (part === '}' || part === ']') open.pop();
    else if (part !== ',' && isName && names !== null) {
      // The same name can be written with escapes.
      const name = String(JSON.parse(part));
      if (names.has(name)) throw new RepeatedMember();
      names.add(name);
    }
    isName = part === '{' || (part === ',' && names !== null);
  }
}
