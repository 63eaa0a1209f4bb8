/** Of the field with 256 elements that QR codes are calculated in. */
const POLYNOMIAL = 0b1_0001_1101;

function multiply(one: number, other: number): number {
  let [product, factor] = [0, one];
  for (let bit = 0; bit < 8; bit += 1) {
    if ((other >> bit) & 1) product ^= factor;
    factor <<= 1;
    if (factor > 255) factor ^= POLYNOMIAL;
  }
  return product;
}

/** All are 0 for a block that agrees with its `count` codewords of error correction. */
export function syndromesOf(block: readonly number[], count: number): readonly number[] {
  let root = 1;
  return Array.from({ length: count }, () => {
    const value = block.reduce((sum, word) => multiply(sum, root) ^ word, 0);
    root = multiply(root, 2);
    return value;
  });
}
