// The numbers to pick from on the simulated phone. Becomes a part of phone.js where that is read.

/**
 * The right number and two others with as many digits. They follow from the prompt, so that they are
 * the same and in the same order each time that it is shown.
 * @param {{id: string, random: string}} prompt
 */
export function choicesFor({ id, random }) {
  const most = 10 ** random.length;
  const choices = new Set([random]);
  for (let turn = 0; choices.size < Math.min(3, most); turn += 1) {
    choices.add(String(hashOf(`${id} ${turn}`) % most).padStart(random.length, '0'));
  }
  // oxlint-disable-next-line unicorn/no-array-sort -- the oldest browsers have no toSorted
  return [...choices].sort((one, other) => hashOf(`${id} ${one}`) - hashOf(`${id} ${other}`));
}

/** FNV-1a with 32 bits, of an ASCII text. @param {string} text */
function hashOf(text) {
  let hash = 0x811c9dc5;
  for (const unit of text) hash = Math.imul(hash ^ (unit.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
