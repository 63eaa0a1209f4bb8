import { functionModules } from './function-modules.ts';
import { syndromesOf } from './reed-solomon.ts';

/**
 * Reads a QR code (ISO/IEC 18004) from its modules, without the library that makes it: format,
 * mask, blocks with their error correction, and text of bytes. It corrects nothing: a symbol that is
 * made by a program has no damage, so every fault is one of the program.
 */

/** Rows of modules, true for a dark one, without the margin. */
export type Modules = readonly (readonly boolean[])[];

/** By the two bits of the format: M, L, H, Q. Codewords of error correction in a block, by version. */
const CORRECTION = [
  [10, 16, 26, 18, 24, 16, 18, 22, 22],
  [7, 10, 15, 20, 26, 18, 20, 24, 30],
  [17, 28, 22, 16, 22, 28, 26, 26, 24],
  [13, 22, 18, 26, 18, 24, 18, 22, 20],
] as const;
const BLOCKS = [
  [1, 1, 1, 2, 2, 4, 4, 4, 5],
  [1, 1, 1, 1, 1, 2, 2, 2, 2],
  [1, 1, 2, 4, 4, 4, 5, 6, 8],
  [1, 1, 2, 2, 4, 4, 6, 6, 8],
] as const;

const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_row, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
];

/** @throws Error that says what is wrong with the symbol */
export function readSymbol(modules: Modules): string {
  const version = (modules.length - 17) / 4;
  const isSquare = modules.every((row) => row.length === modules.length);
  if (!isSquare || !Number.isInteger(version) || version < 1 || version > 9) {
    throw new Error(`${modules.length} rows are no symbol of version 1 to 9`);
  }
  const { level, mask } = formatOf(modules);
  const codewords = codewordsOf(modules, version, mask);
  const ofCorrection = CORRECTION[level]?.[version - 1] ?? 0;
  const blocks = blocksOf(codewords, BLOCKS[level]?.[version - 1] ?? 1, ofCorrection);
  for (const block of blocks) {
    const faulty = syndromesOf(block, ofCorrection).filter((one) => one !== 0);
    if (faulty.length > 0) throw new Error('a block does not agree with its error correction');
  }
  return textOf(blocks.flatMap((block) => block.slice(0, -ofCorrection)));
}

/** The 15 bits around the upper left finder, and again beside the other two. */
function formatOf(modules: Modules): { readonly level: number; readonly mask: number } {
  const size = modules.length;
  const first = [0, 1, 2, 3, 4, 5, 7, 8].map((row) => [row, 8] as const);
  const left = [7, 5, 4, 3, 2, 1, 0].map((column) => [8, column] as const);
  const right = Array.from({ length: 8 }, (_, one) => [8, size - 1 - one] as const);
  const below = Array.from({ length: 7 }, (_, one) => [size - 7 + one, 8] as const);
  const [one, other] = [
    [...first, ...left],
    [...right, ...below],
  ].map((places) => places.reduce((bits, place, bit) => bits | (dark(modules, place) << bit), 0));
  if (one === undefined || one !== other) throw new Error('the two formats differ');
  const format = one ^ 0b101_0100_0001_0010;
  if (remainderOf(format) !== 0) throw new Error('the format is not one of its code');
  return { level: format >> 13, mask: (format >> 10) & 0b111 };
}

const dark = (modules: Modules, [row, column]: readonly [number, number]) =>
  modules[row]?.[column] === true ? 1 : 0;

/** Of the division by the generator of the BCH code (15, 5). */
function remainderOf(format: number): number {
  let rest = format;
  for (let bit = 14; bit >= 10; bit -= 1) {
    if ((rest >> bit) & 1) rest ^= 0b101_0011_0111 << (bit - 10);
  }
  return rest;
}

/** Two columns at a time from the right, up and down in turns, around the vertical timing pattern. */
function codewordsOf(modules: Modules, version: number, mask: number): readonly number[] {
  const size = modules.length;
  const isFunction = functionModules(version);
  const isMasked = MASKS[mask] ?? (() => false);
  const bits: number[] = [];
  const pairs = Array.from({ length: (size - 1) / 2 }, (_, pair) => size - 1 - 2 * pair);
  for (const [turn, right] of pairs
    .map((column) => (column <= 6 ? column - 1 : column))
    .entries()) {
    for (let step = 0; step < size; step += 1) {
      const row = turn % 2 === 0 ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (isFunction(row, column)) continue;
        bits.push(dark(modules, [row, column]) ^ (isMasked(row, column) ? 1 : 0));
      }
    }
  }
  return Array.from({ length: Math.floor(bits.length / 8) }, (_, word) =>
    bits.slice(8 * word, 8 * word + 8).reduce((value, bit) => value * 2 + bit, 0),
  );
}

/** The last blocks have one codeword of data more, and codewords of all blocks take turns. */
function blocksOf(
  codewords: readonly number[],
  count: number,
  ofCorrection: number,
): readonly (readonly number[])[] {
  const shortest = Math.floor(codewords.length / count);
  const short = count - (codewords.length % count);
  const blocks = Array.from({ length: count }, (): number[] => []);
  const rest = [...codewords];
  const dataOf = (block: number) => shortest - ofCorrection + (block < short ? 0 : 1);
  for (let place = 0; place <= shortest - ofCorrection; place += 1) {
    for (const [number, block] of blocks.entries()) {
      if (place < dataOf(number)) block.push(rest.shift() ?? 0);
    }
  }
  for (const [place, word] of rest.entries()) blocks[place % count]?.push(word);
  return blocks;
}

/** One segment of bytes, in UTF-8. */
function textOf(data: readonly number[]): string {
  const bits = data.map((word) => word.toString(2).padStart(8, '0')).join('');
  const number = (from: number, length: number) => parseInt(bits.slice(from, from + length), 2);
  if (number(0, 4) !== 0b0100) throw new Error('the text is not written in bytes');
  const length = number(4, 8);
  const bytes = Array.from({ length }, (_, byte) => number(12 + 8 * byte, 8));
  return Buffer.from(bytes).toString('utf8');
}
