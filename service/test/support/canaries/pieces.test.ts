import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { PIECE, Pieces } from './pieces.ts';

const letter = fc.constantFrom('a', 'B', '-');
const piece = fc.string({ unit: letter, minLength: PIECE, maxLength: PIECE });
const between = fc.string({ unit: fc.oneof(letter, fc.constantFrom('.', 'é')), maxLength: 3 });
/** Two pieces that are searched and one that is not, and a text with some of the three. */
const cases = fc
  .tuple(piece, piece, piece)
  .chain((pieces) =>
    fc.tuple(fc.constant(pieces), fc.array(fc.oneof(fc.constantFrom(...pieces), between))),
  );

it('finds the pieces that are in a text, and no others', () => {
  fc.assert(
    fc.property(cases, ([[one, other], parts]) => {
      const text = parts.join('');
      const index = new Pieces<string>();
      for (const wanted of [one, other]) index.add(wanted, wanted);
      const contained = [one, other].filter((wanted) => text.includes(wanted));
      expect(index.in(text)).toEqual(new Set(contained));
    }),
  );
});
