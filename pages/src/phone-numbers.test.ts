import { describe, expect, it } from 'vitest';
import { choicesFor } from '../browser/phone-numbers.js';

const prompts = Array.from({ length: 500 }, (_, index) => ({
  id: `019a3b1e-7c40-7d2a-9f11-${String(index).padStart(12, '0')}`,
  random: String((index * 2003) % 1_000_000).padStart(6, '0'),
}));

describe('the numbers to pick from', () => {
  it('are three different ones with as many digits, and one is the right one', () => {
    for (const prompt of prompts) {
      const numbers = choicesFor(prompt);
      expect(new Set(numbers).size).toBe(3);
      expect(numbers).toContain(prompt.random);
      expect(numbers.join(' ')).toMatch(/^\d{6} \d{6} \d{6}$/);
      expect(choicesFor(prompt)).toEqual(numbers);
    }
  });

  it('have the right one in each place about as often', () => {
    const places = prompts.map((prompt) => choicesFor(prompt).indexOf(prompt.random));
    for (const place of [0, 1, 2]) {
      const share = places.filter((one) => one === place).length / places.length;
      expect(share).toBeGreaterThan(0.25);
      expect(share).toBeLessThan(0.42);
    }
  });

  it('are there for a number of two digits, as area B shows', () => {
    expect(choicesFor({ id: 'a', random: '07' })).toHaveLength(3);
  });
});
